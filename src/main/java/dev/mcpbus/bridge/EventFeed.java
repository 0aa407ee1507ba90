package dev.mcpbus.bridge;

import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.internals.ForcedClose;
import dev.mcpbus.internals.InternalContext;
import dev.mcpbus.security.Admission;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The messages of one address of the bus as server-sent events, for any number of readers. The id
 * of an event is {@code <boot>-<number>}, in a cluster with the time. A reader that returns with
 * its last id gets the events since; if some are no longer kept, it first gets a {@code missed}
 * event. A reader has no queue: one that stops reading continues at its place in the log, and is
 * dropped after {@value #PATIENCE} heartbeats. Used on the bridge's context.
 */
final class EventFeed {

  private static final int WRITE_QUEUE_BYTES = 256 * 1024;
  private static final int PATIENCE = 2;
  private static final long CHECK_MILLIS = 1_000;
  private static final Buffer HEARTBEAT = Buffer.buffer(":\n\n");

  private final Vertx vertx;
  private final InternalContext context;
  private final PolicyGate gate;
  private final EventLog log;
  private final EventRing ring;
  private final StreamLimit cap;
  private final long heartbeatMillis;
  private final Runnable added = this::added;
  private final Set<FeedReader> readers = new LinkedHashSet<>();
  private volatile boolean isRead;
  private long timer = -1;
  private long check = -1;
  private boolean closed;

  EventFeed(Vertx vertx, EventLog log, StreamLimit cap, Duration heartbeat, PolicyGate gate) {
    this.gate = gate;
    this.vertx = vertx;
    this.context = InternalContext.current(vertx);
    this.log = log;
    this.ring = log.ring();
    this.cap = cap;
    this.heartbeatMillis = heartbeat.toMillis();
  }

  void open() {
    log.open(vertx, added);
    timer =
        vertx.setPeriodic(
            heartbeatMillis, beat -> new ArrayList<>(readers).forEach(FeedReader::beat));
    check =
        vertx.setPeriodic(CHECK_MILLIS, now -> new ArrayList<>(readers).forEach(FeedReader::check));
  }

  /** Called on any thread after a new event. */
  private void added() {
    if (!isRead) {
      return;
    }
    if (context.inThread()) {
      pump();
    } else {
      context.run(this::pump);
    }
  }

  private void pump() {
    new ArrayList<>(readers).forEach(FeedReader::pump);
  }

  /** Answers {@code ctx} with the stream, which ends with its client or with the feed. */
  void read(RoutingContext ctx, EventRing.Filter filter) {
    String last = ctx.request().getHeader("Last-Event-ID");
    if (last == null) {
      last = QueryParameters.get(ctx, "lastEventId");
    }
    McpFailure refusal = gate.refusal();
    if (refusal != null) {
      ctx.fail(refusal);
      return;
    }
    FeedReader reader = new FeedReader(ctx, filter);
    Admission caller = AdmittedRequests.of(ctx);
    if (closed || !cap.take(reader, caller)) {
      ctx.fail(cap.refusal(closed, caller));
      return;
    }
    reader.start(last);
  }

  /** Ends all streams; later readers are refused. */
  void close() {
    closed = true;
    vertx.cancelTimer(timer);
    vertx.cancelTimer(check);
    log.close(added);
    new ArrayList<>(readers).forEach(FeedReader::end);
  }

  private final class FeedReader {

    private final RoutingContext ctx;
    private final HttpServerRequest request;
    private final HttpServerResponse response;
    private final Admission caller;
    private final EventRing.Filter filter;
    private long position;
    private int stuck;

    FeedReader(RoutingContext ctx, EventRing.Filter filter) {
      this.ctx = ctx;
      this.request = ctx.request();
      this.caller = AdmittedRequests.of(ctx);
      this.response = request.response();
      this.filter = filter;
    }

    void start(@Nullable String last) {
      readers.add(this);
      isRead = true;
      gate.opened(ctx);
      caller.onLeft(this::remove);
      response.exceptionHandler(broken -> remove());
      response
          .putHeader("Content-Type", Route.EVENT_STREAM)
          .setChunked(true)
          .setWriteQueueMaxSize(WRITE_QUEUE_BYTES);
      EventLog.LogPosition place =
          last == null ? new EventLog.LogPosition(ring.next(), true) : log.after(last);
      position = place.number();
      // The place of the reader, for a reader that returns before it has got an event.
      response.write(Buffer.buffer("retry: 2000\nid: " + log.before(position) + "\n\n"));
      if (!place.complete()) {
        missed();
      }
      pump();
    }

    private void missed() {
      write("missed", "events were published that are no longer known");
    }

    void pump() {
      while (position < ring.next() && !response.writeQueueFull()) {
        EventRing.StoredEvent entry = ring.at(position++);
        if (entry == null) {
          position = ring.first();
          missed();
          continue;
        }
        Buffer frame = filter.frame(entry);
        if (frame != null) {
          response.write(frame);
        }
      }
      if (response.writeQueueFull()) {
        response.drainHandler(
            drained -> {
              stuck = 0;
              pump();
            });
      }
    }

    /** Ends the stream if its credential is no longer valid or its rights have changed. */
    void check() {
      String why = caller.changed();
      if (why != null) {
        if (!response.writeQueueFull()) {
          write("ended", why);
        }
        end();
      }
    }

    private void write(String type, String message) {
      JsonObject event = new JsonObject().put("type", type).put("message", message);
      response.write(Buffer.buffer("data: " + event.encode() + "\n\n"));
    }

    void beat() {
      if (!response.writeQueueFull()) {
        stuck = 0;
        response.write(HEARTBEAT);
      } else if (++stuck > PATIENCE) {
        remove();
        ForcedClose.on(request);
      }
    }

    void end() {
      remove();
      if (response.writeQueueFull()) {
        ForcedClose.on(request);
      } else {
        response.end();
      }
    }

    private void remove() {
      if (readers.remove(this)) {
        isRead = !readers.isEmpty();
        cap.free(this);
        gate.closed(ctx);
      }
    }
  }
}
