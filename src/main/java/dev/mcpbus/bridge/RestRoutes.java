package dev.mcpbus.bridge;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.protocol.ParseLimits;
import dev.mcpbus.protocol.ProtocolException;
import dev.mcpbus.protocol.RawJson;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import java.time.Duration;
import java.util.List;

/** {@code /api}: one path per server and list, and one per tool. Results pass as bytes. */
final class RestRoutes {

  private static final Duration ASK_TIMEOUT = Duration.ofSeconds(10);

  private final BusCalls calls;
  private final ParseLimits limits;

  RestRoutes(BusCalls calls, ParseLimits limits) {
    this.calls = calls;
    this.limits = limits;
  }

  void mount(Routes routes) {
    routes.get("/api/servers", ctx -> ask(ctx, Addresses.SERVERS_LIST, new JsonObject()));
    routes.get(
        "/api/servers/:id",
        ctx -> ask(ctx, Addresses.SERVERS_GET, new JsonObject().put("id", id(ctx).value())));
    routes.get("/api/servers/:id/tools", ctx -> list(ctx, Addresses.TOOLS_LIST));
    routes.get("/api/servers/:id/resources", ctx -> list(ctx, Addresses.RESOURCES_LIST));
    routes.get(
        "/api/servers/:id/resources/templates", ctx -> list(ctx, Addresses.RESOURCES_TEMPLATES));
    routes.get("/api/servers/:id/prompts", ctx -> list(ctx, Addresses.PROMPTS_LIST));
    routes.get("/api/tools", this::listTools);
    routes.get("/api/tools/search", ctx -> answer(ctx, Search.ask(calls, ctx)));
    routes.post("/api/tools/call", this::callFunction);
    routes.get("/api/resources", ctx -> listAll(ctx, Addresses.ALL_RESOURCES_LIST));
    routes.get("/api/prompts", ctx -> listAll(ctx, Addresses.ALL_PROMPTS_LIST));
    routes.post("/api/servers/:id/tools/:tool", this::callTool);
    routes.get("/api/servers/:id/drift", ctx -> list(ctx, Addresses.TOOLS_DRIFT));
    routes.post("/api/servers/:id/drift/approve", this::approve);
  }

  /** As MCP lists them; with {@code form} as functions of a model's API. */
  private void listTools(RoutingContext ctx) {
    if (ctx.request().getParam("form") == null) {
      listAll(ctx, Addresses.ALL_TOOLS_LIST);
    } else {
      answer(ctx, calls.listFunctions(ctx, RawJson.of(functions(ctx))));
    }
  }

  /** The body is one function call of a model, in the form that the query says. */
  private void callFunction(RoutingContext ctx, Buffer body) {
    RawJson request = RawJson.of(functions(ctx)).with("call", object(body));
    answer(ctx, calls.callFunction(ctx, request));
  }

  private static JsonObject functions(RoutingContext ctx) {
    JsonObject request = new JsonObject();
    String form = ctx.request().getParam("form");
    if (form != null) {
      request.put("form", form);
    }
    List<String> servers = ctx.queryParam("server");
    if (!servers.isEmpty()) {
      request.put("servers", new JsonArray(servers));
    }
    if ("true".equals(ctx.request().getParam("strict"))) {
      request.put("strict", true);
    }
    return request;
  }

  private void ask(RoutingContext ctx, String address, JsonObject body) {
    answer(ctx, calls.ask(ctx, address, body, ASK_TIMEOUT).map(JsonObject::toBuffer));
  }

  private void list(RoutingContext ctx, String suffix) {
    answer(ctx, calls.call(ctx, id(ctx), suffix, cursor(ctx), false));
  }

  private void listAll(RoutingContext ctx, String address) {
    answer(ctx, calls.callAll(ctx, address, cursor(ctx)));
  }

  /** The page that is asked for; without a cursor the connection follows all of them. */
  private static RawJson cursor(RoutingContext ctx) {
    String cursor = ctx.request().getParam("cursor");
    return cursor == null
        ? RawJson.EMPTY_OBJECT
        : RawJson.EMPTY_OBJECT.with("cursor", RawJson.string(cursor));
  }

  private void callTool(RoutingContext ctx, Buffer body) {
    ConnectionId id = id(ctx);
    RawJson params =
        RawJson.EMPTY_OBJECT
            .with("arguments", object(body))
            .with("name", RawJson.string(ctx.pathParam("tool")));
    answer(ctx, calls.call(ctx, id, Addresses.TOOLS_CALL, params, true));
  }

  /** Body: {@code {tool?, hash?}}. Not below {@code tools/}, where any name may be a tool. */
  private void approve(RoutingContext ctx, Buffer body) {
    answer(ctx, calls.call(ctx, id(ctx), Addresses.TOOLS_APPROVE, object(body), false));
  }

  private RawJson object(Buffer body) {
    if (body.length() == 0) {
      return RawJson.EMPTY_OBJECT;
    }
    try {
      return RawJson.checkedObject(body, limits);
    } catch (ProtocolException e) {
      throw Problem.of(e);
    }
  }

  private static ConnectionId id(RoutingContext ctx) {
    String text = ctx.pathParam("id");
    return ConnectionId.parse(text)
        .orElseThrow(
            () ->
                McpFailure.notSent(
                    FailureCode.UNKNOWN_CONNECTION, String.valueOf(ConnectionId.problem(text))));
  }

  private static void answer(RoutingContext ctx, Future<Buffer> result) {
    result.onSuccess(json -> Routes.json(ctx.response(), 200, json)).onFailure(ctx::fail);
  }
}
