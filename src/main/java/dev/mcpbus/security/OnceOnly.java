package dev.mcpbus.security;

import dev.mcpbus.bus.ClusterMap;
import dev.mcpbus.protocol.Sha256;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.shareddata.LocalMap;
import io.vertx.core.shareddata.Shareable;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.HashSet;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * Remembers what may be used once: the proof of a key, an authorization code. Where Vert.x is
 * clustered, once in the whole cluster, by {@link ClusterMap#USED}; a cluster that is split into
 * parts remembers in each part alone. It keeps hashes, never what it was given. One instance for
 * each Vert.x; any thread may call.
 */
public final class OnceOnly implements Shareable {

  /** How much one node remembers at a time, about 25 MB. */
  static final int MOST = 200_000;

  /** Nothing is kept for longer: a bound for a caller that was configured with a huge time. */
  static final Duration LONGEST = Duration.ofDays(1);

  private static final String KEY = "mcpbus.once-only";

  /** Where this node has used something up. */
  private record UsedMark(String key, long end) {}

  private final Vertx vertx;
  private final LongSupplier nanos;
  private final int most;
  private final Set<String> used = new HashSet<>();
  private final PriorityQueue<UsedMark> ends =
      new PriorityQueue<>((one, other) -> Long.signum(one.end() - other.end()));

  /**
   * @param nanos monotonic time in nanoseconds
   * @param most what this node remembers at a time
   */
  OnceOnly(Vertx vertx, LongSupplier nanos, int most) {
    this.vertx = vertx;
    this.nanos = nanos;
    this.most = most;
  }

  /** The instance of a Vert.x. */
  public static OnceOnly of(Vertx vertx) {
    LocalMap<String, OnceOnly> map = vertx.sharedData().getLocalMap(KEY);
    return map.computeIfAbsent(KEY, absent -> new OnceOnly(vertx, System::nanoTime, MOST));
  }

  /**
   * Whether this is the first use: true for one call alone, whichever node it is made on. Fails
   * where that cannot be known, because the cluster does not answer or this node remembers as much
   * as it may; then the caller must not go on as after a first use.
   *
   * @param what begins with the purpose, so that two purposes never meet: {@code dpop <key> <id>}
   * @param within how long it could be used again; at most a day is remembered
   */
  public Future<Boolean> first(String what, Duration within) {
    String key =
        Base64.getUrlEncoder()
            .withoutPadding()
            .encodeToString(Sha256.of(what.getBytes(StandardCharsets.UTF_8)));
    Duration kept = within.compareTo(LONGEST) > 0 ? LONGEST : within;
    return switch (mark(key, kept)) {
      case NEW -> vertx.isClustered() ? inCluster(key, kept) : Future.succeededFuture(true);
      case KNOWN -> Future.succeededFuture(false);
      case FULL ->
          Future.failedFuture(
              new IllegalStateException("this node remembers " + most + " used values already"));
    };
  }

  private Future<Boolean> inCluster(String key, Duration kept) {
    return ClusterMap.USED
        .<Boolean>of(vertx)
        .compose(map -> map.putIfAbsent(key, true, Math.max(1, kept.toMillis())))
        .map(before -> before == null);
  }

  private enum MarkResult {
    NEW,
    KNOWN,
    FULL
  }

  private synchronized MarkResult mark(String key, Duration kept) {
    long now = nanos.getAsLong();
    while (!ends.isEmpty() && now - ends.peek().end() >= 0) {
      used.remove(ends.remove().key());
    }
    if (used.contains(key)) {
      return MarkResult.KNOWN;
    }
    if (used.size() >= most) {
      return MarkResult.FULL;
    }
    used.add(key);
    ends.add(new UsedMark(key, now + kept.toNanos()));
    return MarkResult.NEW;
  }
}
