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
  private final Map<String, Boolean> over = new HashMap<>();

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
    over.keySet().removeAll(alive);
  }

  /**
   * Begins to find out where that has not begun.
   *
   * @param node that is no member
   */
  boolean isOver(String node) {
    Boolean known = over.putIfAbsent(node, false);
    if (known == null) {
      members
          .isShut(node)
          .onSuccess(
              shut -> {
                if (shut) {
                  ended(node);
                }
              });
      vertx.setTimer(GRACE_MILLIS, later -> ended(node));
    }
    return known != null && known;
  }

  private void ended(String node) {
    if (over.replace(node, false, true)) {
      changed.run();
    }
  }
}
