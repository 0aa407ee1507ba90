package dev.mcpbus.replicas;

import dev.mcpbus.bus.ConnectionState;
import dev.mcpbus.bus.ReplicaId;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Duration;

/**
 * Decides when a replica may be replaced after its server's definition changed: one after the
 * other, by number, so that the others serve meanwhile. Each owner asks for its own replica and
 * watches what the others announce; {@link RollingRestart}, which one node carries out for all,
 * sends commands instead. Runs on the caller's context.
 */
public record ReplicaReplacementOrder(Vertx vertx, ReplicaPeers peers) {

  private static final Duration CHECK_INTERVAL = Duration.ofMillis(100);

  /**
   * A replica that never becomes ready under the new definition must not keep the others on the old
   * one for ever.
   */
  private static final Duration MAX_WAIT = Duration.ofSeconds(60);

  /**
   * Succeeds when all replicas with a lower number run {@code version}, at the latest after one
   * minute.
   */
  public Future<Void> mayReplace(ReplicaId replica, String version) {
    return check(replica, version, MAX_WAIT.dividedBy(CHECK_INTERVAL));
  }

  private Future<Void> check(ReplicaId replica, String version, long checksLeft) {
    boolean ready =
        peers.of(replica.server()).stream()
            .filter(one -> one.replica().number() < replica.number())
            .allMatch(one -> hasTaken(one, version));
    if (ready || checksLeft <= 0) {
      return Future.succeededFuture();
    }
    Promise<Void> over = Promise.promise();
    vertx.setTimer(CHECK_INTERVAL.toMillis(), now -> over.complete());
    return over.future().compose(now -> check(replica, version, checksLeft - 1));
  }

  /** An {@code IDLE} replica counts as replaced: it has no session that could be lost. */
  private static boolean hasTaken(ReplicaOwner one, String version) {
    return one.version().equals(version) && (one.serves() || one.state() == ConnectionState.IDLE);
  }
}
