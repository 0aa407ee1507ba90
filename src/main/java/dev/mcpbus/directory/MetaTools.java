package dev.mcpbus.directory;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.RequestSender;
import dev.mcpbus.bus.RoutingName;
import dev.mcpbus.bus.ToolName;
import dev.mcpbus.bus.ToolSearchResult;
import dev.mcpbus.bus.ToolSearchResult.FoundTool;
import dev.mcpbus.protocol.PublicApi;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Three tools in place of a list of thousands, which would fill a model's context: {@value
 * #SEARCH}, {@value #DESCRIBE} and {@value #CALL}. This class has their definitions and executes
 * them over the bus; its caller, such as the gateway, lists them to models.
 *
 * <p>A failure is a result with {@code isError} whose text names the remedy, because a model can
 * act on that. Any thread; futures always succeed.
 */
@PublicApi
public final class MetaTools {

  public static final String SEARCH = "search_tools";
  public static final String DESCRIBE = "describe_tool";
  public static final String CALL = "call_tool";

  private static final int DEFAULT_LIMIT = 10;
  private static final int MAX_LIMIT = 50;
  private static final int MAX_SHOWN = 300;

  /** The most tools that one search reads to fill a page of a narrow scope. */
  private static final int MOST_READ = 2_000;

  /** The tools that the model may see, and their names. Without side effects. */
  public interface ToolScope {

    /** All tools, as {@code server__tool}. */
    ToolScope ALL = new ToolScope() {};

    /** Ids of the servers; empty for all. */
    default List<String> servers() {
      return List.of();
    }

    /**
     * Whether the model may see a tool.
     *
     * @param tool the server's own name
     */
    default boolean admits(ToolName tool) {
      return true;
    }

    default String nameOf(ToolName tool) {
      return RoutingName.of(tool);
    }

    /** The name for {@code mcp.tools.call} of a name that the model was shown. */
    default String busName(String shown) {
      return shown;
    }
  }

  private final Vertx vertx;
  private final ToolScope scope;

  public MetaTools(Vertx vertx, ToolScope scope) {
    this.vertx = vertx;
    this.scope = scope;
  }

  public static boolean isMeta(String name) {
    return Set.of(SEARCH, DESCRIBE, CALL).contains(name);
  }

  /** The definitions of the three for {@code tools/list}; a new copy each time. */
  public static JsonArray definitions() {
    return new JsonArray(
        """
        [{"name": "search_tools",
          "title": "Search tools",
          "description": "Find tools by what they do. There are many more tools than are listed \
        here: search before you conclude that something cannot be done. Use a few plain words such \
        as \\"create github issue\\"; try other words where nothing fits. Returns names and short \
        descriptions, best match first. Then call describe_tool for the parameters and call_tool \
        to run it.",
          "inputSchema": {"type": "object", "properties": {
            "query": {"type": "string", "description":
              "What the tool should do, in a few words. Empty lists all tools."},
            "limit": {"type": "integer", "minimum": 1, "maximum": 50, "default": 10,
              "description": "How many tools to return at most."},
            "servers": {"type": "array", "items": {"type": "string"},
              "description": "Only tools of these servers, by the ids that results show."}},
            "required": ["query"]},
          "annotations": {"readOnlyHint": true, "openWorldHint": false}},
         {"name": "describe_tool",
          "title": "Describe a tool",
          "description": "Get the full definition of one tool: its description and the JSON Schema \
        of its arguments. Call this before call_tool unless you know the arguments already.",
          "inputSchema": {"type": "object", "properties": {
            "name": {"type": "string", "description": "The name exactly as search_tools shows it."}},
            "required": ["name"]},
          "annotations": {"readOnlyHint": true, "openWorldHint": false}},
         {"name": "call_tool",
          "title": "Call a tool",
          "description": "Run one tool that search_tools found, and get its result. The arguments \
        must fit the inputSchema that describe_tool shows. The tool may change data: what its \
        description says about that holds.",
          "inputSchema": {"type": "object", "properties": {
            "name": {"type": "string", "description": "The name exactly as search_tools shows it."},
            "arguments": {"type": "object", "description":
              "The arguments of that tool, an object, {} where it takes none.",
              "additionalProperties": true}},
            "required": ["name"]},
          "annotations": {"openWorldHint": true}}]
        """);
  }

