package dev.mcpbus.gateway.request;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.CallCancellation;
import dev.mcpbus.bus.CallHeaders;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.Headers;
import dev.mcpbus.bus.InboundSpan;
import dev.mcpbus.bus.ListKind;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.RequestSender;
import dev.mcpbus.bus.Telemetry;
import dev.mcpbus.bus.TelemetryOperation;
import dev.mcpbus.directory.DirectorySnapshot;
import dev.mcpbus.directory.ViewList;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.protocol.TraceContext;
import io.vertx.core.AsyncResult;
import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import org.jspecify.annotations.Nullable;

/**
 * A {@link GatewayRequest} in flight: what the {@link RequestRouter} has found out about it, and
 * where it was sent. The subclass of each era says what its client sees and which connection
 * answers. Confined to the context of the endpoint or session that made it.
 */
public abstract class GatewayCall {

  private static final String DOOR = "mcp";

  private final Vertx vertx;
  private final RequestSender sender;
  private final GatewayRequest request;
  private @Nullable ConnectionId at;
  private @Nullable String server;
  private @Nullable String item;
  private ViewList.@Nullable Target listed;
  private @Nullable TelemetryOperation operation;
  private boolean toolError;
  private int repeats;
  private boolean denied;
  private boolean cancelled;

  protected GatewayCall(Vertx vertx, RequestSender sender, GatewayRequest request) {
    this.vertx = vertx;
    this.sender = sender;
    this.request = request;
  }

  public GatewayRequest request() {
    return request;
  }

  // ---- what the era decides

  /**
   * Lets the server answer, through the connection that serves this client.
   *
   * @param suffix of the address
   * @param params by the server's own names
   */
  protected abstract Future<RawJson> send(String server, String suffix, RawJson params);

  /** Whether the client knows the error -32042, and opens the URLs in it. */
  protected boolean opensUrls() {
    return false;
  }

  /** Whether the call waits for a login of the principal that has begun. */
  protected boolean waitsForLogin() {
    return false;
  }

  /** The lists that the client sees: the common ones, unless the client has connections itself. */
  protected DirectorySnapshot seen(DirectorySnapshot shared) {
    return shared;
  }

  /** Completes when the client's own lists of that kind are known, or after a time-out. */
  protected Future<Void> listed(ListKind kind) {
    return Future.succeededFuture();
  }

  /**
   * Checks the request once its target is known.
   *
   * @throws McpFailure with the error that the client gets
   */
  protected void check(ViewList.Target target) {}

  // ---- on its way

  /** Sends to a connection, unless the client has cancelled. */
  protected Future<RawJson> sendTo(ConnectionId connection, String suffix, RawJson params) {
    at = connection;
    if (cancelled) {
      return Future.failedFuture(notSent());
    }
    DeliveryOptions options = request.options(carried());
    if (waitsForLogin()) {
      options.addHeader(Headers.WAIT_LOGIN, "true");
    }
    Future<RawJson> answer =
        sender
            .<Buffer>request(
                connection, Addresses.of(connection, suffix), params.toBuffer(), options)
            .onFailure(failure -> repeats = McpFailure.of(failure).repeats())
            .map(this::replied);
    if (opensUrls()) {
      answer = answer.recover(failure -> Future.failedFuture(LoginElicitation.asError(failure)));
    }
    String named = server;
    return named == null || named.equals(connection.value())
        ? answer
        : answer.recover(
            failure ->
                Future.failedFuture(McpFailure.of(failure).renamed(connection.value(), named)));
  }

  /** The result in a reply; notes whether it reports an error of the tool. */
  protected RawJson replied(Message<Buffer> reply) {
    toolError = operation != null && reply.headers().contains(Headers.TOOL_ERROR);
    repeats = CallHeaders.repeats(reply.headers());
    return RawJson.of(reply.body());
  }

  /** How many times mcpbus has made the call again; known when it has its outcome. */
  public int repeats() {
    return repeats;
  }

  /** The failure of a call that the client has cancelled before. */
  protected static McpFailure notSent() {
    return McpFailure.notSent(FailureCode.CANCELLED, "cancelled before it was sent");
  }

  /** The connection that it was sent to; null before. */
  public @Nullable ConnectionId at() {
    return at;
  }

  /**
   * The client cancels; so does its connection at the server, with what the client says.
   *
   * @param params of the client's notification
   */
  public void cancel(RawJson params) {
    if (!cancelled && at != null) {
      CallCancellation.publish(vertx, at, request.callId(), params);
    }
    cancelled = true;
  }

  /** The client does not wait any more; cancels the call at its connection. Idempotent. */
  public void cancel() {
    if (!cancelled && at != null) {
      CallCancellation.publish(vertx, at, request.callId());
    }
    cancelled = true;
  }

  protected boolean isCancelled() {
    return cancelled;
  }

  // ---- telemetry

  /**
   * Measures the request from its arrival on.
   *
   * @param id of the JSON-RPC request
   * @param version of the protocol
   * @param headers with the trace of the HTTP request
   */
  public void measureBy(Telemetry telemetry, RawJson id, String version, MultiMap headers) {
    RawJson meta = request.params().member("_meta");
    boolean named = TraceContext.isNamedBy(meta);
    TraceContext transport = CallHeaders.trace(headers);
    operation =
        telemetry.received(
            new InboundSpan(
                DOOR,
                request.method(),
                id,
                version,
                named ? TraceContext.ofMeta(meta) : transport,
                named ? transport : null));
  }

  /** The trace for messages of this call: that of its operation, or that of the HTTP request. */
  protected @Nullable TraceContext carried() {
    TelemetryOperation measured = operation;
    TraceContext own = measured == null ? null : measured.trace();
    return own == null ? request.trace() : own;
  }

  /** Notes the target as a list of the client's view has it. */
  void listed(ViewList.Target target) {
    listed = target;
  }

  /** The call leaves for a server. */
  void leavesFor(String where) {
    TelemetryOperation measured = operation;
    if (measured != null) {
      ViewList.Target target = listed;
      boolean known = target != null && target.server().equals(where);
      measured.target(where, known && target != null ? target.key() : null);
    }
  }

  /** The call has its outcome: ends the operation. */
  public void ended(AsyncResult<?> outcome) {
    TelemetryOperation measured = operation;
    operation = null;
    if (measured == null) {
      return;
    }
    if (outcome.succeeded()) {
      measured.succeeded(toolError);
    } else {
      measured.failed(McpFailure.of(outcome.cause()));
    }
  }

  // ---- for the audit log

  /** Notes the target: the server, null if there is none, and the name or URI. */
  public void about(@Nullable String which, String what) {
    server = which;
    item = what;
  }

  /** Notes that policies keep the client from the target. */
  void deny() {
    denied = true;
  }

  @Nullable String server() {
    return server;
  }

  public @Nullable String item() {
    return item;
  }

  boolean isDenied() {
    return denied;
  }
}
