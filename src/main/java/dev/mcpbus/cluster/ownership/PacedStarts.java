package dev.mcpbus.cluster.ownership;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * Claims and starts connections as fast as this node completes them: {@link #UNDER_WAY} at a time,
 * and the next one when the addresses of one are registered. A thousand at once would only wait for
 * each other, and no other node could take its part meanwhile. Confined to the context of its
 * {@link OwnershipReconciler}.
 */
final class PacedStarts {

  private static final int UNDER_WAY = 32;

  /** A start that takes longer does not keep the others waiting. */
  private static final long PATIENCE_SECONDS = 5;

  private record Wanted(String key, @Nullable OwnershipClaim before) {}

  private final Vertx vertx;
  private final BiFunction<String, @Nullable OwnershipClaim, Future<Void>> start;
  private final Queue<Wanted> wanted = new ArrayDeque<>();

  /** What is under way, by key. */
  private final Map<String, Future<Void>> underWay = new HashMap<>();

  private int slots = UNDER_WAY;
  private boolean beginning;

  /**
   * @param start takes the key of a replica and the claim as it was read; completes when the
   *     connection has started, or will not
   */
  PacedStarts(Vertx vertx, BiFunction<String, @Nullable OwnershipClaim, Future<Void>> start) {
    this.vertx = vertx;
    this.start = start;
  }

  /** Forgets what has not begun. */
  void clear() {
    wanted.clear();
  }

  void add(String key, @Nullable OwnershipClaim before) {
    wanted.add(new Wanted(key, before));
  }

  /** Whether the claim or the start of a connection is under way. */
  boolean isUnderWay(String key) {
    return underWay.containsKey(key);
  }

  /** Begins as many starts as may be under way. */
  void next() {
    if (beginning) {
      return; // a start that ends at once frees its place in the loop below
    }
    beginning = true;
    while (slots > 0 && !wanted.isEmpty()) {
      begin(wanted.remove());
    }
    beginning = false;
  }

  private void begin(Wanted one) {
    slots--;
    Future<Void> started = start.apply(one.key(), one.before()).otherwiseEmpty();
    underWay.put(one.key(), started);
    Promise<Void> over = Promise.promise();
    long timer =
        vertx.setTimer(TimeUnit.SECONDS.toMillis(PATIENCE_SECONDS), late -> over.tryComplete());
    started.onComplete(
        done -> {
          underWay.remove(one.key(), started);
          vertx.cancelTimer(timer);
          over.tryComplete();
        });
    over.future()
        .onComplete(
            free -> {
              slots++;
              next();
            });
  }

  /** Succeeds when nothing of what has begun is under way any more. */
  Future<Void> quiet() {
    List<Future<Void>> all = new ArrayList<>(underWay.values());
    return Future.join(all).mapEmpty();
  }
}