  /**
   * Executes a call of one of the three.
   *
   * @param name one that {@link #isMeta}
   * @param options headers for the call of the tool behind {@value #CALL}, such as a deadline
   * @return an MCP tool result
   */
  public Future<JsonObject> call(String name, JsonObject arguments, DeliveryOptions options) {
    Future<JsonObject> result;
    try {
      result =
          switch (name) {
            case SEARCH -> search(arguments);
            case DESCRIBE -> describe(arguments);
            case CALL -> run(arguments, options);
            default ->
                throw McpFailure.badRequest("there is no tool '" + name + "'; use " + SEARCH);
          };
    } catch (McpFailure refused) {
      result = Future.failedFuture(refused);
    } catch (ClassCastException e) {
      result =
          Future.failedFuture(
              McpFailure.badRequest("an argument has the wrong type; see the inputSchema"));
    }
    return result.otherwise(failure -> error(name, McpFailure.of(failure)));
  }

  /**
   * The params of {@code tools/call} for the tool behind a call of {@value #CALL}, with the name
   * for {@code mcp.tools.call}. For callers that route calls themselves; they must check themselves
   * that the tool is in the scope.
   *
   * @throws McpFailure {@code BAD_REQUEST} if the arguments are not those of {@value #CALL}
   */
  private JsonObject params(JsonObject arguments) {
    Object inner = arguments.getValue("arguments", new JsonObject());
    if (!(inner instanceof JsonObject given)) {
      throw McpFailure.badRequest(
          "'arguments' must be an object: the arguments of the tool, not a text");
    }
    return new JsonObject().put("name", busName(arguments)).put("arguments", given);
  }

  private String busName(JsonObject arguments) {
    if (!(arguments.getValue("name") instanceof String name) || name.isBlank()) {
      throw McpFailure.badRequest(
          "'name' is missing: the name of a tool as " + SEARCH + " shows it");
    }
    if (isMeta(name)) {
      throw McpFailure.badRequest("'" + name + "' is called by itself, not through " + CALL);
    }
    return scope.busName(name);
  }

  private Future<JsonObject> search(JsonObject arguments) {
    Number wanted = arguments.getNumber("limit", DEFAULT_LIMIT);
    int limit = Math.max(1, Math.min(MAX_LIMIT, wanted.intValue()));
    JsonObject query = new JsonObject().put("query", (String) arguments.getValue("query", ""));
    List<String> servers = servers(arguments.getJsonArray("servers"));
    if (!servers.isEmpty()) {
      query.put("servers", new JsonArray(servers));
    }
    return new PermittedSearch(
            scope::admits,
            page -> request(Addresses.ALL_TOOLS_SEARCH, page, new DeliveryOptions()),
            limit + 1,
            MOST_READ)
        .search(query, 0, limit)
        .map(ToolSearchResult::of)
        .map(found -> listed(found, found.total() > limit));
  }

  /** The wanted servers that are in the scope; all of the scope if none is wanted. */
  private List<String> servers(JsonArray wanted) {
    if (wanted == null || wanted.isEmpty()) {
      return scope.servers();
    }
    Stream<String> ids = wanted.stream().map(String.class::cast);
    List<String> both =
        ids.filter(id -> scope.servers().isEmpty() || scope.servers().contains(id)).toList();
    if (both.isEmpty()) {
      throw McpFailure.badRequest(
          "there are no such servers here; leave 'servers' out to search all");
    }
    return both;
  }

