package dev.mcpbus.cluster.ownership;

import dev.mcpbus.cluster.membership.ClusterMembers;
import io.vertx.core.Vertx;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Which lost nodes have ended what they served. A node that others gave up may be alive, and learns
 * of it a moment after them: one whose door is shut has certainly ended, any other when {@link
 * #GRACE_MILLIS} have passed and nobody lets it act any more. Confined to the context of its {@link
 * OwnershipReconciler}.
 */
final class LostNodes {

  /** Longer than it takes a node that was given up to see its connections close and to stop. */
  static final long GRACE_MILLIS = 1_000;

  private final Vertx vertx;
  private final ClusterMembers members;
  private final Predicate<String> givenUp;
  private final Consumer<String> stillReachable;
  private final Runnable changed;
  private final Map<String, Loss> all = new HashMap<>();

  private static final class Loss {
    private boolean graceOver;
    private boolean over;
  }

  /**
   * @param givenUp whether no member lets a node act any more
   * @param stillReachable hears of a lost node whose door is not shut
   * @param changed runs when its door or the time has shown that a node has ended
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

  /** A node that is back may be lost again. */
  void present(Collection<String> alive) {
    all.keySet().removeAll(alive);
  }

  /** Begins to find out. What was known of an earlier loss of the same node counts no more. */
  void lost(String node) {
    Loss loss = new Loss();
    all.put(node, loss);
    members
        .hasClosedItsBusPort(node)
        .onSuccess(
            shut -> {
              loss.over |= shut;
              if (!shut) {
                stillReachable.accept(node);
              }
              look(node, loss);
            });
    vertx.setTimer(
        GRACE_MILLIS,
        later -> {
          loss.graceOver = true;
          look(node, loss);
        });
  }

  /**
   * Begins to find out where that has not begun.
   *
   * @param node that is no member
   */
  boolean isOver(String node) {
    Loss known = all.get(node);
    if (known == null) {
      lost(node);
    }
    return known != null && isOver(node, known);
  }

  /** Whether all lost nodes have ended. */
  boolean haveAllStopped() {
    return all.entrySet().stream().allMatch(one -> isOver(one.getKey(), one.getValue()));
  }

  private boolean isOver(String node, Loss loss) {
    loss.over |= loss.graceOver && givenUp.test(node);
    return loss.over;
  }

  private void look(String node, Loss loss) {
    if (all.get(node) == loss && isOver(node, loss)) {
      changed.run();
    }
  }
}
