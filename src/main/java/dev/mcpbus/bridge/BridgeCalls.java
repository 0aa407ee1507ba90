package dev.mcpbus.bridge;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.CallCancellation;
import dev.mcpbus.bus.CallDeadline;
import dev.mcpbus.bus.CallHeaders;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.Headers;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.RequestSender;
import dev.mcpbus.bus.Requester;
import dev.mcpbus.bus.ToolName;
import dev.mcpbus.protocol.RawJson;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Calls over the bus on behalf of one HTTP request: the caller's time budget travels along, and
 * where the client goes away before the answer, the call is cancelled. Futures fail with {@link
 * McpFailure} only. Used on the bridge's context.
 */
final class BridgeCalls {

  /** What the service itself may take, with a server's drain in it. */
  static final Duration ASK_TIMEOUT = Duration.ofSeconds(30);

  private static final long MAX_DEADLINE_MILLIS = Duration.ofDays(1).toMillis();

  private static final List<String> FLAG = List.of("true", "false");
  private static final List<String> CACHE = List.of("use", "refresh");
  private static final Pattern TRACEPARENT =
      Pattern.compile("[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}");

  private final Vertx vertx;
  private final RequestSender bus;
  private final Supplier<String> callIds;
  private final PolicyGate access;
  private final TaskIdSealing tasks;
  private final PauseDetector pauses = new PauseDetector(() -> System.nanoTime() / 1_000_000);

  BridgeCalls(Vertx vertx, Supplier<String> callIds, PolicyGate access) {
    this.vertx = vertx;
    this.bus = RequestSender.of(vertx);
    this.callIds = callIds;
    this.access = access;
    this.tasks = new TaskIdSealing(vertx);
    vertx.setPeriodic(PauseDetector.TICK_MILLIS, tick -> pauses.tick());
  }

  /** A caller's question to the service itself, on this node, with a JSON answer. */
  Future<JsonObject> ask(RoutingContext ctx, String address, JsonObject body) {
    DeliveryOptions options =
        PolicyGate.requester(ctx, body.getValue("id") instanceof String id ? id : "")
            .sign(local(ASK_TIMEOUT));
    return access.ask(ctx, address, body, () -> json(null, address, body, options));
  }

  /** A caller's question to the actor of one server, with a JSON answer. */
  Future<JsonObject> ask(RoutingContext ctx, ConnectionId id, String suffix, JsonObject body) {
    DeliveryOptions options =
        PolicyGate.requester(ctx, id.value())
            .sign(new DeliveryOptions().setSendTimeout(ASK_TIMEOUT.toMillis()));
    return access.ask(ctx, id, suffix, () -> json(id, Addresses.of(id, suffix), body, options));
  }

  /**
   * Ends the caller's own call.
   *
   * @param body {@code {callId, principal?}}: an admin may name whose call it is
   */
  Future<JsonObject> cancel(RoutingContext ctx, ConnectionId id, JsonObject body) {
    return ask(ctx, id, Addresses.CANCEL, PolicyGate.requester(ctx, id.value()).cancelling(body));
  }

  /** Whether there is that server for the caller; no call, so the audit log has no line for it. */
  Future<Boolean> knows(RoutingContext ctx, ConnectionId id) {
    if (!RequestCaller.of(ctx).rights().sees(id.value())) {
      return Future.succeededFuture(false);
    }
    return askService(Addresses.SERVERS_GET, new JsonObject().put("id", id.value()), ASK_TIMEOUT)
        .map(true)
        .recover(
            failure ->
                McpFailure.of(failure).code() == FailureCode.UNKNOWN_CONNECTION
                    ? Future.succeededFuture(false)
                    : Future.failedFuture(failure));
  }

  /** A question of our own to the service, on this node, in nobody's name. */
  Future<JsonObject> askService(String address, JsonObject body, Duration timeout) {
    return json(null, address, body, local(timeout));
  }

  private static DeliveryOptions local(Duration timeout) {
    return new DeliveryOptions().setSendTimeout(timeout.toMillis()).setLocalOnly(true);
  }

  private Future<JsonObject> json(
      @Nullable ConnectionId server, String address, JsonObject body, DeliveryOptions options) {
    return bus.<JsonObject>request(server, address, body, options)
        .map(Message::body)
        .recover(failure -> Future.failedFuture(named(address, failure)));
  }

  /** The result's bytes of {@code mcp.<id>.<suffix>}, as the server wrote them. */
  Future<Buffer> call(
      RoutingContext ctx, ConnectionId id, String suffix, RawJson body, boolean validate) {
    String cancel = Addresses.of(id, Addresses.CANCEL);
    DeliveryOptions options = options(ctx, validate);
    return access.call(
        ctx,
        id,
        suffix,
        body,
        () -> {
          TaskIdSealing.SealedCall call;
          try {
            call =
                tasks
                .new SealedCall(PolicyGate.requester(ctx, id.value()), id.value(), suffix, body);
          } catch (McpFailure absent) {
            return Future.failedFuture(absent);
          }
          return call.sealed(
              send(ctx, id, Addresses.of(id, suffix), cancel, call.params(), options));
        });
  }

  /** The result's bytes of an aggregate address; each node has its own, so ours is asked. */
  Future<Buffer> callAll(RoutingContext ctx, String address, RawJson body, boolean validate) {
    DeliveryOptions options = options(ctx, validate).setLocalOnly(true);
    if (address.equals(Addresses.ALL_TOOLS_CALL) && !RequestCaller.of(ctx).rights().isUnbounded()) {
      AddressOperations.tool(body)
          .ifPresent(tool -> options.addHeader(Headers.TOOL, tool.toString()));
    }
    return access.callAll(
        ctx,
        address,
        body,
        allowed -> {
          Future<Buffer> answer =
              send(ctx, null, address, null, allowed, new DeliveryOptions(options));
          return address.equals(Addresses.ALL_TOOLS_CALL)
              ? named(ctx, allowed).sealed(answer)
              : answer;
        });
  }

