package dev.mcpbus.cluster.membership;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/**
 * How long messages of other nodes were under way, though clocks do not agree. Each node tells the
 * time of its monotonic clock again and again; the fastest of these facts shows by how much the
 * clocks differ, and what took longer was under way. A message that lay in the buffers of a cut
 * link, or of a process that did not run, is known by that. Any thread may call.
 */
public final class ClockOffsets {

  /** Clocks drift: what is older than two of these is forgotten. */
  private static final long BUCKET_MILLIS = 600_000;

  private final LongSupplier clock;
  private final Map<String, Differences> nodes = new ConcurrentHashMap<>();

  /** The least differences to one node's clock, of this bucket of time and the one before. */
  private record Differences(long bucket, long least, long before) {

    static Differences first(long bucket, long difference) {
      return new Differences(bucket, difference, Long.MAX_VALUE);
    }

    Differences with(long now, long difference) {
      if (now == bucket) {
        return new Differences(bucket, Math.min(least, difference), before);
      }
      return new Differences(now, difference, now == bucket + 1 ? least : Long.MAX_VALUE);
    }

    long smallest() {
      return Math.min(least, before);
    }
  }

  /** Monotonic milliseconds, as nodes tell each other. */
  public static long clock() {
    return System.nanoTime() / 1_000_000;
  }

  /**
   * @param clock monotonic milliseconds
   */
  public ClockOffsets(LongSupplier clock) {
    this.clock = clock;
  }

  public long now() {
    return clock.getAsLong();
  }

  /**
   * A fact of a node has arrived.
   *
   * @param theirs the node's clock when it sent the fact
   */
  public void heard(String node, long theirs) {
    long now = clock.getAsLong();
    long bucket = Math.floorDiv(now, BUCKET_MILLIS);
    long difference = now - theirs;
    nodes.compute(
        node,
        (key, before) ->
            before == null
                ? Differences.first(bucket, difference)
                : before.with(bucket, difference));
  }

  /**
   * Milliseconds, never more than it was but for the drift of clocks; 0 where the node's clock is
   * not known yet.
   *
   * @param theirs the node's clock when it sent the message
   */
  public long underWay(String node, long theirs) {
    Differences known = nodes.get(node);
    return known == null ? 0 : Math.max(0, clock.getAsLong() - theirs - known.smallest());
  }
}
