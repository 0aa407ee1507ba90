package dev.mcpbus.hosting;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.SharingMessage;
import dev.mcpbus.connection.options.PrivateConnection.StartOutcome;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What private connections have to do with the connection of the same server that all callers
 * share. A server that refuses a client's own session twice, a second apart, while the shared one
 * is there and no client has its own, takes one session only: the shared connection keeps that in
 * mind and says who may use it. Where the server gives a client its own, the shared connection may
 * rest. In a cluster that holds where both are on one node. Confined to the context of {@link
 * ServersVerticle}.
 */
final class SessionSharing {

  private static final Logger LOG = LoggerFactory.getLogger(SessionSharing.class);

  private static final DeliveryOptions LOCAL =
      new DeliveryOptions().setLocalOnly(true).setSendTimeout(2_000);

  /**
   * One failure may pass, and so may all within this time of it, as in a deploy. The starts follow
   * by the restart policy.
   */
  static final long APART_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** A lease is given after this time, whatever becomes of the start, milliseconds. */
  private static final long PATIENCE_MILLIS = 20_000;

  /** A client that comes back within this time finds the shared connection still at rest. */
  static final long PAUSE_MILLIS = 10_000;

  private static final class PrivateStart {
    final String owner;
    final Promise<SharingMessage.SharingAnswer> answer = Promise.promise();
    final boolean usual;

    /** When the server refused it first, on {@link #nanos}; null before. */
    @Nullable Long refused;

    PrivateStart(String owner, boolean usual) {
      this.owner = owner;
      this.usual = usual;
    }
  }

  private final Vertx vertx;
  private final Context context;
  private final Predicate<ConnectionId> isServed;
  private final long pauseMillis;
  private final LongSupplier nanos;
  private final Map<ConnectionId, PrivateStart> starts = new HashMap<>();

  /** The private connections that have not ended, of which those in {@link #ready} are some. */
  private final Set<ConnectionId> present = new HashSet<>();

  /** Those that have a session, each with its server. */
  private final Map<ConnectionId, ConnectionId> ready = new HashMap<>();

  /**
   * @param isServed whether there is a private connection to a server
   * @param pauseMillis between the end of the last one and the end of the rest
   */
  SessionSharing(Vertx vertx, Predicate<ConnectionId> isServed, long pauseMillis) {
    this(vertx, isServed, pauseMillis, System::nanoTime);
  }

  /**
   * @param nanos a clock that never goes back
   */
  SessionSharing(
      Vertx vertx, Predicate<ConnectionId> isServed, long pauseMillis, LongSupplier nanos) {
    this.vertx = vertx;
    this.context = vertx.getOrCreateContext();
    this.isServed = isServed;
    this.pauseMillis = pauseMillis;
    this.nanos = nanos;
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
   * @param usual whether no server has a reason to refuse what the client states
   */
  Future<SharingMessage.SharingAnswer> start(ConnectionId id, String owner, boolean usual) {
    PrivateStart start = new PrivateStart(owner, usual);
    starts.put(id, start);
    long timer =
        vertx.setTimer(PATIENCE_MILLIS, late -> decided(id, SharingMessage.SharingAnswer.NONE));
    return start.answer.future().onComplete(done -> vertx.cancelTimer(timer));
  }

  /** What a private connection reports of its starts, on any thread; for one that begins. */
  StartOutcome outcome(ConnectionId server, ConnectionId id) {
    present.add(id);
    return (failure, refused) -> context.runOnContext(now -> outcome(server, id, failure, refused));
  }

  private void outcome(
      ConnectionId server, ConnectionId id, @Nullable McpFailure failure, boolean refused) {
    PrivateStart start = starts.get(id);
    if (failure != null) {
      ready.remove(id);
    } else if (present.contains(id)) {
      ready.put(id, server);
      ask(server, new SharingMessage.Served());
    }
    if (start == null) {
      return;
    }
    if (failure == null || !refused || !start.usual || ready.containsValue(server)) {
      decided(id, SharingMessage.SharingAnswer.NONE);
    } else if (start.refused == null) {
      start.refused = nanos.getAsLong();
    } else if (nanos.getAsLong() - start.refused >= APART_NANOS) {
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
    present.remove(id);
    ready.remove(id);
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
