package dev.mcpbus.directory;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.CacheMode;
import dev.mcpbus.bus.CallDeadline;
import dev.mcpbus.bus.CallerFacts;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.Headers;
import dev.mcpbus.bus.ListKind;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.RequestSender;
import dev.mcpbus.bus.SerialRuns;
import dev.mcpbus.protocol.ProtocolException;
import io.vertx.core.AsyncResult;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.Collection;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Fetches the lists of one connection. At most one request runs per kind; a change that arrives
 * meanwhile schedules one more. Confined to the context of its owner.
 */
public final class ListFetcher {

  static final Duration DEADLINE = Duration.ofSeconds(30);

  /** After a failed fetch, {@link #ask} waits so long before the next one. */
  private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(10);

  private static final Buffer NO_PARAMS = Buffer.buffer("{}");

  /**
   * After a fetch, the next one waits this many times as long as the list took to be read: a server
   * that announces a huge list again and again takes a small part of the thread.
   */
  private static final int REST = 10;

  /** Lists that are read in less time are fetched again at once. */
  private static final long QUICK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /** Receives the list of each fetch, or the failure as {@link McpFailure}. */
  @FunctionalInterface
  public interface ListReceiver {
    void fetched(ListKind kind, AsyncResult<ServerList> list);
  }

  private final class Slot {
    private final SerialRuns<Void> fetches;
    private boolean fetching;
    private long startedAt;
    private boolean ended;

    /** Since the last fetch that succeeded. */
    private int failures;

    private long failedAt;

    /** The next fetch begins at this time or later; {@link System#nanoTime}. */
    private long restsUntil = System.nanoTime();

    /** Whether the list that the connection keeps may be older than what its server says. */
    private boolean anew;

    /** Whether the server has announced another list since the last fetch began. */
    private boolean outdated;

    Slot(ListKind kind) {
      fetches = new SerialRuns<>(() -> run(kind, this));
    }
  }

  private final Vertx vertx;
  private final ConnectionId server;
  private final @Nullable CallerFacts caller;
  private final ListReceiver sink;
  private final Map<ListKind, Slot> slots = new EnumMap<>(ListKind.class);

  public ListFetcher(Vertx vertx, ConnectionId server, ListReceiver sink) {
    this(vertx, server, null, sink);
  }

  /**
   * @param caller for whom it fetches, from a server of callers; null for the lists of all
   */
  ListFetcher(Vertx vertx, ConnectionId server, @Nullable CallerFacts caller, ListReceiver sink) {
    this.vertx = vertx;
    this.server = server;
    this.caller = caller;
    this.sink = sink;
  }

  private Slot slot(ListKind kind) {
    return slots.computeIfAbsent(kind, Slot::new);
  }

  public boolean isFetching(ListKind kind) {
    Slot slot = slots.get(kind);
    return slot != null && slot.fetching;
  }

  /** The number of failed fetches since the last that succeeded. */
  public int failures(ListKind kind) {
    return slot(kind).failures;
  }

  /** Fetches these kinds now, even if the last fetch failed. */
  public void refresh(Collection<ListKind> kinds) {
    kinds.forEach(this::refresh);
  }

  /** Fetches the list now, or again as soon as the running fetch has ended. */
  void refresh(ListKind kind) {
    slot(kind).fetches.request();
  }

  /** As {@link #refresh(ListKind)}; the server answers, not the connection that keeps a list. */
  void refreshAnew(ListKind kind) {
    slot(kind).anew = true;
    refresh(kind);
  }

  /** The server says that its list is another one: only a fetch that begins later gives it. */
  public void outdate(ListKind kind) {
    Slot slot = slots.get(kind);
    if (slot != null) {
      slot.outdated = true;
    }
  }

  /** Whether the list has changed since the last fetch began. */
  public boolean isOutdated(ListKind kind) {
    Slot slot = slots.get(kind);
    return slot != null && slot.outdated;
  }

  /** Fetches the list after a change, if it was fetched before. */
  public void changed(ListKind kind) {
    if (slots.containsKey(kind)) {
      refresh(kind);
    }
  }

  /** Succeeds when the first fetch has ended; starts it if there was none. Never fails. */
  Future<Void> first(ListKind kind) {
    Slot slot = slot(kind);
    return slot.ended ? Future.succeededFuture() : running(slot);
  }

