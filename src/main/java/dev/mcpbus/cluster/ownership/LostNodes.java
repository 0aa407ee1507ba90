package dev.mcpbus.cluster.ownership;

import dev.mcpbus.cluster.membership.ClusterMembers;
import io.vertx.core.Vertx;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Which lost nodes have stopped their connections, so that this node may take them over. A node
 * that other nodes have given up may still run, and notices its loss a moment later than they do.
 * It has certainly stopped when its event-bus port refuses connections; otherwise it counts as
 * stopped when {@link #GRACE_MILLIS} have passed and a quorum of nodes has ended its grants to the
 * node. Confined to the context of its {@link OwnershipReconciler}.
 */
final class LostNodes {

  /** Longer than a node that was given up needs to see its connections close and to stop. */
  static final long GRACE_MILLIS = 1_000;

  private final Vertx vertx;
  private final ClusterMembers members;
  private final Predicate<String> givenUp;
  private final Consumer<String> stillReachable;
  private final Runnable changed;
  private final Map<String, Loss> all = new HashMap<>();

  private static final class Loss {
    private boolean graceOver;
    private boolean stopped;
  }

  /**
   * @param givenUp whether a quorum of nodes has ended its grants to a node
   * @param stillReachable receives each lost node whose event-bus port still accepts connections
   * @param changed runs when a lost node turns out to have stopped
   */
  LostNodes(
      Vertx vertx,
      ClusterMembers members,
      Predicate<String> givenUp,
      Consumer<String> stillReachable,
      Runnable changed) {
    this.vertx = vertx;
    this.members = members;
    this.givenUp = givenUp;
    this.stillReachable = stillReachable;
    this.changed = changed;
  }

  /** Forgets the losses of nodes that are in the cluster again. */
  void present(Collection<String> alive) {
    all.keySet().removeAll(alive);
  }

  /** Starts to watch a lost node. The record of an earlier loss of the same node is dropped. */
  void lost(String node) {
    Loss loss = new Loss();
    all.put(node, loss);
    members
        .hasClosedItsBusPort(node)
        .onSuccess(
            closed -> {
              loss.stopped |= closed;
              if (!closed) {
                stillReachable.accept(node);
              }
              check(node, loss);
            });
    vertx.setTimer(
        GRACE_MILLIS,
        later -> {
          loss.graceOver = true;
          check(node, loss);
        });
  }

  /**
   * Whether a lost node has stopped. Starts to watch it where {@link #lost} was not called for it.
   *
   * @param node a node that is no member
   */
  boolean hasStopped(String node) {
    Loss known = all.get(node);
    if (known == null) {
      lost(node);
    }
    return known != null && hasStopped(node, known);
  }

  /** Whether all lost nodes have stopped. */
  boolean haveAllStopped() {
    return all.entrySet().stream().allMatch(one -> hasStopped(one.getKey(), one.getValue()));
  }

  private boolean hasStopped(String node, Loss loss) {
    loss.stopped |= loss.graceOver && givenUp.test(node);
    return loss.stopped;
  }

  private void check(String node, Loss loss) {
    if (all.get(node) == loss && hasStopped(node, loss)) {
      changed.run();
    }
  }
}
