package dev.mcpbus.bridge;

import dev.mcpbus.bridge.Route.Param;
import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.protocol.ParseLimits;
import dev.mcpbus.protocol.ProtocolException;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.security.Action;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;

/**
 * {@code /api/servers/{id}/...}: the lists and the calls of one server. A path is its bus address
 * with slashes; a body is the MCP params, or the arguments if the path names the tool, prompt or
 * task. Results pass as bytes. Used on the bridge's context.
 */
final class ServerRoutes {

  private static final int MAX_READ = 256 * 1024;

  /** A {@code null} and some blanks. */
  private static final int MAX_ABSENT = 16;

  private static final String ONE = "/api/servers/:id";

  static final Param TIMEOUT =
      Param.whole("timeout", "Milliseconds that the caller waits; also as a header.");
  static final Param CURSOR = Param.text("cursor", "One page; without it all pages are followed.");
  static final Param CACHE =
      Param.word("cache", "Take what is kept, or ask the server anew.", "use", "refresh");
  static final Param VALIDATE =
      Param.flag("validate", "Check the arguments against the input schema first; default true.");
  static final Param TASK = Param.flag("task", "Answer with the task, where the server makes one.");

  private final BridgeCalls calls;
  private final ParseLimits limits;

  ServerRoutes(BridgeCalls calls, ParseLimits limits) {
    this.calls = calls;
    this.limits = limits;
  }

  void mount(RouteTable routes) {
    tools(routes);
    resources(routes);
    new SkillRoutes(calls, limits).mount(routes);
    prompts(routes);
    tasks(routes);
    others(routes);
  }

  private void tools(RouteTable routes) {
    list(routes, "tools", "listTools", "The tools of a server.", Addresses.TOOLS_LIST, "ToolList");
    // Not below tools/, where any name may be that of a tool.
    look(
        routes,
        "metadata",
        "getToolMetadata",
        "The _meta of each tool, by name.",
        Addresses.TOOLS_METADATA,
        "Object");
    routes.add(
        Route.post(
                ONE + "/tools/:tool",
                Action.CALL,
                "callTool",
                "Calls a tool; the body is its arguments.")
            .with(TIMEOUT, VALIDATE, TASK)
            .giving("ToolResult"),
        this::callTool);
    look(
        routes,
        "drift",
        "getDrift",
        "How the tools have changed since they were approved.",
        Addresses.TOOLS_DRIFT,
        "Object");
    call(
        routes,
        Route.post(
                ONE + "/drift/approve",
                Action.ADMIN,
                "approveTools",
                "Approves a tool as it is now, or all of them.")
            .taking("Approval"),
        Addresses.TOOLS_APPROVE);
  }

  private void resources(RouteTable routes) {
    list(
        routes,
        "resources",
        "listResources",
        "The resources of a server.",
        Addresses.RESOURCES_LIST,
        "ResourceList");
    list(
        routes,
        "resources/templates",
        "listResourceTemplates",
        "The resource templates of a server.",
        Addresses.RESOURCES_TEMPLATES,
        "ResourceTemplateList");
    routes.add(
        Route.get(
                ONE + "/resources/read",
                Action.READ,
                "getResource",
                "Reads a resource that the query names.")
            .with(Param.text("uri", "The resource.").must(), TIMEOUT, CACHE)
            .giving("ResourceContents"),
        ctx ->
            send(
                ctx,
                Addresses.RESOURCES_READ,
                RawJson.EMPTY_OBJECT.with(
                    "uri", RawJson.string(QueryParameters.required(ctx, "uri")))));
    call(
        routes,
        Route.post(ONE + "/resources/read", Action.READ, "readResource", "Reads a resource.")
            .with(CACHE)
            .taking("ResourceParams")
            .giving("ResourceContents"),
        Addresses.RESOURCES_READ);
    call(
        routes,
        Route.post(
                ONE + "/resources/subscribe",
                Action.SUBSCRIBE,
                "subscribeResource",
                "Wants events of type resourceUpdated.")
            .taking("ResourceParams"),
        Addresses.RESOURCES_SUBSCRIBE);
    call(
        routes,
        Route.post(
                ONE + "/resources/unsubscribe",
                Action.SUBSCRIBE,
                "unsubscribeResource",
                "Wants them no longer.")
            .taking("ResourceParams"),
        Addresses.RESOURCES_UNSUBSCRIBE);
  }

