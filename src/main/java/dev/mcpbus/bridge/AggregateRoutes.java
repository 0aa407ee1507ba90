package dev.mcpbus.bridge;

import dev.mcpbus.bridge.Route.Param;
import dev.mcpbus.bus.Addresses;
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
final class AggregateRoutes {

  private static final Param FORM =
      Param.text("form", "openai, openai-responses, anthropic, gemini, bedrock or ai-sdk.");
  private static final Param SERVERS = Param.texts("server", "Only tools of these servers.");
  private static final Param STRICT = Param.flag("strict", "Schemas as strict modes want them.");

  private final BridgeCalls calls;
  private final FunctionCalls functions;
  private final ParseLimits limits;

  AggregateRoutes(BridgeCalls calls, FunctionCalls functions, ParseLimits limits) {
    this.calls = calls;
    this.functions = functions;
    this.limits = limits;
  }

  void mount(RouteTable routes) {
    routes.add(
        Route.get(
                "/api/tools",
                Action.LIST,
                "listAllTools",
                "The tools of all servers; with a form, as functions of a model's API.")
            .with(ServerRoutes.TIMEOUT, ServerRoutes.CURSOR, FORM, SERVERS, STRICT),
        this::listTools);
    routes.add(
        Route.get("/api/tools/search", Action.LIST, "searchTools", "Tools by what they are for.")
            .with(
                ServerRoutes.TIMEOUT,
                Param.text("q", "What the tool should do, in words."),
                Param.whole("limit", "At most so many; 10 without it, 100 at most."),
                Param.whole("offset", "Leave out so many of the best."),
                Param.flag("skills", "The best skills, too."),
                SERVERS),
        this::search);
    routes.add(
        Route.post(
                "/api/tools/call",
                Action.CALL,
                "callFunction",
                "One function call of a model, in the form that the query says.")
            .with(ServerRoutes.TIMEOUT, FORM, SERVERS, STRICT),
        this::callFunction);
    routes.add(
        Route.post(
                "/api/tools/:tool",
                Action.CALL,
                "callNamedTool",
                "Calls server.tool or server:tool; the body is its arguments.")
            .with(ServerRoutes.TIMEOUT, ServerRoutes.VALIDATE, ServerRoutes.TASK)
            .giving("ToolResult"),
        this::callNamed);
    routes.add(
        Route.get("/api/resources", Action.LIST, "listAllResources", "Resources of all servers.")
            .with(ServerRoutes.TIMEOUT, ServerRoutes.CURSOR)
            .giving("ResourceList"),
        ctx -> listAll(ctx, Addresses.ALL_RESOURCES_LIST));
    routes.add(
        Route.get("/api/skills", Action.LIST, "listAllSkills", "Skills of all servers.")
            .with(ServerRoutes.TIMEOUT, ServerRoutes.CURSOR)
            .giving("SkillList"),
        ctx -> listAll(ctx, Addresses.ALL_SKILLS_LIST));
    routes.add(
        Route.get("/api/prompts", Action.LIST, "listAllPrompts", "Prompts of all servers.")
            .with(ServerRoutes.TIMEOUT, ServerRoutes.CURSOR)
            .giving("PromptList"),
        ctx -> listAll(ctx, Addresses.ALL_PROMPTS_LIST));
  }

  /** Calls the server itself if the name contains its id: such a call can be cancelled. */
  private void callNamed(RoutingContext ctx, Buffer body) {
    String name = ctx.pathParam("tool");
    int cut = RpcRoute.separator(name);
    Optional<ConnectionId> server =
        cut < 1 ? Optional.empty() : ConnectionId.parse(name.substring(0, cut));
    ServerRoutes.answer(
        ctx,
        server.isPresent()
            ? calls.call(
                ctx,
                server.get(),
                Addresses.TOOLS_CALL,
                ServerRoutes.toolCall(name.substring(cut + 1), ServerRoutes.object(body, limits)),
                true)
            : calls.callAll(
                ctx,
                Addresses.ALL_TOOLS_CALL,
                ServerRoutes.toolCall(name, ServerRoutes.object(body, limits)),
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
        RawJson.of(functionRequest(ctx)).with("call", ServerRoutes.object(body, limits));
    ServerRoutes.answer(ctx, functions.call(ctx, request));
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
      request.put("servers", new JsonArray(servers.stream().map(ServerRoutes::named).toList()));
    }
  }

  private void listAll(RoutingContext ctx, String address) {
    document(ctx, calls.callAll(ctx, address, ServerRoutes.cursor(ctx), false));
  }

  /** Answers with a list that mcpbus has put together. */
  private static void document(RoutingContext ctx, Future<Buffer> list) {
    list.onSuccess(json -> RouteTable.document(ctx, 200, json)).onFailure(ctx::fail);
  }
}
