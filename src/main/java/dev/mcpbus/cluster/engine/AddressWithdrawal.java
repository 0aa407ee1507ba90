package dev.mcpbus.cluster.engine;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.spi.cluster.ClusterManager;
import io.vertx.core.spi.cluster.RegistrationInfo;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * Removes addresses of this node from the cluster's registrations while their consumers go on.
 * Vert.x does both at once, and silently drops what other nodes send before they notice the
 * removal: their callers would get no answer. Runs on the caller's context; called before a
 * connection is handed over.
 */
public final class AddressWithdrawal {

  /** A cluster manager that can do it. */
  interface Withdrawing {
    Future<Void> withdraw(Collection<String> addresses);
  }

  /** How long other nodes may take to notice the removal. */
  private static final Duration PROPAGATION = Duration.ofMillis(200);

  private final VertxInternal vertx;

  public AddressWithdrawal(Vertx vertx) {
    this.vertx = (VertxInternal) vertx;
  }

  /** Succeeds when no other node sends to the addresses any more; never fails. */
  public Future<Void> withdraw(Collection<String> addresses) {
    ClusterManager cluster = vertx.clusterManager();
    if (cluster == null) {
      return Future.succeededFuture();
    }
    return withdraw(cluster, addresses)
        .otherwiseEmpty()
        .compose(
            done -> {
              Promise<Void> propagated = vertx.promise();
              vertx.setTimer(PROPAGATION.toMillis(), now -> propagated.complete());
              return propagated.future();
            });
  }

  private Future<Void> withdraw(ClusterManager cluster, Collection<String> addresses) {
    if (cluster instanceof Withdrawing ours) {
      Promise<Void> gone = vertx.promise();
      ours.withdraw(addresses).onComplete(gone);
      return gone.future();
    }
    return Future.join(addresses.stream().map(one -> withdraw(cluster, one)).toList()).mapEmpty();
  }

  private Future<Void> withdraw(ClusterManager cluster, String address) {
    Promise<List<RegistrationInfo>> registered = vertx.promise();
    cluster.getRegistrations(address, registered);
    return registered
        .future()
        .compose(
            all -> {
              List<Future<Void>> removed = new ArrayList<>();
              for (RegistrationInfo one : all == null ? List.<RegistrationInfo>of() : all) {
                if (one.nodeId().equals(cluster.getNodeId()) && !one.localOnly()) {
                  Promise<Void> done = vertx.promise();
                  cluster.removeRegistration(address, one, done);
                  removed.add(done.future());
                }
              }
              return Future.join(removed).mapEmpty();
            });
  }
}