  private void prompts(RouteTable routes) {
    list(
        routes,
        "prompts",
        "listPrompts",
        "The prompts of a server.",
        Addresses.PROMPTS_LIST,
        "PromptList");
    routes.add(
        Route.post(
                ONE + "/prompts/:prompt",
                Action.GET,
                "getPrompt",
                "Fills in a prompt; the body is its arguments.")
            .with(TIMEOUT)
            .giving("PromptResult"),
        (ctx, body) ->
            send(
                ctx,
                Addresses.PROMPTS_GET,
                RawJson.EMPTY_OBJECT
                    .with("arguments", object(body))
                    .with("name", RawJson.string(ctx.pathParam("prompt")))));
  }

  private void tasks(RouteTable routes) {
    list(
        routes,
        "tasks",
        "listTasks",
        "The tasks of a server; of 2025-11-25 alone.",
        Addresses.TASKS_LIST,
        "Object");
    String one = ONE + "/tasks/:task";
    routes.add(
        Route.get(one, Action.CALL, "getTask", "A task as it stands.").with(TIMEOUT),
        ctx -> task(ctx, Addresses.TASKS_GET, RawJson.EMPTY_OBJECT));
    routes.add(
        Route.get(
                one + "/result", Action.CALL, "getTaskResult", "A task's result, when it is over.")
            .with(TIMEOUT),
        ctx -> task(ctx, Addresses.TASKS_RESULT, RawJson.EMPTY_OBJECT));
    routes.add(
        Route.post(one + "/update", Action.CALL, "updateTask", "Gives a task what it asked for.")
            .with(TIMEOUT)
            .taking("TaskUpdate"),
        (ctx, body) -> task(ctx, Addresses.TASKS_UPDATE, params(body)));
    routes.add(
        Route.post(one + "/cancel", Action.CALL, "cancelTask", "Gives a task up.").with(TIMEOUT),
        (ctx, body) -> task(ctx, Addresses.TASKS_CANCEL, params(body)));
  }

  private void others(RouteTable routes) {
    call(
        routes,
        Route.post(
                ONE + "/completion",
                Action.GET,
                "complete",
                "Completes an argument of a prompt or template.")
            .taking("CompletionParams")
            .giving("CompletionResult"),
        Addresses.COMPLETION);
    call(
        routes,
        Route.post(ONE + "/ping", Action.CALL, "ping", "Asks the server whether it is there."),
        Addresses.PING);
    call(
        routes,
        Route.post(ONE + "/loglevel", Action.ADMIN, "setLogLevel", "What the server logs from now.")
            .taking("LogLevel"),
        Addresses.LOGLEVEL);
    call(
        routes,
        Route.post(ONE + "/request", Action.CALL, "request", "Any method of MCP.")
            .taking("RawRequest"),
        Addresses.REQUEST);
    routes.add(
        Route.post(
                ONE + "/cancel",
                Action.CALL,
                "cancelCall",
                "Ends a call that was made with the header Call-Id.")
            .taking("CallId")
            .giving("Cancelled"),
        (ctx, body) -> document(ctx, calls.cancel(ctx, id(ctx), read(body, limits))));
  }

  // ---- kinds of routes

  private void list(
      RouteTable routes, String path, String id, String summary, String suffix, String schema) {
    routes.add(
        Route.get(ONE + "/" + path, Action.LIST, id, summary)
            .with(TIMEOUT, CURSOR, CACHE)
            .giving(schema),
        ctx -> send(ctx, suffix, cursor(ctx)));
  }

