package dev.mcpbus.bridge;

import dev.mcpbus.bridge.TaskIdSealing.SealedCall;
import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.CallCancellation;
import dev.mcpbus.bus.CallDeadline;
import dev.mcpbus.bus.CallHeaders;
import dev.mcpbus.bus.CallerFacts;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.Headers;
import dev.mcpbus.bus.InvalidServers;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.RequestSender;
import dev.mcpbus.bus.Requester;
import dev.mcpbus.bus.ServerAddress;
import dev.mcpbus.bus.TelemetryOperation;
import dev.mcpbus.bus.ToolName;
import dev.mcpbus.directory.PermittedSearch;
import dev.mcpbus.policy.PolicyCheck;
import dev.mcpbus.policy.PolicyFilter;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.security.Action;
import dev.mcpbus.security.Operation;
import dev.mcpbus.security.Principal;
import dev.mcpbus.security.Rights;
import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Makes the calls of HTTP requests over the bus, after the {@link PolicyGate} has decided. A call
 * has the deadline of the request, and is cancelled if the client disconnects before the answer.
 * Futures fail with {@link McpFailure} only. Used on the bridge's context.
 */
final class BridgeCalls {

  /** Time-out of a request to the service itself, which may include the drain of a server. */
  static final Duration ASK_TIMEOUT = Duration.ofSeconds(30);

  private static final long MAX_DEADLINE_MILLIS = Duration.ofDays(1).toMillis();

  private static final List<String> FLAG = List.of("true", "false");
  private static final List<String> CACHE = List.of("use", "refresh");

  private final Vertx vertx;
  private final RequestSender sender;
  private final Supplier<String> callIds;
  private final PolicyGate gate;
  private final TaskIdSealing tasks;
  private final MeasuredCalls measures;
  private final BiFunction<Principal, MultiMap, CallerFacts> callers;

  /**
   * @param callers what counts of a request for servers that act for their callers
   */
  BridgeCalls(
      Vertx vertx,
      Supplier<String> callIds,
      PolicyGate gate,
      BiFunction<Principal, MultiMap, CallerFacts> callers) {
    this.callers = callers;
    this.vertx = vertx;
    this.sender = RequestSender.of(vertx);
    this.callIds = callIds;
    this.gate = gate;
    this.tasks = new TaskIdSealing(vertx);
    this.measures = new MeasuredCalls(vertx);
  }

  /** A caller's request to the service itself, on this node, with a JSON reply. */
  Future<JsonObject> ask(RoutingContext ctx, String address, JsonObject body) {
    return ask(ctx, address, body, ASK_TIMEOUT);
  }

  /** The same for an address that may take longer. */
  Future<JsonObject> ask(RoutingContext ctx, String address, JsonObject body, Duration timeout) {
    String id = body.getValue("id") instanceof String text ? text : "";
    DeliveryOptions options = AdmittedRequests.requester(ctx, id).addTo(local(timeout));
    Future<JsonObject> reply =
        gate.call(
            ctx, PolicyCheck.toService(address, body), () -> json(null, address, body, options));
    Rights rights = AdmittedRequests.of(ctx).rights();
    return switch (address) {
      case Addresses.SERVERS_LIST -> reply.map(list -> PolicyFilter.servers(list, rights));
      case Addresses.SERVERS_GET -> reply.map(status -> PolicyFilter.status(status, rights));
      default -> reply;
    };
  }

  /** A caller's request to the connection of one server, with a JSON reply. */
  Future<JsonObject> ask(RoutingContext ctx, ConnectionId id, String suffix, JsonObject body) {
    DeliveryOptions options =
        AdmittedRequests.requester(ctx, id.value())
            .addTo(new DeliveryOptions().setSendTimeout(ASK_TIMEOUT.toMillis()));
    Future<JsonObject> reply =
        gate.call(
            ctx,
            PolicyCheck.toServer(id.value(), suffix, RawJson.EMPTY_OBJECT),
            () -> json(id, Addresses.of(id, suffix), body, options));
    return suffix.equals(Addresses.STATUS)
        ? reply.map(status -> PolicyFilter.status(status, AdmittedRequests.of(ctx).rights()))
        : reply;
  }

  /**
   * Ends the caller's own call.
   *
   * @param body {@code {callId, principal?}}: an admin may name the principal of the call
   */
  Future<JsonObject> cancel(RoutingContext ctx, ConnectionId id, JsonObject body) {
    return ask(
        ctx, id, Addresses.CANCEL, AdmittedRequests.requester(ctx, id.value()).cancelling(body));
  }

