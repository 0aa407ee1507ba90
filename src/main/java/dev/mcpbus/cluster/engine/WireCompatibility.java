package dev.mcpbus.cluster.engine;

import dev.mcpbus.bus.WireForm;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.json.JsonObject;
import io.vertx.core.spi.cluster.ClusterManager;
import io.vertx.core.spi.cluster.NodeInfo;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The {@link WireForm} forms that the nodes of a cluster read, from the metadata of their event
 * buses. Any thread may call.
 */
public final class WireCompatibility {

  private record Node(String name, WireForm.Range reads) {}

  /** The forms assumed for a process whose metadata is not there yet. */
  private static final WireForm.Range UNKNOWN =
      new WireForm.Range(WireForm.OLDEST, WireForm.OLDEST);

  private final VertxInternal vertx;
  private final ClusterManager cluster;
  private final WireForm.Range own;
  private final Map<String, Node> known = new ConcurrentHashMap<>();

  public WireCompatibility(Vertx vertx) {
    this.vertx = (VertxInternal) vertx;
    this.cluster = Objects.requireNonNull(this.vertx.clusterManager(), "Vert.x is not clustered");
    NodeInfo info = cluster.getNodeInfo();
    WireForm.Range reads = info == null ? null : WireForm.of(info.metadata());
    this.own = reads == null ? new WireForm.Range(WireForm.OLDEST, WireForm.NEWEST) : reads;
  }

  /** Sentences that name the nodes which share no form with this one; never fails. */
  public Future<List<String>> incompatibleNodes() {
    return nodes()
        .map(
            all ->
                all.values().stream()
                    .filter(node -> !node.reads().meets(own))
                    .map(
                        node ->
                            "node '"
                                + node.name()
                                + "' talks in form "
                                + node.reads()
                                + ", this one in form "
                                + own
                                + ": go by a version of mcpbus between the two")
                    .toList());
  }

  private Future<Map<String, Node>> nodes() {
    List<String> ids = new ArrayList<>(cluster.getNodes());
    known.keySet().retainAll(ids);
    Map<String, Node> nodes = new LinkedHashMap<>();
    List<Future<Void>> reads = new ArrayList<>();
    for (String id : ids) {
      Node before = known.get(id);
      if (before != null) {
        nodes.put(id, before);
      } else {
        reads.add(read(id, nodes));
      }
    }
    return Future.join(reads).map(nodes).otherwise(nodes);
  }

  private Future<Void> read(String id, Map<String, Node> into) {
    Promise<NodeInfo> info = vertx.promise();
    cluster.getNodeInfo(id, info);
    return info.future()
        .transform(
            read -> {
              NodeInfo found = read.succeeded() ? read.result() : null;
              if (found == null) {
                synchronized (into) {
                  into.put(id, new Node(id, UNKNOWN));
                }
                return Future.succeededFuture();
              }
              JsonObject metadata = found.metadata();
              WireForm.Range reads = WireForm.of(metadata);
              if (reads != null) {
                Node node =
                    new Node(
                        metadata
                            .getJsonObject(WireForm.METADATA)
                            .getString("name", found.host() + ":" + found.port()),
                        reads);
                known.put(id, node);
                synchronized (into) {
                  into.put(id, node);
                }
              }
              return Future.succeededFuture();
            });
  }
}
