package dev.mcpbus.directory;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.CallDeadline;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.Headers;
import dev.mcpbus.bus.RequestSender;
import dev.mcpbus.protocol.ProtocolException;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.DeliveryOptions;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Fetches the lists of one server: of each kind one fetch at a time, and one more behind it however
 * many were asked for meanwhile. Confined to the context of the catalog's verticle.
 */
public final class Refresher {

  private static final Duration DEADLINE = Duration.ofSeconds(30);
  private static final Buffer NO_PARAMS = Buffer.buffer("{}");

  /** Receives every ending; {@code serverList} is null where the fetch failed. */
  @FunctionalInterface
  public interface Sink {
    void fetched(ListKind kind, @Nullable ServerList serverList);
  }

  private static final class Slot {
    private @Nullable Promise<Void> running;
    private @Nullable Promise<Void> queued;
    private boolean ended;
    private int failures;
  }

  private final Vertx vertx;
  private final ConnectionId server;
  private final Sink sink;
  private final Map<ListKind, Slot> slots = new EnumMap<>(ListKind.class);

  public Refresher(Vertx vertx, ConnectionId server, Sink sink) {
    this.vertx = vertx;
    this.server = server;
    this.sink = sink;
    for (ListKind kind : ListKind.values()) {
      slots.put(kind, new Slot());
    }
  }

  /** Always succeeds, after a fetch that began after this call has ended one way or the other. */
  public Future<Void> refresh(ListKind kind) {
    Slot slot = slot(kind);
    if (slot.running == null) {
      return start(kind, slot, Promise.promise());
    }
    if (slot.queued == null) {
      slot.queued = Promise.promise();
    }
    return slot.queued.future();
  }

  /** Succeeds when a first fetch has ended, at once where one has; starts one where none has. */
  public Future<Void> first(ListKind kind) {
    Slot slot = slot(kind);
    if (slot.ended) {
      return Future.succeededFuture();
    }
    return slot.running == null ? refresh(kind) : slot.running.future();
  }

  public boolean isRefreshing(ListKind kind) {
    return slot(kind).running != null;
  }

  /** How many fetches have failed since the last that did not. */
  public int failures(ListKind kind) {
    return slot(kind).failures;
  }

  private Slot slot(ListKind kind) {
    return Objects.requireNonNull(slots.get(kind));
  }

  private Future<Void> start(ListKind kind, Slot slot, Promise<Void> promise) {
    slot.running = promise;
    fetch(kind)
        .onComplete(
            outcome -> {
              slot.running = null;
              slot.ended = true;
              slot.failures = outcome.succeeded() ? 0 : slot.failures + 1;
              Promise<Void> next = slot.queued;
              slot.queued = null;
              if (next != null) {
                start(kind, slot, next);
              }
              sink.fetched(kind, outcome.succeeded() ? outcome.result() : null);
              promise.complete();
            });
    return promise.future();
  }

  private Future<ServerList> fetch(ListKind kind) {
    long since = System.nanoTime();
    DeliveryOptions options =
        CallDeadline.set(
            new DeliveryOptions().addHeader(Headers.CACHE, "use"),
            DEADLINE.toMillis(),
            CallDeadline.Layer.CALLER);
    return RequestSender.of(vertx)
        .<Buffer>request(server, Addresses.of(server, kind.suffix), NO_PARAMS, options)
        .compose(
            reply -> {
              try {
                return Future.succeededFuture(ServerList.parse(kind, reply.body(), since));
              } catch (ProtocolException e) {
                return Future.failedFuture(e);
              }
            });
  }
}