  private JsonObject listed(ToolSearchResult found, boolean more) {
    JsonArray tools = new JsonArray();
    for (FoundTool tool : found.tools()) {
      String text = tool.description();
      JsonObject shown =
          new JsonObject()
              .put("name", scope.nameOf(new ToolName(tool.server(), tool.tool())))
              .put("server", tool.server())
              .put(
                  "description",
                  text.length() > MAX_SHOWN ? text.substring(0, MAX_SHOWN) + "..." : text);
      tools.add(tool.stale() ? shown.put("unavailable", true) : shown);
    }
    JsonObject result = new JsonObject().put("tools", tools);
    if (tools.isEmpty()) {
      return nothing();
    } else if (more) {
      result.put("hint", "There are more. Use more exact words, or a higher limit.");
    }
    return shown(result);
  }

  /** The result of {@value #SEARCH} if nothing was found. */
  public static JsonObject nothing() {
    return shown(
        new JsonObject()
            .put("tools", new JsonArray())
            .put("hint", "Nothing matches. Try fewer or other words, or an empty query."));
  }

  /** A tool result with that content, as text and as structured content. */
  public static JsonObject shown(JsonObject content) {
    return text(content.encode()).put("structuredContent", content);
  }

  private Future<JsonObject> describe(JsonObject arguments) {
    JsonObject request = new JsonObject().put("name", busName(arguments));
    return admitted(request)
        .map(
            reply -> {
              JsonObject shown =
                  reply.getJsonObject("tool").copy().put("name", scope.nameOf(tool(reply)));
              shown.remove("_meta");
              shown.remove("icons");
              return shown(shown);
            });
  }

  /** The reply of {@code mcp.tools.describe}; fails with {@code UNKNOWN_TOOL} outside the scope. */
  private Future<JsonObject> admitted(JsonObject request) {
    return this.<JsonObject>request(Addresses.ALL_TOOLS_DESCRIBE, request, new DeliveryOptions())
        .map(
            reply -> {
              ToolName tool = tool(reply);
              if (!scope.admits(tool) || !isServed(tool.server())) {
                throw McpFailure.notSent(FailureCode.UNKNOWN_TOOL, "there is no such tool here");
              }
              return reply;
            });
  }

  private static ToolName tool(JsonObject described) {
    return new ToolName(described.getString("server"), described.getString("ownName"));
  }

  /** Calls the tool, after a check that it is in the scope. */
  private Future<JsonObject> run(JsonObject arguments, DeliveryOptions options) {
    JsonObject params = params(arguments);
    Future<JsonObject> checked =
        scope == ToolScope.ALL
            ? Future.succeededFuture(params)
            : admitted(new JsonObject().put("name", params.getString("name"))).map(params);
    return checked.compose(call -> request(Addresses.ALL_TOOLS_CALL, call, options));
  }

  private boolean isServed(String server) {
    return scope.servers().isEmpty() || scope.servers().contains(server);
  }

  private <T> Future<T> request(String address, JsonObject body, DeliveryOptions options) {
    return RequestSender.of(vertx).<T>request(null, address, body, options).map(Message::body);
  }

  private static JsonObject text(String text) {
    JsonObject block = new JsonObject().put("type", "text").put("text", text);
    return new JsonObject().put("content", new JsonArray().add(block));
  }

  /** A failure as the result of {@code name}, one of the three, with the remedy. */
  public static JsonObject error(String name, McpFailure failure) {
    return text(failure.code() + ": " + failure.getMessage() + ". " + remedy(name, failure))
        .put("isError", true);
  }

  private static String remedy(String name, McpFailure failure) {
    return switch (failure.code()) {
      case UNKNOWN_TOOL, UNKNOWN_CONNECTION ->
          "Find the right name with " + SEARCH + ", and copy it exactly.";
      case INVALID_ARGUMENTS -> "See the inputSchema with " + DESCRIBE + " and call again.";
      case BAD_REQUEST -> "Correct the arguments of " + name + " and call again.";
      case UNAVAILABLE, OVERLOADED, RATE_LIMITED ->
          "Try again a little later, or use another tool.";
      default ->
          failure.sent() == McpFailure.Sent.NO
              ? "The tool was not run."
              : "The tool may have run: look at its effect before you call it again.";
    };
  }
}