  /** A call of {@code server.tool}. */
  private TaskIdSealing.SealedCall named(RoutingContext ctx, RawJson params) {
    RawJson name = params.member("name");
    String server =
        ToolName.parse(name == null || !name.isString() ? "" : name.asString())
            .map(ToolName::server)
            .orElse("");
    Requester who = PolicyGate.requester(ctx, server);
    return tasks.new SealedCall(who, server, Addresses.TOOLS_CALL, params);
  }

  /** One function call of a model. */
  Future<Buffer> callFunction(RoutingContext ctx, RawJson body) {
    return access.function(
        ctx,
        body,
        () -> askService(Addresses.ALL_TOOLS_FUNCTIONS_ROUTE, body.toJsonObject(), ASK_TIMEOUT),
        allowed ->
            send(
                ctx,
                null,
                Addresses.ALL_TOOLS_FUNCTIONS_CALL,
                Addresses.ALL_TOOLS_FUNCTIONS_CANCEL,
                allowed,
                ours(ctx)));
  }

  /** All tools as functions of a model's API. */
  Future<Buffer> listFunctions(RoutingContext ctx, RawJson body) {
    return access.functions(
        ctx,
        body,
        () -> tools(ctx),
        allowed -> send(ctx, null, Addresses.ALL_TOOLS_FUNCTIONS, null, allowed, ours(ctx)));
  }

  private Future<Buffer> tools(RoutingContext ctx) {
    return send(ctx, null, Addresses.ALL_TOOLS_LIST, null, RawJson.EMPTY_OBJECT, ours(ctx));
  }

  private DeliveryOptions ours(RoutingContext ctx) {
    return options(ctx, false).setLocalOnly(true);
  }

  private Future<Buffer> send(
      RoutingContext ctx,
      @Nullable ConnectionId server,
      String address,
      @Nullable String cancelAddress,
      RawJson body,
      DeliveryOptions options) {
    if (ctx.response().closed()) {
      return Future.failedFuture(
          McpFailure.notSent(FailureCode.CANCELLED, "the client went away before the call"));
    }
    Requester requester = PolicyGate.requester(ctx, server == null ? "" : server.value());
    String own = ctx.request().getHeader(Headers.CALL_ID);
    String callId = requester.callId(own == null ? callIds.get() : own);
    requester.sign(options).addHeader(Headers.CALL_ID, callId);
    Future<Buffer> answer =
        bus.<Object>request(server, address, body.toBuffer(), options)
            .map(reply -> bytes(reply.body()))
            .recover(failure -> Future.failedFuture(named(address, failure)));
    if (cancelAddress != null) {
      ctx.response()
          .closeHandler(
              closed -> {
                if (!answer.isComplete()) {
                  CallCancellation.publish(vertx, cancelAddress, callId);
                }
              });
    }
    return answer;
  }

  private static McpFailure named(String address, Throwable failure) {
    return RequestSender.hadNoReceiver(failure)
        ? McpFailure.notSent(
            FailureCode.UNKNOWN_CONNECTION,
            "nobody answers at " + address + "; GET /api/servers lists the servers")
        : McpFailure.of(failure);
  }

  private static Buffer bytes(@Nullable Object body) {
    if (body instanceof Buffer buffer) {
      return buffer;
    }
    return body instanceof JsonObject json ? json.toBuffer() : RawJson.EMPTY_OBJECT.toBuffer();
  }

  private DeliveryOptions options(RoutingContext ctx, boolean validate) {
    DeliveryOptions options = new DeliveryOptions();
    String wish = QueryParameters.word(ctx, Headers.VALIDATE, FLAG);
    if (wish != null || validate) {
      options.addHeader(Headers.VALIDATE, wish == null ? "true" : wish);
    }
    CallHeaders.add(options, Headers.TASK, QueryParameters.word(ctx, Headers.TASK, FLAG));
    CallHeaders.add(options, Headers.CACHE, QueryParameters.word(ctx, Headers.CACHE, CACHE));
    String timeout = QueryParameters.get(ctx, "timeout");
    if (timeout == null) {
      timeout = ctx.request().getHeader("Timeout");
    }
    long left = timeout == null ? CallDeadline.NONE : left(millis(timeout));
    CallDeadline.set(options, left, CallDeadline.Layer.CALLER);
    String trace = ctx.request().getHeader(Headers.TRACEPARENT);
    if (trace != null && TRACEPARENT.matcher(trace).matches()) {
      options.addHeader(Headers.TRACEPARENT, trace);
    }
    return options;
  }

  /** Less the time that the request may have waited for this process to run. */
  private long left(long millis) {
    long waited = pauses.waited();
    if (waited >= millis) {
      throw McpFailure.notSent(
          FailureCode.CALL_TIMEOUT,
          "this process did not run for " + waited + " ms; the call may have waited as long");
    }
    return millis - waited;
  }

  private static long millis(String text) {
    try {
      long millis = Long.parseLong(text);
      if (millis >= 1 && millis <= MAX_DEADLINE_MILLIS) {
        return millis;
      }
    } catch (NumberFormatException e) {
      // Falls through: the same answer as for a number out of range.
    }
    throw McpFailure.notSent(
        FailureCode.BAD_REQUEST, "timeout: must be milliseconds from 1 to " + MAX_DEADLINE_MILLIS);
  }
}
