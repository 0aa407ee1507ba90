package dev.mcpbus.cluster;

import dev.mcpbus.bus.ConnectionState;
import dev.mcpbus.bus.ReplicaId;
import dev.mcpbus.cluster.routing.ClusterRequests;
import dev.mcpbus.cluster.routing.ReplicaOwner;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Duration;

/** When a replica may be made anew of a changed definition. */
final class ReplicaReplacementOrder {

  private static final Duration LOOK = Duration.ofMillis(100);

  /** What never comes up under the new definition must not keep the old one for ever. */
  private static final Duration MOST = Duration.ofSeconds(60);

  private final Vertx vertx;

  ReplicaReplacementOrder(Vertx vertx) {
    this.vertx = vertx;
  }

  /** Succeeds when all before it serve under {@code version}, at the latest after a minute. */
  Future<Void> mayReplace(ReplicaId replica, String version) {
    return look(replica, version, MOST.dividedBy(LOOK));
  }

  private Future<Void> look(ReplicaId replica, String version, long looks) {
    boolean ready =
        ClusterRequests.of(vertx).replicas().of(replica.server()).stream()
            .filter(one -> one.replica().number() < replica.number())
            .allMatch(one -> hasTaken(one, version));
    if (ready || looks <= 0) {
      return Future.succeededFuture();
    }
    Promise<Void> over = Promise.promise();
    vertx.setTimer(LOOK.toMillis(), now -> over.complete());
    return over.future().compose(now -> look(replica, version, looks - 1));
  }

  /** One that nobody has woken has no session that could be lost. */
  private static boolean hasTaken(ReplicaOwner one, String version) {
    return one.version().equals(version) && (one.serves() || one.state() == ConnectionState.IDLE);
  }
}
