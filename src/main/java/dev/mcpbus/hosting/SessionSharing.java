package dev.mcpbus.hosting;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.SharingMessage;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What private connections have to do with the connection of the same server that all callers
 * share. A server that refuses a client's own session twice, while the shared one is there, takes
 * one session only: the shared connection keeps that in mind and says who may use it. Where the
 * server gives a client its own, the shared connection may rest. In a cluster that holds where both
 * are on one node. Confined to the context of {@link ServersVerticle}.
 */
final class SessionSharing {

  private static final Logger LOG = LoggerFactory.getLogger(SessionSharing.class);

  private static final DeliveryOptions LOCAL =
      new DeliveryOptions().setLocalOnly(true).setSendTimeout(2_000);

  /** One failure may pass; the second start follows by the restart policy. */
  private static final int REFUSALS = 2;

  /** A lease is given after this time, whatever becomes of the start, milliseconds. */
  private static final long PATIENCE_MILLIS = 20_000;

  /** A client that comes back within this time finds the shared connection still at rest. */
  static final long PAUSE_MILLIS = 10_000;

  private static final class PrivateStart {
    final String owner;
    final Promise<SharingMessage.SharingAnswer> answer = Promise.promise();
    int refusals;

    PrivateStart(String owner) {
      this.owner = owner;
    }
  }

  private final Vertx vertx;
  private final Context context;
  private final Predicate<ConnectionId> isServed;
  private final long pauseMillis;
  private final Map<ConnectionId, PrivateStart> starts = new HashMap<>();

  /**
   * @param isServed whether there is a private connection to a server
   * @param pauseMillis between the end of the last one and the end of the rest
   */
  SessionSharing(Vertx vertx, Predicate<ConnectionId> isServed, long pauseMillis) {
    this.vertx = vertx;
    this.context = vertx.getOrCreateContext();
    this.isServed = isServed;
    this.pauseMillis = pauseMillis;
  }

  /** What the shared connection of a server says; never fails. */
  Future<SharingMessage.SharingAnswer> ask(ConnectionId server, SharingMessage message) {
    return vertx
        .eventBus()
        .<SharingMessage.SharingAnswer>request(
            Addresses.of(server, Addresses.CONTROL), message, LOCAL)
        .map(Message::body)
        .otherwise(SharingMessage.SharingAnswer.NONE);
  }

  /**
   * Completes when it is known what becomes of a private connection that starts, beside a shared
   * one that has a session: with {@code NONE} unless the server takes one session only.
   *
   * @param owner the name of the client's principal
   */
  Future<SharingMessage.SharingAnswer> start(ConnectionId id, String owner) {
    PrivateStart start = new PrivateStart(owner);
    starts.put(id, start);
    long timer =
        vertx.setTimer(PATIENCE_MILLIS, late -> decided(id, SharingMessage.SharingAnswer.NONE));
    return start.answer.future().onComplete(done -> vertx.cancelTimer(timer));
  }

  /** What a private connection reports of its starts; any thread. */
  Consumer<@Nullable McpFailure> outcome(ConnectionId server, ConnectionId id) {
    return failure -> context.runOnContext(now -> outcome(server, id, failure));
  }

  private void outcome(ConnectionId server, ConnectionId id, @Nullable McpFailure failure) {
    PrivateStart start = starts.get(id);
    if (failure == null && isServed.test(server)) {
      ask(server, new SharingMessage.Served());
    }
    if (start == null) {
      return;
    }
    if (failure == null || failure.code() != FailureCode.HANDSHAKE_FAILED) {
      decided(id, SharingMessage.SharingAnswer.NONE);
    } else if (++start.refusals == REFUSALS) {
      ask(server, new SharingMessage.RefusedTwice(start.owner))
          .onSuccess(
              answer -> {
                if (answer.one()) {
                  LOG.warn(
                      "server '{}' takes one session only, so clients share it: {}",
                      server,
                      failure.getMessage());
                }
                decided(id, answer);
              });
    }
  }

  private void decided(ConnectionId id, SharingMessage.SharingAnswer answer) {
    PrivateStart start = starts.remove(id);
    if (start != null) {
      start.answer.complete(answer);
    }
  }

  /** A private connection has ended. */
  void ended(ConnectionId server, ConnectionId id) {
    decided(id, SharingMessage.SharingAnswer.NONE);
    if (!isServed.test(server)) {
      vertx.setTimer(pauseMillis, over -> wake(server));
    }
  }

  private void wake(ConnectionId server) {
    if (!isServed.test(server)) {
      ask(server, new SharingMessage.Unserved());
    }
  }
}
