package dev.mcpbus.server;

import dev.mcpbus.protocol.Implementation;
import dev.mcpbus.protocol.MetaKeys;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.ProtocolVersion;
import dev.mcpbus.protocol.RawJson;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What a handler knows of the request it answers, and its way back to the client. Safe to use from
 * any thread; what is sent after the request has ended is dropped.
 */
public final class ServerRequest {

  private final ServerSession session;
  private final RequestPeer peer;
  private final RawJson id;
  private final String method;
  private final JsonObject params;
  private final Instant deadline;
  private final long until;
  private final Promise<Void> cancelled = Promise.promise();
  private volatile boolean over;

  ServerRequest(
      ServerSession session,
      RequestPeer peer,
      RawJson id,
      String method,
      JsonObject params,
      Duration timeout) {
    this.session = session;
    this.peer = peer;
    this.id = id;
    this.method = method;
    this.params = params;
    this.deadline = Instant.now().plus(timeout);
    this.until = System.nanoTime() + timeout.toNanos();
  }

  public String method() {
    return method;
  }

  /** The whole params, {@code _meta} included. Not to be changed. */
  public JsonObject params() {
    return params;
  }

  /** {@code params._meta}, empty where there is none: the caller's word, not checked. */
  public JsonObject meta() {
    return RequestPeer.object(params, "_meta");
  }

  /** What it is about, for logs: the method, and the tool of a call. */
  public String subject() {
    return method.equals(Methods.TOOLS_CALL) ? method + " " + params.getValue("name") : method;
  }

  /** The program that asks, as it calls itself. */
  public Implementation client() {
    return peer.client();
  }

  /** What that program can do, as MCP writes it. */
  public JsonObject clientCapabilities() {
    return peer.capabilities();
  }

  /** The version that this request is spoken in; its era tells legacy from modern. */
  public ProtocolVersion version() {
    return peer.version();
  }

  /** On whose behalf, see {@link ConnectedClient#principal()}. */
  public @Nullable String principal() {
    return session.principal();
  }

  public ConnectedClient session() {
    return session;
  }

  /** The request is cancelled and answered as failed then. */
  public Instant deadline() {
    return deadline;
  }

  /** Until the deadline, on a clock that nobody sets; never negative. */
  public Duration remaining() {
    return Duration.ofNanos(Math.max(0, until - System.nanoTime()));
  }

  /** True once nobody waits any more: called off, past its deadline, or the client has gone. */
  public boolean isCancelled() {
    return cancelled.future().isComplete();
  }

  /** Completes when {@link #isCancelled} becomes true, and never where that does not happen. */
  public Future<Void> cancelled() {
    return cancelled.future();
  }

  /**
   * Tells how far it is; does nothing where the client did not ask.
   *
   * @param progress must grow with each call
   * @param total null where it is not known
   * @param message for people, null for none
   */
  public void progress(double progress, @Nullable Double total, @Nullable String message) {
    Object token = meta().getValue(MetaKeys.PROGRESS_TOKEN);
    if (token == null) {
      return;
    }
    JsonObject told = new JsonObject().put("progressToken", token).put("progress", plain(progress));
    if (total != null) {
      told.put("total", plain(total));
    }
    notify(Methods.PROGRESS, message == null ? told : told.put("message", message));
  }

  /** Whole numbers without a point, as people write them. */
  private static Number plain(double value) {
    return value == Math.rint(value) && Math.abs(value) < 1e15
        ? (Number) (long) value
        : (Number) value;
  }

  /**
   * Writes to the client's log, where the client wants this level: what it set, {@code info} and
   * above before that; in the modern era only where the request asks for it.
   *
   * @param logger names the part that speaks
   * @param data any JSON value; no secrets
   */
  public void log(LogLevel level, String logger, Object data) {
    LogLevel wanted = peer.isModern() ? peer.logLevel() : session.logLevel();
    if (wanted != null && level.compareTo(wanted) >= 0) {
      JsonObject said =
          new JsonObject()
              .put("level", level.name().toLowerCase(Locale.ROOT))
              .put("logger", logger)
              .put("data", data);
      notify(Methods.MESSAGE, said);
    }
  }

  /** Sends a notification to this client alone. */
  public void notify(String notification, JsonObject with) {
    if (!over) {
      session.notify(notification, with);
    }
  }

  /** Nobody waits for it any more. */
  void cancel() {
    over = true;
    cancelled.tryComplete();
  }

  /** It was answered. */
  void end() {
    over = true;
  }

  RawJson id() {
    return id;
  }

  RequestPeer peer() {
    return peer;
  }
}
