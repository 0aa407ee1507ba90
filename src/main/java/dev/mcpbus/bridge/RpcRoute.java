package dev.mcpbus.bridge;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.AggregateOperation;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.HttpQuery;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.ServerOperation;
import dev.mcpbus.protocol.Envelope;
import dev.mcpbus.protocol.JsonRpcError;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.ParseLimits;
import dev.mcpbus.protocol.ProtocolException;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.security.Action;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * {@code POST /rpc}: one JSON-RPC 2.0 request per HTTP request. The server is named by a member
 * {@code serverId} beside or inside {@code params}, or by the tool's name, {@code serverId:tool} or
 * {@code serverId.tool}. Id and result pass as bytes. Used on the bridge's context.
 *
 * <p>JSON-RPC errors have status 200, except 400 if the body is not a JSON-RPC request. A message
 * without an id is answered 202 and dropped: its failure could not be reported.
 */
record RpcRoute(BridgeCalls calls, ParseLimits limits) {

  void mount(RouteTable routes) {
    routes.add(
        Route.post("/rpc", Action.CALL, "rpc", "One JSON-RPC 2.0 request.")
            .with(HttpQuery.TIMEOUT)
            .taking("JsonRpcRequest")
            .giving("JsonRpcResponse"),
        this::handle);
  }

  private void handle(RoutingContext ctx, Buffer body) {
    Envelope request;
    try {
      byte[] bytes = body.getBytes();
      request = Envelope.parse(bytes, 0, bytes.length, limits);
    } catch (ProtocolException e) {
      refuse(ctx, e);
      return;
    }
    RawJson id = request.id();
    if (request.kind() == Envelope.Kind.NOTIFICATION) {
      ctx.response().setStatusCode(202).end();
    } else if (request.kind() != Envelope.Kind.REQUEST || id == null) {
      error(ctx, 400, RawJson.NULL, JsonRpcError.INVALID_REQUEST, "expected a request", null);
    } else {
      Future<Buffer> result;
      try {
        result = route(ctx, request);
      } catch (RuntimeException e) {
        result = Future.failedFuture(e);
      }
      result
          .onSuccess(bytes -> respond(ctx, 200, id, "result", bytes))
          .onFailure(failure -> fail(ctx, id, request.method(), failure));
    }
  }

  private Future<Buffer> route(RoutingContext ctx, Envelope request) {
    RawJson params = request.params();
    RawJson named = request.text().member("serverId");
    if (named == null) {
      named = params.member("serverId");
      params = params.without("serverId");
    }
    ConnectionId server = named == null ? null : serverId(named);
    String method = request.method();
    PolicyGate.operation(ctx, method);
    if (method.equals(Methods.TOOLS_CALL)) {
      return callTool(ctx, server, params);
    }
    ServerOperation target = ServerOperation.ofMethod(method);
    if (server != null) {
      return target != null
          ? calls.call(ctx, server, target.suffix, params, false)
          : calls.call(ctx, server, Addresses.REQUEST, raw(method, params), false);
    }
    if (method.equals(Methods.PING)) {
      return Future.succeededFuture(RawJson.EMPTY_OBJECT.toBuffer());
    }
    AggregateOperation all = AggregateOperation.ofMethod(method);
    if (all != null) {
      return calls.callAll(ctx, all.address, params, false);
    }
    throw McpFailure.badRequest(
        "serverId: this method is for one server; name it beside or inside params");
  }

  private static RawJson raw(String method, RawJson params) {
    return RawJson.EMPTY_OBJECT.with("params", params).with("method", RawJson.string(method));
  }

  private Future<Buffer> callTool(RoutingContext ctx, @Nullable ConnectionId server, RawJson call) {
    RawJson name = call.member("name");
    if (name == null || !name.isString()) {
      throw McpFailure.badRequest(
          "params.name: tools/call wants the tool's name, serverId:toolName");
    }
    RawJson arguments = call.member("arguments");
    RawJson params = arguments == null ? call.with("arguments", RawJson.EMPTY_OBJECT) : call;
    String tool = name.asString();
    int cut = separator(tool);
    ConnectionId prefix = cut < 1 ? null : ConnectionId.parse(tool.substring(0, cut)).orElse(null);
    if (prefix == null) {
      return server == null
          ? calls.callAll(ctx, Addresses.ALL_TOOLS_CALL, params, false)
          : calls.call(ctx, server, Addresses.TOOLS_CALL, params, false);
    }
    RawJson stripped = params.with("name", RawJson.string(tool.substring(cut + 1)));
    if (server == null || (server.equals(prefix) && tool.charAt(cut) == ':')) {
      return calls.call(ctx, prefix, Addresses.TOOLS_CALL, stripped, false);
    }
    if (tool.charAt(cut) == '.') {
      // With serverId beside it, a dot belongs to the tool's own name.
      return calls.call(ctx, server, Addresses.TOOLS_CALL, params, false);
    }
    // The prefix and serverId differ: the prefix wins if it is a server, else it is no prefix.
    return calls
        .knows(ctx, prefix)
        .compose(
            known ->
                known
                    ? calls.call(ctx, prefix, Addresses.TOOLS_CALL, stripped, false)
                    : calls.call(ctx, server, Addresses.TOOLS_CALL, params, false));
  }

  /** Ids contain neither a dot nor a colon, so the first of them ends the id. */
  static int separator(String name) {
    int colon = name.indexOf(':');
    int dot = name.indexOf('.');
    return colon < 0 || (dot >= 0 && dot < colon) ? dot : colon;
  }

  private static ConnectionId serverId(RawJson value) {
    if (!value.isString()) {
      throw McpFailure.badRequest("serverId: must be a string");
    }
    String text = value.asString();
    return ConnectionId.named(text)
        .orElseThrow(
            () ->
                McpFailure.notSent(
                    FailureCode.UNKNOWN_CONNECTION, "serverId: " + ConnectionId.problem(text)));
  }

  private static void refuse(RoutingContext ctx, ProtocolException e) {
    int code =
        switch (e.reason()) {
          case BATCH, DUPLICATE_KEY, NOT_JSON_RPC -> JsonRpcError.INVALID_REQUEST;
          default -> JsonRpcError.PARSE_ERROR;
        };
    error(
        ctx,
        400,
        RawJson.NULL,
        code,
        String.valueOf(e.getMessage()),
        ProblemDocument.of(e).toJson());
  }

  private static void fail(RoutingContext ctx, RawJson id, String method, Throwable failure) {
    McpFailure mine =
        failure instanceof McpFailure known
            ? known
            : ProblemDocument.defect("/rpc " + method, failure);
    respond(ctx, 200, id, "error", mine.toJsonRpcError().toBuffer());
  }

  private static void error(
      RoutingContext ctx,
      int status,
      RawJson id,
      int code,
      String message,
      @Nullable JsonObject data) {
    JsonObject error = new JsonObject().put("code", code).put("message", message);
    if (data != null) {
      data.remove("message");
      error.put("data", data);
    }
    respond(ctx, status, id, "error", error.toBuffer());
  }

  private static void respond(
      RoutingContext ctx, int status, RawJson id, String member, Buffer payload) {
    byte[] head = "{\"jsonrpc\":\"2.0\",\"id\":".getBytes(StandardCharsets.US_ASCII);
    Buffer out = Buffer.buffer(head.length + id.length() + payload.length() + 16);
    out.appendBytes(head)
        .appendBytes(id.array(), id.offset(), id.length())
        .appendString(",\"" + member + "\":")
        .appendBuffer(payload)
        .appendString("}\n");
    RouteTable.json(ctx, status, out);
  }
}
