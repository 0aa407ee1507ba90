package dev.mcpbus.directory;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.CallDeadline;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.Headers;
import dev.mcpbus.bus.RequestSender;
import dev.mcpbus.protocol.ProtocolException;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.DeliveryOptions;
import java.time.Duration;
import java.util.Collection;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Asks one server for its lists: of each kind one question at a time, and one more behind it where
 * a change is heard of meanwhile. Confined to the context of the directory's verticle.
 */
public final class ListFetcher {

  private static final Duration DEADLINE = Duration.ofSeconds(30);

  /** A list that could not be had is not asked for again before. */
  private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(10);

  private static final Buffer NO_PARAMS = Buffer.buffer("{}");

  private static final class Slot {
    private @Nullable Future<Void> running;
    private long startedAt;
    private boolean again;
    private boolean failed;
    private long failedAt;
  }

  private final Vertx vertx;
  private final ConnectionId server;
  private final BiConsumer<ListKind, ServerList> sink;
  private final Map<ListKind, Slot> slots = new EnumMap<>(ListKind.class);

  public ListFetcher(Vertx vertx, ConnectionId server, BiConsumer<ListKind, ServerList> sink) {
    this.vertx = vertx;
    this.server = server;
    this.sink = sink;
  }

  private Slot slot(ListKind kind) {
    return slots.computeIfAbsent(kind, absent -> new Slot());
  }

  /** It may differ from what was listed; where nobody has asked yet nothing is done. */
  public void changed(ListKind kind) {
    Slot slot = slots.get(kind);
    if (slot == null) {
      return;
    }
    slot.failed = false;
    if (slot.running != null) {
      slot.again = true;
    } else {
      start(kind, slot);
    }
  }

  /** The server is there: what clients want is asked for, also what could not be had before. */
  public void connected(Collection<ListKind> wanted) {
    for (ListKind kind : wanted) {
      slot(kind);
      changed(kind);
    }
  }

  /**
   * Asks, unless that has failed lately.
   *
   * @return succeeds when the list has come or failed; at once where waiting makes no sense
   */
  public Future<Void> ask(ListKind kind, long patienceNanos) {
    Slot slot = slot(kind);
    long now = System.nanoTime();
    if (slot.running == null) {
      if (slot.failed && now - slot.failedAt < PAUSE_NANOS) {
        return Future.succeededFuture();
      }
      start(kind, slot);
    }
    Future<Void> running = slot.running;
    return running == null || now - slot.startedAt > patienceNanos
        ? Future.succeededFuture()
        : running;
  }

  private void start(ListKind kind, Slot slot) {
    slot.startedAt = System.nanoTime();
    slot.again = false;
    Future<Void> asked =
        fetch(kind)
            .transform(
                result -> {
                  slot.running = null;
                  slot.failed = result.failed();
                  slot.failedAt = System.nanoTime();
                  if (result.succeeded()) {
                    sink.accept(kind, result.result());
                  }
                  if (slot.again) {
                    start(kind, slot);
                  }
                  return Future.succeededFuture();
                });
    if (!asked.isComplete()) {
      slot.running = asked;
    }
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
