package dev.mcpbus.cluster.engine;

import io.vertx.core.Vertx;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.json.JsonObject;
import io.vertx.core.spi.cluster.ClusterManager;
import io.vertx.core.spi.cluster.NodeInfo;
import io.vertx.core.spi.cluster.NodeListener;
import java.util.List;
import java.util.Objects;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The members of the cluster, from the cluster manager of Vert.x, which has no public access to
 * them. Any thread may call.
 */
public final class EngineNodes {

  private final ClusterManager cluster;

  /**
   * @throws NullPointerException where {@code vertx} is not clustered
   */
  public EngineNodes(Vertx vertx) {
    this.cluster =
        Objects.requireNonNull(
            ((VertxInternal) vertx).clusterManager(), "this Vert.x is not clustered");
  }

  /** The id of this member. */
  public String self() {
    return cluster.getNodeId();
  }

  /** The ids of all members, this one included. */
  public List<String> ids() {
    return cluster.getNodes();
  }

  /** This member's metadata; null before it was set. */
  public @Nullable JsonObject ownMetadata() {
    NodeInfo own = cluster.getNodeInfo();
    return own == null ? null : own.metadata();
  }

  /**
   * Calls {@code listener} for each member that joins (true) or leaves (false), on a thread of the
   * engine. To be called once.
   */
  public void listen(BiConsumer<String, Boolean> listener) {
    cluster.nodeListener(
        new NodeListener() {
          @Override
          public void nodeAdded(String node) {
            listener.accept(node, true);
          }

          @Override
          public void nodeLeft(String node) {
            listener.accept(node, false);
          }
        });
  }
}
