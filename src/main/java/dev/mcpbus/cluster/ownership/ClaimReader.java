package dev.mcpbus.cluster.ownership;

import dev.mcpbus.cluster.membership.ClusterMembers;
import dev.mcpbus.cluster.membership.ClusterNode;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the nodes and the claims for the reconciler, with a time-out that adapts, and logs once
 * when they cannot be read. Confined to the context of its {@link OwnershipReconciler}.
 */
final class ClaimReader {

  private static final Logger LOG = LoggerFactory.getLogger(ClaimReader.class);

  private static final long MIN_TIMEOUT_MILLIS = 500;

  /** The reading exceeded its time-out; the reconciler repeats it at once. */
  static final class TooLate extends Exception {
    private static final long serialVersionUID = 1;

    TooLate(long millis) {
      super("no answer in " + millis + " ms");
    }
  }

  /**
   * What was read.
   *
   * @param opening members that will own connections in a moment
   */
  record Reading(
      List<ClusterNode> nodes, List<ClusterNode> opening, Map<String, OwnershipClaim> claims) {}

  private final Vertx vertx;
  private final ClusterMembers members;
  private final ClaimStore claims;

  /**
   * The highest epoch that was ever read, by claim: the map may lose a claim, and epochs must rise.
   */
  private final Map<String, Long> highest = new HashMap<>();

  /**
   * How long the next reading may take, milliseconds. A request to a lost node, or over a cut link,
   * returns late or never, while the same request sent again may succeed at once. So the reader
   * abandons a reading at this time-out, and doubles it until a reading succeeds.
   */
  private long timeoutMillis = MIN_TIMEOUT_MILLIS;

  /** The cause that was logged when reading failed; null after a successful reading. */
  private @Nullable String loggedProblem;

  /** Whether a reading has succeeded: until then a node waits for the others of a start. */
  private boolean started;

  ClaimReader(Vertx vertx, ClusterMembers members, ClaimStore claims) {
    this.vertx = vertx;
    this.members = members;
    this.claims = claims;
  }

  /** Resets the time-out: the nodes have changed, so the next reading may be fast again. */
  void resetTimeout() {
    timeoutMillis = MIN_TIMEOUT_MILLIS;
  }

  /**
   * Reads nodes and claims once.
   *
   * @return fails with {@link TooLate} after the time-out
   */
  Future<Reading> next() {
    return withTimeout(
            members
                .nodes()
                .compose(
                    present ->
                        claims.all().map(all -> new Reading(present, members.opening(), all))))
        .onSuccess(this::read)
        .onFailure(this::unreadable);
  }

  private void read(Reading reading) {
    timeoutMillis = Math.max(MIN_TIMEOUT_MILLIS, timeoutMillis / 2);
    started = true;
    reading.claims().forEach((id, claim) -> highest.merge(id, claim.epoch(), Math::max));
    if (loggedProblem != null) {
      loggedProblem = null;
      LOG.info("this node can read the claims again");
    }
  }

  private void unreadable(Throwable cause) {
    if (cause instanceof TooLate) {
      timeoutMillis *= 2; // a large map takes longer to read
      return;
    }
    boolean quorumLost = members.isQuorumLost(cause);
    String why = quorumLost ? "fewer nodes than the quorum are members" : cause.toString();
    if (why.equals(loggedProblem)) {
      return;
    }
    loggedProblem = why;
    if (quorumLost && !started) {
      LOG.info("this node waits for other nodes before it claims connections: {}", why);
    } else {
      LOG.warn("this node cannot read the claims, and claims no connection until it can: {}", why);
    }
  }

  private Future<Reading> withTimeout(Future<Reading> reading) {
    long millis = timeoutMillis;
    Promise<Reading> result = Promise.promise();
    long timer = vertx.setTimer(millis, late -> result.tryFail(new TooLate(millis)));
    reading.onComplete(result::tryComplete, result::tryFail);
    return result.future().onComplete(over -> vertx.cancelTimer(timer));
  }

  /** The highest epoch of a claim that was ever read; 0 where there was none. */
  long highest(String key) {
    return highest.getOrDefault(key, 0L);
  }
}