  /**
   * Whether the server exists for the caller. It is not a call: the audit log has no line for it.
   */
  Future<Boolean> knows(RoutingContext ctx, ConnectionId id) {
    if (!AdmittedRequests.of(ctx).rights().sees(id.value())) {
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

  /** A request of the bridge itself to the service, on this node, without a principal. */
  Future<JsonObject> askService(String address, JsonObject body, Duration timeout) {
    return json(null, address, body, local(timeout));
  }

  private static DeliveryOptions local(Duration timeout) {
    return new DeliveryOptions().setSendTimeout(timeout.toMillis()).setLocalOnly(true);
  }

  private Future<JsonObject> json(
      @Nullable ConnectionId server, String address, JsonObject body, DeliveryOptions options) {
    return sender
        .<JsonObject>request(server, address, body, options)
        .map(Message::body)
        .recover(failure -> Future.failedFuture(named(address, failure)));
  }

  /** The result of {@code mcp.<id>.<suffix>}, with the bytes that the server wrote. */
  Future<Buffer> call(
      RoutingContext ctx, ConnectionId id, String suffix, RawJson body, boolean validate) {
    DeliveryOptions options = options(ctx, validate);
    String server = id.value();
    Operation wanted = PolicyCheck.toServer(server, suffix, body);
    Future<Buffer> result =
        gate.call(
            ctx,
            wanted,
            () -> {
              Requester caller = AdmittedRequests.requester(ctx, server);
              SealedCall call;
              try {
                call = tasks.new SealedCall(caller, server, suffix, body);
              } catch (McpFailure absent) {
                return Future.failedFuture(absent);
              }
              return call.sealed(send(ctx, caller, id, suffix, call.params(), options));
            });
    return wanted.action() == Action.CALL
        ? result // no list: there is nothing to filter
        : result.map(list -> PolicyFilter.visible(list, server, AdmittedRequests.of(ctx).rights()));
  }

  /** The result of an aggregate address. Each node serves it, so this node does. */
  Future<Buffer> callAll(RoutingContext ctx, String address, RawJson body, boolean validate) {
    DeliveryOptions options = options(ctx, validate).setLocalOnly(true);
    Rights rights = AdmittedRequests.of(ctx).rights();
    Requester caller = AdmittedRequests.requester(ctx, "");
    return gate.call(
        ctx,
        PolicyCheck.toAll(address, body),
        () ->
            switch (address) {
              case Addresses.ALL_TOOLS_CALL -> callNamed(ctx, caller, body, options);
              case Addresses.ALL_TOOLS_SEARCH ->
                  PermittedSearch.within(
                      body,
                      rights,
                      page -> sendAll(ctx, caller, address, page, new DeliveryOptions(options)));
              default ->
                  sendAll(ctx, caller, address, body, options)
                      .map(list -> PolicyFilter.visible(list, null, rights));
            });
  }

  /** A call of {@code server.tool}. A caller with policies calls the tool that was decided on. */
  private Future<Buffer> callNamed(
      RoutingContext ctx, Requester caller, RawJson params, DeliveryOptions options) {
    Optional<ToolName> tool = PolicyCheck.tool(params);
    if (!AdmittedRequests.of(ctx).rights().isUnbounded()) {
      tool.ifPresent(name -> options.addHeader(Headers.TOOL, name.toString()));
    }
    String server = tool.map(ToolName::server).orElse("");
    return tasks.new SealedCall(caller, server, Addresses.TOOLS_CALL, params)
        .sealed(sendAll(ctx, caller, Addresses.ALL_TOOLS_CALL, params, options));
  }

  private Future<Buffer> send(
      RoutingContext ctx,
      Requester caller,
      ConnectionId id,
      String suffix,
      RawJson params,
      DeliveryOptions options) {
    TelemetryOperation operation = measures.begin(ctx.request().headers(), suffix, params, options);
    String cancel = Addresses.of(id, Addresses.CANCEL);
    return send(ctx, caller, id, Addresses.of(id, suffix), cancel, params, options, operation);
  }

  private Future<Buffer> sendAll(
      RoutingContext ctx,
      Requester caller,
      String address,
      RawJson params,
      DeliveryOptions options) {
    TelemetryOperation operation =
        measures.begin(
            ctx.request().headers(), address.substring(Addresses.OURS.length()), params, options);
    return send(ctx, caller, null, address, null, params, options, operation);
  }

  /**
   * Sends to a service of this node.
   *
   * @param cancelAddress where the call is cancelled; null if it cannot be cancelled
   */
  Future<Buffer> sendLocal(
      RoutingContext ctx, String address, @Nullable String cancelAddress, RawJson body) {
    DeliveryOptions options = options(ctx, false).setLocalOnly(true);
    Requester caller = AdmittedRequests.requester(ctx, "");
    return send(ctx, caller, null, address, cancelAddress, body, options, null);
  }

  private Future<Buffer> send(
      RoutingContext ctx,
      Requester caller,
      @Nullable ConnectionId server,
      String address,
      @Nullable String cancelAddress,
      RawJson body,
      DeliveryOptions options,
      @Nullable TelemetryOperation operation) {
    if (ctx.response().closed()) {
      McpFailure gone =
          McpFailure.notSent(FailureCode.CANCELLED, "the client disconnected before the call");
      if (operation != null) {
        operation.failed(gone);
      }
      return Future.failedFuture(gone);
    }
    String own = ctx.request().getHeader(Headers.CALL_ID);
    String callId = caller.callId(own == null ? callIds.get() : own);
    caller.addTo(options).addHeader(Headers.CALL_ID, callId);
    callers
        .apply(AdmittedRequests.of(ctx).principal(), ctx.request().headers())
        .addHeaders(options);
    Future<Message<Object>> reply =
        sender
            .<Object>request(server, address, body.toBuffer(), options)
            .onComplete(
                message -> PolicyGate.repeated(ctx, CallHeaders.repeats(message.headers())),
                failure -> PolicyGate.repeated(ctx, McpFailure.of(failure).repeats()));
    if (operation != null) {
      String at = server == null ? "" : server.value();
      reply.onComplete(outcome -> MeasuredCalls.end(operation, at, outcome));
    }
    Future<Buffer> answer =
        reply
            .map(message -> bytes(message.body()))
            .recover(failure -> Future.failedFuture(named(address, failure)));
    if (cancelAddress != null) {
      AdmittedRequests.of(ctx)
          .onLeft(
              () -> {
                if (!answer.isComplete()) {
                  CallCancellation.publish(vertx, cancelAddress, callId);
                }
              });
    }
    return answer;
  }

  private McpFailure named(String address, Throwable failure) {
    String server = ServerAddress.parse(address).map(of -> of.server().value()).orElse("");
    return InvalidServers.explained(vertx, server, failure);
  }

  private static Buffer bytes(@Nullable Object body) {
    if (body instanceof Buffer buffer) {
      return buffer;
    }
    return body instanceof JsonObject json ? json.toBuffer() : RawJson.EMPTY_OBJECT.toBuffer();
  }

  private DeliveryOptions options(RoutingContext ctx, boolean validate) {
    DeliveryOptions options = AdmittedRequests.of(ctx).origin().addTo(new DeliveryOptions());
    String wish = QueryParameters.word(ctx, Headers.VALIDATE, FLAG);
    if (wish != null || validate) {
      options.addHeader(Headers.VALIDATE, wish == null ? "true" : wish);
    }
    CallHeaders.add(options, Headers.TASK, QueryParameters.word(ctx, Headers.TASK, FLAG));
    CallHeaders.add(options, Headers.CACHE, QueryParameters.word(ctx, Headers.CACHE, CACHE));
    CallHeaders.add(options, Headers.WAIT_LOGIN, ctx.request().getHeader(Headers.WAIT_LOGIN));
    String timeout = QueryParameters.get(ctx, "timeout");
    if (timeout == null) {
      timeout = ctx.request().getHeader("Timeout");
    }
    long left = timeout == null ? CallDeadline.NONE : millis(timeout);
    CallDeadline.set(options, left, CallDeadline.Layer.CALLER);
    String progress = ctx.request().getHeader("Progress");
    return progress == null
        ? options
        : options.addHeader(Headers.PROGRESS, progressAddress(progress));
  }

  /** Where the caller listens to the progress of its call, over a socket of the event bus. */
  private static String progressAddress(String name) {
    String address = Addresses.PROGRESS + name;
    if (EventBusRules.isProgress(address)) {
      return address;
    }
    throw McpFailure.badRequest("header Progress: must be 16 to 64 letters, digits or hyphens");
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
    throw McpFailure.badRequest("timeout: must be milliseconds from 1 to " + MAX_DEADLINE_MILLIS);
  }
}
