package dev.mcpbus.cluster.engine;

import dev.mcpbus.bus.ClusterSecret;
import dev.mcpbus.bus.McpBusVersion;
import dev.mcpbus.bus.WireForm;
import dev.mcpbus.cluster.signing.NodeProof;
import dev.mcpbus.cluster.signing.SignedMessages;
import dev.mcpbus.config.ClusterOptions;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.core.shareddata.Shareable;
import io.vertx.core.spi.cluster.ClusterManager;
import io.vertx.core.spi.cluster.NodeInfo;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Makes a node of mcpbus out of a clustered Vert.x that a program has made itself, with any cluster
 * manager: says what a node says of itself, proves the cluster's secret, and signs messages. Any
 * thread may call.
 */
public final class ProgramCluster {

  private static final String ATTEMPTS = "dev.mcpbus.joining";

  /** The attempts of one Vert.x, one after the other. */
  private static final class JoinAttempts implements Shareable {
    private Future<Vertx> last = Future.failedFuture("none yet");

    synchronized Future<Vertx> next(Supplier<Future<Vertx>> attempt) {
      last = last.transform(over -> attempt.get());
      return last;
    }
  }

  private ProgramCluster() {}

  /** What a node says of itself in the metadata of its event bus, until its doors are open. */
  static JsonObject metadata(ClusterOptions options) {
    JsonObject own =
        new JsonObject()
            .put("weight", options.weight())
            .put(VertxClusterMembers.OPENING, true)
            .put(WireForm.READS, options.wire())
            .put(WireForm.READS_FROM, WireForm.OLDEST)
            .put(WireForm.VERSION, McpBusVersion.current())
            .put("labels", new JsonArray(options.labels().stream().sorted().toList()));
    return options.node() == null ? own : own.put("name", options.node());
  }

  /** Why a clustered Vert.x is no node, as a sentence with the remedy; null where it is one. */
  public static @Nullable String missing(Vertx vertx) {
    if (ClusterSecret.find(vertx) == null) {
      return ClusterSecret.missing().getMessage();
    }
    ClusterManager cluster = ((VertxInternal) vertx).clusterManager();
    NodeInfo own = cluster == null ? null : cluster.getNodeInfo();
    return own != null && WireForm.of(own.metadata()) != null
        ? null
        : "this Vert.x is clustered and does not say that it is a node of mcpbus, so no connection"
            + " would have an owner; call McpBus.clustered(vertx, secret) before McpBus.start";
  }

  /**
   * As {@code McpBus.clustered}. An attempt that fails leaves this Vert.x as it was.
   *
   * @param options of which name, labels, weight, wire form and secret count
   */
  public static Future<Vertx> join(Vertx vertx, ClusterOptions options) {
    return vertx
        .sharedData()
        .<String, JoinAttempts>getLocalMap(ATTEMPTS)
        .computeIfAbsent(ATTEMPTS, first -> new JoinAttempts())
        .next(() -> attempt(vertx, options));
  }

  private static Future<Vertx> attempt(Vertx vertx, ClusterOptions options) {
    ClusterManager cluster = ((VertxInternal) vertx).clusterManager();
    ClusterSecret secret = options.secret();
    if (cluster == null) {
      return refused(
          "this Vert.x is not clustered; make it with"
              + " Vertx.builder().withClusterManager(...).buildClustered(), or start McpBus without"
              + " McpBus.clustered");
    }
    if (secret == null) {
      return refused(
          "nodes prove themselves with a secret that all of them have; give it, for example"
              + " ClusterSecret.of(the output of: openssl rand -base64 32)");
    }
    ClusterSecret before = ClusterSecret.find(vertx);
    if (before != null && !before.equals(secret)) {
      return refused("this Vert.x has another cluster secret already; a Vert.x has one");
    }
    NodeInfo own = cluster.getNodeInfo();
    if (own == null) {
      return refused(
          cluster.getClass().getName()
              + " does not know this node's event bus; call this when buildClustered() has"
              + " completed");
    }
    return (WireForm.of(own.metadata()) != null
            ? Future.<Void>succeededFuture()
            : announce((VertxInternal) vertx, cluster, own, secret, options))
        .map(
            announced -> {
              if (before == null) {
                SignedMessages.install(vertx, secret);
              }
              return vertx;
            });
  }

  /** Tells the cluster that this is a node; takes that back where it does not fit the others. */
  private static Future<Void> announce(
      VertxInternal vertx,
      ClusterManager cluster,
      NodeInfo own,
      ClusterSecret secret,
      ClusterOptions options) {
    JsonObject metadata = own.metadata() == null ? new JsonObject() : own.metadata().copy();
    metadata.put(WireForm.METADATA, metadata(options));
    JsonObject signed =
        NodeProof.sign(secret, cluster.getNodeId(), own.host(), own.port(), metadata);
    return write(vertx, cluster, new NodeInfo(own.host(), own.port(), signed))
        .compose(done -> check(vertx, cluster, secret))
        .compose(why -> why == null ? Future.<Void>succeededFuture() : refused(why))
        .recover(
            failure -> write(vertx, cluster, own).transform(back -> Future.failedFuture(failure)));
  }

  private static Future<Void> write(VertxInternal vertx, ClusterManager cluster, NodeInfo info) {
    Promise<Void> written = vertx.promise();
    cluster.setNodeInfo(info, written);
    return written.future();
  }

  private static <T> Future<T> refused(String why) {
    return Future.failedFuture(new IllegalStateException(why));
  }

  /** Reads what all processes say of themselves; a sentence where nodes do not fit together. */
  private static Future<@Nullable String> check(
      VertxInternal vertx, ClusterManager cluster, ClusterSecret secret) {
    String self = cluster.getNodeId();
    List<Future<@Nullable String>> reads =
        cluster.getNodes().stream()
            .map(
                node -> {
                  Promise<NodeInfo> read = vertx.promise();
                  cluster.getNodeInfo(node, read);
                  return read.future()
                      .transform(
                          found ->
                              Future.succeededFuture(
                                  wrong(node, node.equals(self), found.result(), secret)));
                })
            .toList();
    return Future.join(reads)
        .map(
            all ->
                reads.stream()
                    .map(Future::result)
                    .filter(Objects::nonNull)
                    .findFirst()
                    .orElse(null));
  }

  private static @Nullable String wrong(
      String node, boolean isSelf, @Nullable NodeInfo info, ClusterSecret secret) {
    JsonObject metadata = info == null ? null : info.metadata();
    boolean isNode = metadata != null && metadata.containsKey(WireForm.METADATA);
    if (info == null || metadata == null || !isNode) {
      return isSelf
          ? "the cluster manager does not keep the metadata of this node's event bus, which tells"
              + " other nodes of this one"
          : null;
    }
    return NodeProof.holds(secret, node, info.host(), info.port(), metadata)
        ? null
        : "the node at "
            + info.host()
            + ":"
            + info.port()
            + " has another cluster secret; give all nodes of this cluster the same one";
  }
}
