package dev.mcpbus.cluster.membership;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/**
 * Estimates how long a message from another node was in transit, without synchronized clocks. Every
 * message of a node carries its monotonic clock; the smallest difference to the receiver's clock in
 * the last 10 to 20 minutes is the offset of the two clocks. A later message whose difference is
 * larger was in transit for the excess. So a receiver recognizes messages that lay in the buffers
 * of a cut link or of a paused process. Any thread may call.
 */
public final class ClockOffsets {

  /** Clocks drift apart: a difference older than two such periods is dropped, milliseconds. */
  private static final long BUCKET_MILLIS = 600_000;

  private final LongSupplier clock;
  private final Map<String, Differences> nodes = new ConcurrentHashMap<>();

  /** The smallest differences to one node's clock, in this period and in the period before. */
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

    Differences atLeast(long difference) {
      return new Differences(bucket, Math.max(least, difference), Math.max(before, difference));
    }

    long smallest() {
      return Math.min(least, before);
    }
  }

  /** This process's monotonic clock in milliseconds, as {@link NodeMessages} sends it. */
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
   * Records the clock value of a message that has just arrived.
   *
   * @param theirs the node's clock when it sent the message
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
   * Records that a node had received a clock value of this process when it sent one of its own. The
   * clock of a machine that was suspended stands still meanwhile, and all that its node sends would
   * seem to have been in transit for as long.
   *
   * @param theirs the node's clock when it sent the message
   * @param ours the value of this process's clock that it had received before
   */
  public void answered(String node, long theirs, long ours) {
    nodes.computeIfPresent(node, (key, before) -> before.atLeast(ours - theirs));
  }

  /**
   * How long a message was in transit, in milliseconds: at most the true time, apart from clock
   * drift; 0 where no clock value of the node has arrived yet.
   *
   * @param theirs the node's clock when it sent the message
   */
  public long underWay(String node, long theirs) {
    Differences known = nodes.get(node);
    return known == null ? 0 : Math.max(0, clock.getAsLong() - theirs - known.smallest());
  }
}
