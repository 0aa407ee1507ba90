package dev.mcpbus.security;

import dev.mcpbus.bus.ClusterMap;
import dev.mcpbus.bus.FairLimit;
import dev.mcpbus.protocol.Sha256;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.shareddata.LocalMap;
import io.vertx.core.shareddata.Shareable;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
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
  private record UsedMark(String owner, String key, long end) {}

  private final Vertx vertx;
  private final LongSupplier nanos;
  private final int most;
  private final Set<String> used = new HashSet<>();
  private final Map<String, Integer> owners = new HashMap<>();
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
   * @param owner who uses it, such as a principal: one owner cannot take the room of all others
   * @param what begins with the purpose, so that two purposes never meet: {@code dpop <key> <id>}
   * @param within how long it could be used again; at most a day is remembered
   */
  public Future<Boolean> first(String owner, String what, Duration within) {
    String key =
        Base64.getUrlEncoder()
            .withoutPadding()
            .encodeToString(Sha256.of(what.getBytes(StandardCharsets.UTF_8)));
    Duration kept = within.compareTo(LONGEST) > 0 ? LONGEST : within;
    return switch (mark(owner, key, kept)) {
      case NEW -> vertx.isClustered() ? inCluster(key, kept) : Future.succeededFuture(true);
      case KNOWN -> Future.succeededFuture(false);
      case FULL ->
          Future.failedFuture(
              new IllegalStateException(
                  "this node remembers as many used values as it may, " + most + " for all"));
    };
  }

  /** As {@link #first(String, String, Duration)}, where the owners cannot be told apart. */
  public Future<Boolean> first(String what, Duration within) {
    return first(FairLimit.ANYBODY, what, within);
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

  private synchronized MarkResult mark(String owner, String key, Duration kept) {
    long now = nanos.getAsLong();
    while (!ends.isEmpty() && now - ends.peek().end() >= 0) {
      UsedMark over = ends.remove();
      used.remove(over.key());
      owners.computeIfPresent(over.owner(), (who, has) -> has == 1 ? null : has - 1);
    }
    if (used.contains(key)) {
      return MarkResult.KNOWN;
    }
    if (!FairLimit.admits(owner, owners.getOrDefault(owner, 0), most - used.size())) {
      return MarkResult.FULL;
    }
    used.add(key);
    owners.merge(owner, 1, Integer::sum);
    ends.add(new UsedMark(owner, key, now + kept.toNanos()));
    return MarkResult.NEW;
  }
}
