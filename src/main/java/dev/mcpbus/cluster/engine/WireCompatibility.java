package dev.mcpbus.cluster.engine;

import dev.mcpbus.bus.McpBusVersion;
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

  private record Node(String name, String version, WireForm.Range reads) {}

  private final VertxInternal vertx;
  private final ClusterManager cluster;
  private final WireForm.Range own;
  private final Map<String, Node> known = new ConcurrentHashMap<>();

  public WireCompatibility(Vertx vertx) {
    this(
        (VertxInternal) vertx,
        Objects.requireNonNull(
            ((VertxInternal) vertx).clusterManager(), "Vert.x is not clustered"));
  }

  WireCompatibility(VertxInternal vertx, ClusterManager cluster) {
    this.vertx = vertx;
    this.cluster = cluster;
    NodeInfo info = cluster.getNodeInfo();
    WireForm.Range reads = info == null ? null : WireForm.of(info.metadata());
    this.own = reads == null ? new WireForm.Range(WireForm.OLDEST, WireForm.NEWEST) : reads;
  }

  /**
   * Sentences that name the nodes which share no form with this one; never fails. The node of a
   * sentence says the same of this one. A process that is about to start counts once it has said
   * which forms it reads.
   */
  public Future<List<String>> incompatibleNodes() {
    return nodes()
        .map(
            all ->
                all.values().stream()
                    .filter(node -> !node.reads().meets(own))
                    .map(this::sentence)
                    .toList());
  }

  private String sentence(Node node) {
    return "node '"
        + node.name()
        + "' ("
        + node.version()
        + ") talks in form "
        + node.reads()
        + ", this one (mcpbus "
        + McpBusVersion.current()
        + ") in form "
        + own
        + ": they cannot work together; end one of them, and upgrade by a version of mcpbus"
        + " between the two";
  }

  private Future<Map<String, Node>> nodes() {
    List<String> ids = new ArrayList<>(cluster.getNodes());
    known.keySet().retainAll(ids);
    Map<String, Node> nodes = new LinkedHashMap<>();
    List<Future<Void>> reads = new ArrayList<>();
    for (String id : ids) {
      Node before = known.get(id);
      if (before != null) {
        synchronized (nodes) {
          nodes.put(id, before);
        }
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
              WireForm.Range reads = found == null ? null : WireForm.of(found.metadata());
              if (found != null && reads != null) {
                JsonObject says = found.metadata().getJsonObject(WireForm.METADATA);
                String version = says.getString(WireForm.VERSION);
                Node node =
                    new Node(
                        says.getString("name", found.host() + ":" + found.port()),
                        version == null ? "another version of mcpbus" : "mcpbus " + version,
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
