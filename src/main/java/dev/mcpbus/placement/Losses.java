package dev.mcpbus.placement;

import io.vertx.core.Vertx;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;

/**
 * Which lost nodes have ended what they served. A node that others gave up may be alive, and learns
 * of it a moment after them: one whose door is shut has certainly ended, of any other it is known
 * after {@link #GRACE_MILLIS}. Confined to the context of its {@link Placement}.
 */
final class Losses {

  /** Longer than it takes a node that was given up to see its connections close and to stop. */
  static final long GRACE_MILLIS = 1_000;

  private final Vertx vertx;
  private final Members members;
  private final Runnable changed;
  private final Map<String, Loss> all = new HashMap<>();

  private static final class Loss {
    private boolean over;
  }

  /**
   * @param changed runs when a node is known to have ended
   */
  Losses(Vertx vertx, Members members, Runnable changed) {
    this.vertx = vertx;
    this.members = members;
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
        .isShut(node)
        .onSuccess(
            shut -> {
              if (shut) {
                ended(node, loss);
              }
            });
    vertx.setTimer(GRACE_MILLIS, later -> ended(node, loss));
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
    return known != null && known.over;
  }

  private void ended(String node, Loss loss) {
    if (!loss.over && all.get(node) == loss) {
      loss.over = true;
      changed.run();
    }
  }
}
