package dev.mcpbus.bridge;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.AggregateOperation;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.protocol.ParseLimits;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.security.Action;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import java.util.List;
import java.util.Optional;

/**
 * {@code /api/tools}, {@code /api/resources}, {@code /api/skills}, {@code /api/prompts}: all
 * servers together. Used on the bridge's context.
 */
record AggregateRoutes(BridgeCalls calls, FunctionCalls functions, ParseLimits limits) {

  void mount(RouteTable routes) {
    routes.add(route(AggregateOperation.TOOLS_LIST, Action.LIST), this::listTools);
    routes.add(route(AggregateOperation.TOOLS_SEARCH, Action.LIST), this::search);
    routes.add(route(AggregateOperation.TOOLS_FUNCTIONS_CALL, Action.CALL), this::callFunction);
    routes.add(route(AggregateOperation.TOOLS_CALL, Action.CALL), this::callNamed);
    for (AggregateOperation row :
        List.of(
            AggregateOperation.RESOURCES_LIST,
            AggregateOperation.SKILLS_LIST,
            AggregateOperation.PROMPTS_LIST)) {
      routes.add(route(row, Action.LIST), ctx -> listAll(ctx, row.address));
    }
  }

  private static Route route(AggregateOperation row, Action action) {
    return Route.of(row.paths.get(0), action);
  }

  /** Calls the server itself if the name contains its id: such a call can be cancelled. */
  private void callNamed(RoutingContext ctx, Buffer body) {
    String name = ctx.pathParam("tool");
    int cut = RpcRoute.separator(name);
    Optional<ConnectionId> server =
        cut < 1 ? Optional.empty() : ConnectionId.parse(name.substring(0, cut));
    OperationRoutes.answer(
        ctx,
        server.isPresent()
            ? calls.call(
                ctx,
                server.get(),
                Addresses.TOOLS_CALL,
                OperationRoutes.toolCall(
                    name.substring(cut + 1), OperationRoutes.object(body, limits)),
                true)
            : calls.callAll(
                ctx,
                Addresses.ALL_TOOLS_CALL,
                OperationRoutes.toolCall(name, OperationRoutes.object(body, limits)),
                true));
  }

  /** Lists tools as MCP does; with {@code form} as functions of a model's API. */
  private void listTools(RoutingContext ctx) {
    if (QueryParameters.get(ctx, "form") == null) {
      listAll(ctx, Addresses.ALL_TOOLS_LIST);
    } else {
      document(ctx, functions.list(ctx, RawJson.of(functionRequest(ctx))));
    }
  }

  private void callFunction(RoutingContext ctx, Buffer body) {
    RawJson request =
        RawJson.of(functionRequest(ctx)).with("call", OperationRoutes.object(body, limits));
    OperationRoutes.answer(ctx, functions.call(ctx, request));
  }

  private static JsonObject functionRequest(RoutingContext ctx) {
    JsonObject request = new JsonObject();
    String form = QueryParameters.get(ctx, "form");
    if (form != null) {
      request.put("form", form);
    }
    putServers(request, ctx);
    if (QueryParameters.isTrue(ctx, "strict")) {
      request.put("strict", true);
    }
    return request;
  }

  private void search(RoutingContext ctx) {
    String query = ctx.request().getParam("q");
    JsonObject request = new JsonObject().put("query", query == null ? "" : query);
    putNumber(request, "limit", ctx);
    putNumber(request, "offset", ctx);
    putServers(request, ctx);
    if (QueryParameters.isTrue(ctx, "skills")) {
      request.put("skills", true);
    }
    document(ctx, calls.callAll(ctx, Addresses.ALL_TOOLS_SEARCH, RawJson.of(request), false));
  }

  private static void putNumber(JsonObject request, String name, RoutingContext ctx) {
    String text = ctx.request().getParam(name);
    if (text != null) {
      try {
        request.put(name, Integer.parseInt(text));
      } catch (NumberFormatException e) {
        throw McpFailure.badRequest(name + ": must be a whole number");
      }
    }
  }

  private static void putServers(JsonObject request, RoutingContext ctx) {
    List<String> servers = ctx.queryParam("server");
    if (!servers.isEmpty()) {
      request.put("servers", new JsonArray(servers.stream().map(OperationRoutes::named).toList()));
    }
  }

  private void listAll(RoutingContext ctx, String address) {
    document(ctx, calls.callAll(ctx, address, OperationRoutes.cursor(ctx), false));
  }

  /** Answers with a list that mcpbus has put together. */
  private static void document(RoutingContext ctx, Future<Buffer> list) {
    list.onSuccess(json -> RouteTable.document(ctx, 200, json)).onFailure(ctx::fail);
  }
}
