package dev.mcpbus.cluster.routing;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.ConnectionState;
import dev.mcpbus.bus.Headers;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import io.vertx.core.json.JsonObject;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Restarts the replicas of a server, each when the one before serves again, if it did. Where one
 * does not come back the others are left alone. Owner: the connection's context.
 */
final class RollingRestart {

  private static final Logger LOG = LoggerFactory.getLogger(RollingRestart.class);
  private static final long ASK_MILLIS = 1_000;
  private static final long LOOK_MILLIS = 100;
  private static final int LOOKS = 600;

  private final Vertx vertx;
  private final ReplicaRouting replicas;
  private final ConnectionId server;
  private boolean rolling;

  RollingRestart(Vertx vertx, ReplicaRouting replicas, ConnectionId server) {
    this.vertx = vertx;
    this.replicas = replicas;
    this.server = server;
  }

  /** Does nothing where it is under way. */
  void begin() {
    if (rolling) {
      return;
    }
    rolling = true;
    Future<Void> all = Future.succeededFuture();
    for (ReplicaOwner one : replicas.of(server)) {
      all = all.compose(next -> restart(one));
    }
    all.onComplete(
        done -> rolling = false,
        failure -> {
          rolling = false;
          LOG.warn(
              "{}: its replicas are not restarted any further: {}", server, failure.toString());
        });
  }

  private Future<JsonObject> ask(ReplicaOwner one, String suffix) {
    return replicas
        .<JsonObject>request(
            one,
            suffix,
            new JsonObject(),
            new DeliveryOptions().setSendTimeout(ASK_MILLIS).addHeader(Headers.ALONE, "true"))
        .map(Message::body);
  }

  private Future<Void> restart(ReplicaOwner one) {
    return ask(one, Addresses.STATUS)
        .compose(
            before ->
                ask(one, Addresses.RESTART)
                    .compose(
                        told ->
                            serves(before)
                                ? serving(one, before.getLong("epoch"), LOOKS)
                                : Future.succeededFuture()))
        .recover(failure -> owned(one) ? Future.failedFuture(failure) : Future.succeededFuture());
  }

  private boolean owned(ReplicaOwner one) {
    return replicas.of(server).stream()
        .anyMatch(now -> now.replica().equals(one.replica()) && now.node().equals(one.node()));
  }

  private Future<Void> serving(ReplicaOwner one, long epoch, int looks) {
    if (looks == 0) {
      return Future.failedFuture("replica " + one.replica().number() + " does not come back");
    }
    return pause()
        .compose(now -> ask(one, Addresses.STATUS))
        .transform(
            status -> {
              if (status.failed() && !owned(one)) {
                return Future.succeededFuture(); // another node has it, or nobody
              }
              boolean back =
                  status.succeeded()
                      && status.result().getLong("epoch") > epoch
                      && serves(status.result());
              return back ? Future.succeededFuture() : serving(one, epoch, looks - 1);
            });
  }

  private static boolean serves(JsonObject status) {
    return ConnectionState.valueOf(status.getString("state")).serves();
  }

  private Future<Void> pause() {
    Promise<Void> over = Promise.promise();
    vertx.setTimer(LOOK_MILLIS, now -> over.complete());
    return over.future();
  }
}
