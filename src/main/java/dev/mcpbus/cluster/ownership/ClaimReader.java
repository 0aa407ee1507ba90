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
 * Reads nodes and claims, and says in the log when that is not possible, once. Confined to the
 * context of its {@link OwnershipReconciler}.
 */
final class ClaimReader {

  private static final Logger LOG = LoggerFactory.getLogger(ClaimReader.class);

  private static final long LEAST_PATIENCE_MILLIS = 500;

  /** It should be read again at once. */
  static final class TooLate extends Exception {
    private static final long serialVersionUID = 1;

    TooLate(long millis) {
      super("no answer in " + millis + " ms");
    }
  }

  record Reading(List<ClusterNode> nodes, Map<String, OwnershipClaim> claims) {}

  private final Vertx vertx;
  private final ClusterMembers members;
  private final ClaimStore claims;

  /** The highest epoch of each that was ever read: the map may lose a claim, epochs must rise. */
  private final Map<String, Long> highest = new HashMap<>();

  /**
   * How long a reading may take, milliseconds. What is asked of a node that is lost, or over a link
   * that is cut, comes back late or never, though the same question asked anew may be answered at
   * once. So each is given up, the next one after twice as long, until one has come back.
   */
  private long patience = LEAST_PATIENCE_MILLIS;

  /** Why nothing can be read, as it was logged; null while all is well. */
  private @Nullable String trouble;

  ClaimReader(Vertx vertx, ClusterMembers members, ClaimStore claims) {
    this.vertx = vertx;
    this.members = members;
    this.claims = claims;
  }

  /** Who is there has changed: what took long before need not any more. */
  void readNow() {
    patience = LEAST_PATIENCE_MILLIS;
  }

  /**
   * What the cluster says now.
   *
   * @return fails with {@link TooLate} where it takes long
   */
  Future<Reading> next() {
    return patiently(
            members.nodes().compose(present -> claims.all().map(all -> new Reading(present, all))))
        .onSuccess(this::read)
        .onFailure(this::unreadable);
  }

  private void read(Reading reading) {
    patience = Math.max(LEAST_PATIENCE_MILLIS, patience / 2);
    reading.claims().forEach((id, claim) -> highest.merge(id, claim.epoch(), Math::max));
    if (trouble != null) {
      trouble = null;
      LOG.info("the claims can be read again");
    }
  }

  private void unreadable(Throwable cause) {
    if (cause instanceof TooLate) {
      patience *= 2; // what is big takes long
      return;
    }
    String why =
        members.isQuorumLost(cause) ? "fewer nodes than the quorum are members" : cause.toString();
    if (!why.equals(trouble)) {
      trouble = why;
      LOG.warn("the claims cannot be read, nothing is taken over here until they can: {}", why);
    }
  }

  private Future<Reading> patiently(Future<Reading> reading) {
    long millis = patience;
    Promise<Reading> soon = Promise.promise();
    long timer = vertx.setTimer(millis, late -> soon.tryFail(new TooLate(millis)));
    reading.onComplete(soon::tryComplete, soon::tryFail);
    return soon.future().onComplete(over -> vertx.cancelTimer(timer));
  }

  /** The highest epoch of a claim that was ever read; 0 where there was none. */
  long highest(String key) {
    return highest.getOrDefault(key, 0L);
  }
}
