package dev.mcpbus.server;

import dev.mcpbus.protocol.Implementation;
import dev.mcpbus.protocol.JsonRpcError;
import dev.mcpbus.protocol.MetaKeys;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.ProtocolVersion;
import dev.mcpbus.protocol.PublicApi;
import dev.mcpbus.protocol.RawJson;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The request as its handler sees it, with the methods that send notifications back to the client.
 * Safe to use from any thread; what is sent after the request has ended is dropped.
 */
@PublicApi
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
  private final JsonObject asked = new JsonObject();
  private int questions;

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

  /** The whole params, {@code _meta} included. Do not change them. */
  public JsonObject params() {
    return params;
  }

  /** {@code params._meta}, empty if there is none: the caller's own statement, not checked. */
  public JsonObject meta() {
    return RequestPeer.object(params, "_meta");
  }

  /** The subject for logs: the method, and for a call the name of the tool. */
  public String subject() {
    return method.equals(Methods.TOOLS_CALL) ? method + " " + params.getValue("name") : method;
  }

  /** The client's name and version as it states them. */
  public Implementation client() {
    return peer.client();
  }

  /** The client's capabilities, as MCP writes them. */
  public JsonObject clientCapabilities() {
    return peer.capabilities();
  }

  /** The protocol version of this request; {@link ProtocolVersion#era} is its era. */
  public ProtocolVersion version() {
    return peer.version();
  }

  /** The principal of the client, see {@link ConnectedClient#principal()}. */
  public @Nullable String principal() {
    return session.principal();
  }

  public ConnectedClient session() {
    return session;
  }

  /** When the server cancels the request and answers it with an error. */
  public Instant deadline() {
    return deadline;
  }

  /** The time left until the deadline, on the monotonic clock; never negative. */
  public Duration remaining() {
    return Duration.ofNanos(Math.max(0, until - System.nanoTime()));
  }

  /**
   * True once the client no longer waits for the answer: it cancelled the request, the deadline has
   * passed, or the client has disconnected.
   */
  public boolean isCancelled() {
    return cancelled.future().isComplete();
  }

  /** Completes when {@link #isCancelled} becomes true; stays open if that does not happen. */
  public Future<Void> cancelled() {
    return cancelled.future();
  }

  /**
   * Sends the progress of the request; does nothing if the client sent no progress token. The
   * client gets it before the result. Progress that waits for a slow client gives way to later
   * progress of the same request, so any amount of it is harmless.
   *
   * @param progress must grow with each call
   * @param total null if it is not known
   * @param message for people, null for none
   * @return as of {@link #notify}; also completes when later progress takes its place
   */
  public Future<Void> progress(double progress, @Nullable Double total, @Nullable String message) {
    Object token = meta().getValue(MetaKeys.PROGRESS_TOKEN);
    if (token == null) {
      return Future.succeededFuture();
    }
    JsonObject sent = new JsonObject().put("progressToken", token).put("progress", plain(progress));
    if (total != null) {
      sent.put("total", plain(total));
    }
    return session.notify(
        this, Methods.PROGRESS, message == null ? sent : sent.put("message", message), id);
  }

  /** Writes whole numbers without a decimal point. */
  private static Number plain(double value) {
    return value == Math.rint(value) && Math.abs(value) < 1e15
        ? (Number) (long) value
        : (Number) value;
  }

  /**
   * Sends a message to the client's log if the client accepts this level. In the {@code initialize}
   * era that is the level that the client has set, {@code info} before that; in the {@code
   * discover} era the level in the request, and without one nothing is sent.
   *
   * @param logger names the component that logs
   * @param data any JSON value; no secrets
   * @return as of {@link #notify}; completes at once for a level that the client does not accept
   */
  public Future<Void> log(LogLevel level, String logger, Object data) {
    LogLevel wanted = peer.isDiscover() ? peer.logLevel() : session.logLevel();
    return wanted == null || level.compareTo(wanted) < 0
        ? Future.succeededFuture()
        : notify(
            Methods.MESSAGE,
            new JsonObject().put("level", level.wire()).put("logger", logger).put("data", data));
  }

  /**
   * Sends a notification to this client alone, before the result of this request.
   *
   * @return completes when the channel of the client has taken it: a handler that waits for it is
   *     no faster than its client. Fails if the request has ended, or if the client does not read
   *     and some thousands wait already; the session goes on
   */
  public Future<Void> notify(String notification, JsonObject with) {
    return session.notify(this, notification, with, null);
  }

  /**
   * Asks the client: {@code elicitation/create}, {@code sampling/createMessage}, {@code
   * roots/list}. In the {@code initialize} era the question is a request of its own. In the {@code
   * discover} era it is the answer to this request; the client calls again with its answers, and
   * the handler starts again, so what it does before a question happens once for each answer. Ask
   * in the same order each time.
   *
   * @return the client's result, on the event loop of its channel; fails if the client does not
   *     support it or answers with an error, or if this request ends first
   */
  public Future<JsonObject> ask(String question, JsonObject with) {
    String capability = question.substring(0, Math.max(0, question.indexOf('/')));
    return clientCapabilities().containsKey(capability)
        ? session.ask(this, question, with)
        : Future.failedFuture(new IllegalStateException("the client does not support " + question));
  }

  /**
   * What the client has answered to the questions of earlier rounds, by their names.
   *
   * @throws RequestException -32602 if {@code requestState} is not this server's
   */
  JsonObject answers() {
    try {
      return new JsonObject(params.getString("requestState", "{}"))
          .mergeIn(RequestPeer.object(params, "inputResponses"));
    } catch (DecodeException | ClassCastException e) {
      throw RequestException.invalid("params.requestState is not one of this server");
    }
  }

  /** The questions of this round, by their names. */
  JsonObject asked() {
    return asked;
  }

  /** The name of the next question of this request in the {@code discover} era. */
  String nextQuestion() {
    return "question-" + ++questions;
  }

  /** What it says after its end, or has asked before, fails with. */
  static RequestException ended() {
    return new RequestException(JsonRpcError.INTERNAL_ERROR, "the request has ended");
  }

  boolean isOver() {
    return over;
  }

  /** The client no longer waits for the answer. */
  void cancel() {
    over = true;
    cancelled.tryComplete();
  }

  /** The request was answered. */
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
