package dev.mcpbus.replicas;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.ConnectionState;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.Headers;
import dev.mcpbus.bus.McpFailure;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import io.vertx.core.json.JsonObject;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Restarts the replicas of a server one after the other. A replica that served before must serve
 * again before the next one restarts; where it does not within a minute, or where a caller
 * disconnects the server meanwhile, the remaining replicas are not restarted. Confined to the
 * context of its callers.
 */
final class RollingRestart {

  private static final Logger LOG = LoggerFactory.getLogger(RollingRestart.class);
  private static final long REPLY_MILLIS = 1_000;
  private static final long CHECK_MILLIS = 100;
  private static final int MAX_CHECKS = 600;

  private final Vertx vertx;
  private final ReplicaPeers replicas;
  private final ConnectionId server;
  private Future<Void> last = Future.succeededFuture();
  private @Nullable Future<Void> next;

  /** How often the server was disconnected: now, and before the last request to restart it. */
  private int disconnects;

  private int disconnectsBefore;

  RollingRestart(Vertx vertx, ReplicaPeers replicas, ConnectionId server) {
    this.vertx = vertx;
    this.replicas = replicas;
    this.server = server;
  }

  /**
   * Begins at once; while a rolling restart runs, after it, and then once for all that ask
   * meanwhile.
   *
   * @return completes when all are restarted; fails with the reason where they are not
   */
  Future<Void> begin() {
    disconnectsBefore = disconnects;
    Future<Void> planned = next;
    if (planned != null) {
      return planned;
    }
    if (last.isComplete()) {
      last = round();
      return last;
    }
    planned =
        last.transform(
            over -> {
              next = null;
              last = round();
              return last;
            });
    next = planned;
    return planned;
  }

  /** A caller disconnects the server: no replica is restarted until the next request. */
  void disconnected() {
    disconnects++;
  }

  private Future<Void> round() {
    int before = disconnectsBefore;
    Future<Void> all = Future.succeededFuture();
    for (ReplicaOwner one : replicas.of(server)) {
      all = all.compose(restarted -> restart(one, before));
    }
    return all.onFailure(
        failure ->
            LOG.warn(
                "{}: the rolling restart stops here, the remaining replicas are not restarted: {}",
                server,
                failure.toString()));
  }

  private <T> Future<T> failed(String why) {
    return Future.failedFuture(
        McpFailure.notSent(FailureCode.UNAVAILABLE, "connection '" + server + "': " + why));
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

  private Future<Void> restart(ReplicaOwner one, int before) {
    if (disconnects > before) {
      return failed("a caller disconnected it");
    }
    return send(one, Addresses.STATUS)
        .compose(
            status ->
                send(one, Addresses.RESTART)
                    .compose(
                        accepted ->
                            serves(status)
                                ? serving(one, status.getLong("epoch"), before, MAX_CHECKS)
                                : Future.succeededFuture()))
        .recover(failure -> owned(one) ? Future.failedFuture(failure) : Future.succeededFuture());
  }

  private boolean owned(ReplicaOwner one) {
    return replicas.of(server).stream()
        .anyMatch(now -> now.replica().equals(one.replica()) && now.node().equals(one.node()));
  }

  private Future<Void> serving(ReplicaOwner one, long epoch, int before, int checksLeft) {
    if (disconnects > before) {
      return failed("a caller disconnected it");
    }
    if (checksLeft == 0) {
      return failed("replica " + one.replica().number() + " does not come back");
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
              return back ? Future.succeededFuture() : serving(one, epoch, before, checksLeft - 1);
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
