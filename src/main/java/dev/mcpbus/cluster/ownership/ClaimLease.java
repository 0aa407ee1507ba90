package dev.mcpbus.cluster.ownership;

import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Whether this node may still act on its claims. Ends by itself: where the claims could not be
 * verified for too long, where the node hears too few others, and where it has slept. Written by
 * its owner's context, read by any thread.
 */
final class ClaimLease {

  private final LongSupplier clock;
  private final long ttlMillis;
  private final long pauseMillis;
  private final BooleanSupplier quorum;
  private volatile long verifiedAt;
  private volatile long tickedAt;

  /**
   * @param clock monotonic milliseconds
   * @param ttlMillis how long a verification holds
   * @param pauseMillis a longer silence of the ticks means that the process did not run
   * @param quorum whether enough nodes are heard
   */
  ClaimLease(LongSupplier clock, long ttlMillis, long pauseMillis, BooleanSupplier quorum) {
    this.clock = clock;
    this.ttlMillis = ttlMillis;
    this.pauseMillis = pauseMillis;
    this.quorum = quorum;
    long now = clock.getAsLong();
    this.tickedAt = now;
    this.verifiedAt = now - ttlMillis - 1;
  }

  boolean isHeld() {
    long now = clock.getAsLong();
    return now - tickedAt <= pauseMillis && now - verifiedAt <= ttlMillis && quorum.getAsBoolean();
  }

  /**
   * The process runs.
   *
   * @return why the lease has ended meanwhile, so that what it covered must be given up; null where
   *     it has not
   */
  @Nullable String tick() {
    long now = clock.getAsLong();
    String why = null;
    if (now - tickedAt > pauseMillis) {
      why = "this process did not run for " + (now - tickedAt) / 1_000 + " s";
    } else if (now - verifiedAt > ttlMillis) {
      why = "the claims could not be read for " + (now - verifiedAt) / 1_000 + " s";
    } else if (!quorum.getAsBoolean()) {
      why = "this node sees or hears fewer nodes than the quorum";
    }
    tickedAt = now;
    return why;
  }

  /**
   * The claims were read.
   *
   * @param at when the reading began
   */
  void verified(long at) {
    verifiedAt = at;
  }

  /** The claims may be another's. */
  void end() {
    verifiedAt = clock.getAsLong() - ttlMillis - 1;
  }
}