  /**
   * Fetches the list, unless a fetch runs or has failed in the last 10 s. A fetch that runs since
   * before a change is followed by another one, which counts.
   *
   * @param patienceNanos how long a running fetch is worth waiting for
   * @return succeeds when that fetch has ended; at once if there is none, or if the running one has
   *     run longer than {@code patienceNanos}
   */
  public Future<Void> ask(ListKind kind, long patienceNanos) {
    Slot slot = slot(kind);
    long now = System.nanoTime();
    if (!slot.fetching
        && !slot.outdated
        && slot.failures > 0
        && now - slot.failedAt < PAUSE_NANOS) {
      return Future.succeededFuture();
    }
    Future<Void> running = slot.outdated ? slot.fetches.request() : running(slot);
    return now - slot.startedAt > patienceNanos ? Future.succeededFuture() : running;
  }

  /** The present fetch; a new one if there is none. */
  private static Future<Void> running(Slot slot) {
    Future<Void> running = slot.fetches.running();
    return running == null ? slot.fetches.request() : running;
  }

  private Future<Void> run(ListKind kind, Slot slot) {
    slot.fetching = true;
    slot.startedAt = System.nanoTime();
    long rest = TimeUnit.NANOSECONDS.toMillis(slot.restsUntil - slot.startedAt);
    return rest <= 0
        ? fetchNow(kind, slot)
        : vertx.timer(rest).compose(rested -> fetchNow(kind, slot));
  }

  private Future<Void> fetchNow(ListKind kind, Slot slot) {
    CacheMode cache = slot.anew || slot.failures > 0 ? CacheMode.REFRESH : CacheMode.USE;
    slot.anew = false;
    slot.outdated = false;
    return fetch(kind, cache, slot)
        .recover(failure -> Future.failedFuture(McpFailure.of(failure)))
        .transform(
            result -> {
              slot.fetching = false;
              slot.ended = true;
              slot.failures = result.failed() ? slot.failures + 1 : 0;
              slot.failedAt = System.nanoTime();
              sink.fetched(kind, result);
              return Future.succeededFuture();
            });
  }

  /** How long a list that took so long to be read is not fetched again. */
  static long restNanos(long readNanos) {
    return readNanos < QUICK_NANOS ? 0 : REST * readNanos;
  }

  /** What the connection says of itself, with the handshake of its server. */
  Future<JsonObject> status() {
    DeliveryOptions options = new DeliveryOptions().setSendTimeout(DEADLINE.toMillis());
    if (caller != null) {
      caller.addTo(options);
    }
    return RequestSender.of(vertx)
        .<JsonObject>request(
            server,
            Addresses.of(server, Addresses.STATUS),
            new JsonObject().put("handshake", true),
            options)
        .map(Message::body);
  }

  private Future<ServerList> fetch(ListKind kind, CacheMode cache, Slot slot) {
    long since = System.nanoTime();
    DeliveryOptions options =
        CallDeadline.set(
            new DeliveryOptions().addHeader(Headers.CACHE, cache.header()),
            DEADLINE.toMillis(),
            CallDeadline.Layer.CALLER);
    RequestSender sender = RequestSender.of(vertx);
    if (caller != null) {
      caller.addTo(options);
    }
    // An answer to one caller is for no other, so it is not read together with others.
    Future<Buffer> read =
        cache == CacheMode.USE && caller == null
            ? sender.read(server, kind.suffix, NO_PARAMS, options)
            : sender
                .<Buffer>request(server, Addresses.of(server, kind.suffix), NO_PARAMS, options)
                .map(Message::body);
    return read.compose(
        reply -> {
          long begun = System.nanoTime();
          try {
            return Future.succeededFuture(ServerList.parse(kind, reply, since));
          } catch (ProtocolException e) {
            return Future.failedFuture(
                McpFailure.maybeSent(
                    FailureCode.PROTOCOL_ERROR,
                    "server '" + server + "', " + kind.method + ": " + e.getMessage()));
          } finally {
            long now = System.nanoTime();
            slot.restsUntil = now + restNanos(now - begun);
          }
        });
  }
}