  private void look(
      RouteTable routes, String path, String id, String summary, String suffix, String schema) {
    routes.add(
        Route.get(ONE + "/" + path, Action.LIST, id, summary).with(TIMEOUT).giving(schema),
        ctx -> send(ctx, suffix, RawJson.EMPTY_OBJECT));
  }

  private void call(RouteTable routes, Route route, String suffix) {
    routes.add(route.with(TIMEOUT), (ctx, body) -> send(ctx, suffix, params(body)));
  }

  // ---- handlers

  private void send(RoutingContext ctx, String suffix, RawJson params) {
    answer(ctx, calls.call(ctx, id(ctx), suffix, params, false));
  }

  private void task(RoutingContext ctx, String suffix, RawJson params) {
    RawJson task = RawJson.string(ctx.pathParam("task"));
    send(ctx, suffix, params.without("taskId").with("taskId", task));
  }

  private void callTool(RoutingContext ctx, Buffer body) {
    answer(
        ctx,
        calls.call(
            ctx,
            id(ctx),
            Addresses.TOOLS_CALL,
            toolCall(ctx.pathParam("tool"), object(body)),
            true));
  }

  static RawJson toolCall(String tool, RawJson arguments) {
    return RawJson.EMPTY_OBJECT.with("arguments", arguments).with("name", RawJson.string(tool));
  }

  static RawJson cursor(RoutingContext ctx) {
    String cursor = QueryParameters.get(ctx, "cursor");
    return cursor == null
        ? RawJson.EMPTY_OBJECT
        : RawJson.EMPTY_OBJECT.with("cursor", RawJson.string(cursor));
  }

  private RawJson object(Buffer body) {
    return object(body, limits);
  }

  /** The params of a request. */
  private RawJson params(Buffer body) {
    if (isAbsent(body)) {
      return RawJson.EMPTY_OBJECT;
    }
    try {
      return RawJson.checkedParams(body, limits);
    } catch (ProtocolException e) {
      throw ProblemDocument.of(e);
    }
  }

  /** A body that mcpbus itself reads, as objects: they may take a hundred times its bytes. */
  static JsonObject read(Buffer body, ParseLimits limits) {
    int most = Math.min(MAX_READ, limits.maxBytes());
    return object(body, limits.withMaxBytes(most)).toJsonObject();
  }

  /** The JSON object of a body; {@code {}} for an empty body and for {@code null}. */
  static RawJson object(Buffer body, ParseLimits limits) {
    if (isAbsent(body)) {
      return RawJson.EMPTY_OBJECT;
    }
    try {
      return RawJson.checkedObject(body, limits);
    } catch (ProtocolException e) {
      throw ProblemDocument.of(e);
    }
  }

  private static boolean isAbsent(Buffer body) {
    return body.length() <= MAX_ABSENT
        && (body.length() == 0 || body.toString().strip().equals("null"));
  }

  /** The server of the path, by its id or its name as written; everything after goes by the id. */
  static ConnectionId id(RoutingContext ctx) {
    String text = ctx.pathParam("id");
    return ConnectionId.named(text)
        .orElseThrow(
            () ->
                McpFailure.notSent(
                    FailureCode.UNKNOWN_CONNECTION, String.valueOf(ConnectionId.problem(text))));
  }

  /** The id of the server that a query means; the text itself where no server can be meant. */
  static String named(String server) {
    return ConnectionId.named(server).map(ConnectionId::value).orElse(server);
  }

  /** Answers with a document of mcpbus. */
  static void document(RoutingContext ctx, Future<JsonObject> document) {
    document.onSuccess(json -> RouteTable.document(ctx, 200, json)).onFailure(ctx::fail);
  }

  /** Answers with a result, byte for byte. */
  static void answer(RoutingContext ctx, Future<Buffer> result) {
    result.onSuccess(json -> RouteTable.json(ctx, 200, json)).onFailure(ctx::fail);
  }
}
