package dev.mcpbus.cluster.ownership;

import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * This node's right to act on the claims that it holds. It lasts only while the node keeps
 * verifying those claims, and it ends by itself, without a message from another node, when the node
 * can no longer be sure that they are still its own.
 *
 * <p>How: the lease is held while three things are true. The claims were read within the last
 * {@code ttlMillis} (20 s by default); {@link #verified} counts from the beginning of the reading,
 * so a slow reading does not prolong the lease. The process was not paused: {@link #tick} runs
 * every 500 ms, and a gap of more than {@code pauseMillis} (4 s by default) means that other nodes
 * may have taken the connections over. The node holds the {@link
 * dev.mcpbus.cluster.membership.QuorumLease quorum lease}.
 *
 * <p>{@link #isHeld} checks all three at the moment of the call. So a process that resumes after a
 * pause refuses its first request, although its own timers have not run yet. The mailbox of each
 * connection calls it before it takes a request. Written on the context of the {@link
 * OwnershipReconciler}; any thread may call {@link #isHeld}.
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
   * @param ttlMillis how long the lease holds after a reading of the claims
   * @param pauseMillis a longer gap between two ticks means that the process was paused
   * @param quorum true while the node holds the quorum lease, or needs none; called on any thread
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
   * Records that the process runs.
   *
   * @return why the lease ended since the last tick, so that the reconciler must stop all
   *     connections; null while it is held
   */
  @Nullable String tick() {
    long now = clock.getAsLong();
    String why = null;
    if (now - tickedAt > pauseMillis) {
      why = "this process did not run for " + (now - tickedAt) / 1_000 + " s";
    } else if (now - verifiedAt > ttlMillis) {
      why = "the claims could not be read for " + (now - verifiedAt) / 1_000 + " s";
    } else if (!quorum.getAsBoolean()) {
      why = "this node sees fewer members than the quorum, or too few of them let it act";
    }
    tickedAt = now;
    return why;
  }

  /**
   * Records that the claims were read and this node acts by them.
   *
   * @param at when the reading began, by the clock of this lease
   */
  void verified(long at) {
    verifiedAt = at;
  }

  /** Ends the lease at once, until the claims are read again. */
  void end() {
    verifiedAt = clock.getAsLong() - ttlMillis - 1;
  }
}
