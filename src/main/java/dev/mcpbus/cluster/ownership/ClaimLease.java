package dev.mcpbus.cluster.ownership;

import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * This node's right to act on the claims that it holds. It ends by itself, without a message from
 * another node, when the node can no longer be sure that they are still its own.
 *
 * <p>How: while the other nodes vouch for this one ({@link
 * dev.mcpbus.cluster.membership.QuorumLease}), none of them takes its connections over, and the
 * lease is held, however busy this process is and however long a reading of the claims takes.
 * Without their word, and where no quorum is configured, it is held while two things are true. The
 * claims were read within the last {@code ttlMillis} (20 s by default); {@link #verified} counts
 * from the beginning of the reading. The process was not paused: {@link #tick} runs every 500 ms,
 * and a gap of more than {@code pauseMillis} (4 s by default) means that other nodes may have taken
 * the connections over.
 *
 * <p>A lease that has ended stays ended. Claims are made under its present {@link #life}, and
 * {@link #tick} begins a new life when it finds that the present one may not act any more; it is
 * called before each message that could restore the other nodes' word. So a process that slept
 * through the loss of its connections does not act on them again. A life checks everything at the
 * moment of the call: a process that resumes after a pause refuses its first request, although its
 * own timers have not run yet. The mailbox of each connection calls it before it takes a request.
 *
 * <p>Written on the context of the {@link OwnershipReconciler}; any thread may call a life.
 */
final class ClaimLease {

  /** From the beginning of the lease, or from its last end, to the next end. */
  private final class Life implements BooleanSupplier {
    private volatile boolean ended;

    @Override
    public boolean getAsBoolean() {
      return !ended && mayAct();
    }
  }

  /** What other nodes say of this one; any thread may call. */
  interface PeerVote {

    /** False where a quorum is configured and does not let this node act. */
    boolean allows();

    /** Whether other nodes see this one, so that none takes its connections over. */
    boolean vouches();
  }

  private final LongSupplier clock;
  private final long ttlMillis;
  private final long pauseMillis;
  private final PeerVote peers;
  private volatile long verifiedAt;
  private volatile long tickedAt;
  private volatile Life life = new Life();

  /**
   * @param clock monotonic milliseconds
   * @param ttlMillis how long the lease holds after a reading of the claims
   * @param pauseMillis a longer gap between two ticks means that the process was paused
   */
  ClaimLease(LongSupplier clock, long ttlMillis, long pauseMillis, PeerVote peers) {
    this.clock = clock;
    this.ttlMillis = ttlMillis;
    this.pauseMillis = pauseMillis;
    this.peers = peers;
    this.tickedAt = clock.getAsLong();
    this.verifiedAt = tickedAt - ttlMillis - 1;
  }

  private boolean mayAct() {
    long now = clock.getAsLong();
    return peers.allows()
        && (peers.vouches() || (now - tickedAt <= pauseMillis && now - verifiedAt <= ttlMillis));
  }

  /** True while claims that are made now may be acted on; false for ever after {@link #end}. */
  BooleanSupplier life() {
    return life;
  }

  /**
   * Records that the process runs.
   *
   * @return why the present life has ended, so that the reconciler must stop all connections; null
   *     while it lasts
   */
  @Nullable String tick() {
    long now = clock.getAsLong();
    String why = null;
    if (!peers.allows()) {
      why = "this node sees fewer members than the quorum, or too few of them let it act";
    } else if (!peers.vouches()) {
      if (now - tickedAt > pauseMillis) {
        why = "this process did not run for " + (now - tickedAt) / 1_000 + " s";
      } else if (now - verifiedAt > ttlMillis) {
        why = "the claims could not be read for " + (now - verifiedAt) / 1_000 + " s";
      }
    }
    tickedAt = now;
    if (why != null) {
      end();
    }
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

  long millisSinceReading() {
    return clock.getAsLong() - verifiedAt;
  }

  /** Ends the present life. Without the word of other nodes the next one begins with a reading. */
  void end() {
    life.ended = true;
    life = new Life();
    verifiedAt = clock.getAsLong() - ttlMillis - 1;
  }
}
