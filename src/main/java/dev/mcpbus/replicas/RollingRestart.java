package dev.mcpbus.replicas;

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
 * Restarts the replicas of a server one after the other. A replica that served before must serve
 * again before the next one restarts; where it does not within a minute, the remaining replicas are
 * not restarted. Owner thread: the connection's context.
 */
final class RollingRestart {

  private static final Logger LOG = LoggerFactory.getLogger(RollingRestart.class);
  private static final long REPLY_MILLIS = 1_000;
  private static final long CHECK_MILLIS = 100;
  private static final int MAX_CHECKS = 600;

  private final Vertx vertx;
  private final ReplicaPeers replicas;
  private final ConnectionId server;
  private boolean running;

  RollingRestart(Vertx vertx, ReplicaPeers replicas, ConnectionId server) {
    this.vertx = vertx;
    this.replicas = replicas;
    this.server = server;
  }

  /** Does nothing while a rolling restart runs. */
  void begin() {
    if (running) {
      return;
    }
    running = true;
    Future<Void> all = Future.succeededFuture();
    for (ReplicaOwner one : replicas.of(server)) {
      all = all.compose(next -> restart(one));
    }
    all.onComplete(
        done -> running = false,
        failure -> {
          running = false;
          LOG.warn(
              "{}: the rolling restart stops here, the remaining replicas are not restarted: {}",
              server,
              failure.toString());
        });
  }

  private Future<JsonObject> send(ReplicaOwner one, String suffix) {
    return replicas
        .<JsonObject>request(
            one,
            suffix,
            new JsonObject(),
            new DeliveryOptions().setSendTimeout(REPLY_MILLIS).addHeader(Headers.ALONE, "true"))
        .map(Message::body);
  }

  private Future<Void> restart(ReplicaOwner one) {
    return send(one, Addresses.STATUS)
        .compose(
            before ->
                send(one, Addresses.RESTART)
                    .compose(
                        accepted ->
                            serves(before)
                                ? serving(one, before.getLong("epoch"), MAX_CHECKS)
                                : Future.succeededFuture()))
        .recover(failure -> owned(one) ? Future.failedFuture(failure) : Future.succeededFuture());
  }

  private boolean owned(ReplicaOwner one) {
    return replicas.of(server).stream()
        .anyMatch(now -> now.replica().equals(one.replica()) && now.node().equals(one.node()));
  }

  private Future<Void> serving(ReplicaOwner one, long epoch, int checksLeft) {
    if (checksLeft == 0) {
      return Future.failedFuture("replica " + one.replica().number() + " does not come back");
    }
    return pause()
        .compose(now -> send(one, Addresses.STATUS))
        .transform(
            status -> {
              if (status.failed() && !owned(one)) {
                return Future.succeededFuture(); // another node owns it now, or none does
              }
              boolean back =
                  status.succeeded()
                      && status.result().getLong("epoch") > epoch
                      && serves(status.result());
              return back ? Future.succeededFuture() : serving(one, epoch, checksLeft - 1);
            });
  }

  private static boolean serves(JsonObject status) {
    return ConnectionState.valueOf(status.getString("state")).serves();
  }

  private Future<Void> pause() {
    Promise<Void> over = Promise.promise();
    vertx.setTimer(CHECK_MILLIS, now -> over.complete());
    return over.future();
  }
}
