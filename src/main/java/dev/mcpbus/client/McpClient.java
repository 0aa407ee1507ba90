package dev.mcpbus.client;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.CallDeadline.Layer;
import dev.mcpbus.bus.Codecs;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.ServerEntry;
import dev.mcpbus.bus.ToolName;
import dev.mcpbus.bus.ToolSearchResult;
import dev.mcpbus.internals.InternalContext;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.PublicApi;
import io.modelcontextprotocol.spec.McpSchema;
import io.vertx.core.Closeable;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * All MCP servers of the bus, for Java callers on any node.
 *
 * <pre>{@code
 * McpClient mcp = McpClient.create(vertx);
 * mcp.server("git").callTool("status", Map.of("path", "."))
 *     .onSuccess(result -> show(result.content()))
 *     .onFailure(failure -> report(((McpFailure) failure).code()));
 * }</pre>
 *
 * <p>Create one per verticle, in {@code start()}; it costs little. It belongs to the context that
 * created it: when that verticle is undeployed, the client cancels its outstanding calls at their
 * servers and removes its handlers. Any thread may call; a future completes on its caller's
 * context, and fails with {@link McpFailure} only.
 *
 * <p>Typed results are records of the MCP SDK. They drop the members that the SDK does not define;
 * {@link #callTool(String, JsonObject, CallOptions)} and the {@code send} methods keep all members.
 */
@PublicApi
public final class McpClient {

  private final Vertx vertx;
  private final ClientCalls calls;
  private final EventSubscriptions subscriptions;
  private final InputHandlers inputs;
  private final ConnectAttempt connecting;
  private final InternalContext owner;
  private final Closeable hook = done -> close().onComplete(done);

  private McpClient(Vertx vertx, CallOptions defaults) {
    this.vertx = vertx;
    this.calls = new ClientCalls(vertx, defaults, Layer.CALLER);
    this.subscriptions = new EventSubscriptions(vertx);
    this.inputs = new InputHandlers(vertx);
    this.connecting = new ConnectAttempt(vertx);
    this.owner = InternalContext.current(vertx);
    owner.addCloseHook(hook);
  }

  public static McpClient create(Vertx vertx) {
    return create(vertx, CallOptions.DEFAULT);
  }

  /**
   * @param defaults used for each option that a call does not set
   */
  public static McpClient create(Vertx vertx, CallOptions defaults) {
    Codecs.register(vertx);
    return new McpClient(vertx, defaults);
  }

  /** Cancels all outstanding calls and removes the handlers. Idempotent; later calls fail. */
  public Future<Void> close() {
    owner.removeCloseHook(hook);
    calls.close();
    subscriptions.close();
    connecting.close();
    return inputs.close();
  }

  // Servers.

  /** Sends nothing: if there is no such server, its first call fails. */
  public McpServerClient server(ConnectionId id) {
    return new McpServerClient(id, this, calls, subscriptions, inputs);
  }

  /**
   * @param name the id of the server, or its name as written
   * @throws McpFailure {@code UNKNOWN_CONNECTION} if no server can have this name
   */
  public McpServerClient server(String name) {
    return server(
        ConnectionId.named(name)
            .orElseThrow(
                () ->
                    McpFailure.notSent(
                        FailureCode.UNKNOWN_CONNECTION,
                        String.valueOf(ConnectionId.problem(name)))));
  }

  /**
   * Adds a server at run time and connects it.
   *
   * @param config its definition, with the form and the checks of a configuration file
   * @return the connected server; fails with {@code BAD_REQUEST} if the name is in use or the
   *     definition is wrong. If only the connecting fails, the server stays configured and the
   *     supervisor restarts it
   */
  public Future<McpServerClient> connectToServer(String name, JsonObject config) {
    return addServer(name, config)
        .map(status -> server(status.id()))
        .compose(server -> connecting.connect(server).map(server));
  }

  /** Adds a server at run time and does not wait for its connection. */
  public Future<ServerStatus> addServer(String name, JsonObject config) {
    return ask(Addresses.SERVERS_ADD, new JsonObject().put("name", name).put("config", config))
        .map(ServerStatus::new);
  }

  /** As {@link #connectToServer(String, JsonObject)}, for an entry that was built. */
  public Future<McpServerClient> connectToServer(String name, ServerEntry entry) {
    return connectToServer(name, entry.toJson());
  }

  /** As {@link #addServer(String, JsonObject)}, for an entry that was built. */
  public Future<ServerStatus> addServer(String name, ServerEntry entry) {
    return addServer(name, entry.toJson());
  }

  /** Ends the connection and removes the server. */
  public Future<Void> removeServer(String id) {
    return ask(Addresses.SERVERS_REMOVE, new JsonObject().put("id", id)).mapEmpty();
  }

  /** Ends the session; the server stays configured. */
  public Future<Void> disconnectServer(String id) {
    return Future.succeededFuture().compose(none -> server(id).disconnect()).mapEmpty();
  }

  /**
   * Tries to disconnect every server. Succeeds when all are disconnected; fails with the first
   * failure after all attempts.
   */
  public Future<Void> disconnectAllServers() {
    return statuses()
        .compose(
            all -> Future.join(all.stream().map(one -> server(one.id()).disconnect()).toList()))
        .mapEmpty();
  }

  /** The ids of all configured servers, connected or not. */
  public Future<List<String>> listServers() {
    return statuses().map(all -> all.stream().map(one -> one.id().value()).toList());
  }

  public Future<Boolean> hasServer(String id) {
    return listServers().map(ids -> ids.contains(id));
  }

  public Future<List<ServerStatus>> statuses() {
    return ask(Addresses.SERVERS_LIST, new JsonObject())
        .map(
            reply ->
                reply.getJsonArray("servers", new JsonArray()).stream()
                    .map(one -> new ServerStatus((JsonObject) one))
                    .toList());
  }

  /**
   * Waits until servers are ready: connected, with their tools listed. A lazy server that waits for
   * its first call, and one that was disconnected, count as ready.
   *
   * @param timeout how long to wait at most
   * @param servers ids of the wanted servers, none for all
   * @return fails with {@code UNAVAILABLE} as soon as all have settled and one has failed, or after
   *     {@code timeout}; the message has the id and the reason of each that is not ready
   */
  public Future<Void> awaitReady(Duration timeout, String... servers) {
    return ReadyWait.ready(this, vertx, timeout, List.of(servers));
  }

  /**
   * Waits until no server is in its first attempt to connect, for example one that was just added.
   *
   * @param timeout how long to wait at most
   * @param servers ids of the wanted servers, none for all
   * @return completes then, whatever became of the attempts; never fails
   */
  public Future<Void> awaitAttempts(Duration timeout, List<String> servers) {
    return ReadyWait.attempted(this, vertx, timeout, servers);
  }

  /** Status and masked configuration of every server. */
  public Future<List<ServerSummary>> serverSummaries() {
    return statuses()
        .compose(all -> Future.all(all.stream().map(one -> server(one.id()).summary()).toList()))
        .map(summaries -> summaries.<ServerSummary>list());
  }

  // Tools, resources and prompts of all servers.

  /**
   * The tools of all servers, named {@code server.tool}. A tool whose server is down has {@code
   * "dev.mcpbus/stale": true} in its {@code _meta}.
   *
   * @param servers ids of the wanted servers, none for all
   */
  public Future<McpSchema.ListToolsResult> listTools(String... servers) {
    return typed(Addresses.ALL_TOOLS_LIST, servers, () -> McpSchema.ListToolsResult.class);
  }

  /** As {@link #listTools}, with each resource's server in {@code _meta}. */
  public Future<McpSchema.ListResourcesResult> listResources(String... servers) {
    return typed(Addresses.ALL_RESOURCES_LIST, servers, () -> McpSchema.ListResourcesResult.class);
  }

  /** As {@link #listTools}, named {@code server.prompt}. */
  public Future<McpSchema.ListPromptsResult> listPrompts(String... servers) {
    return typed(Addresses.ALL_PROMPTS_LIST, servers, () -> McpSchema.ListPromptsResult.class);
  }

  /**
   * The {@code _meta} of every tool that has one, by server and tool name.
   *
   * @param servers ids of the wanted servers; fails with the failure of the first that fails
   */
  public Future<Map<String, JsonObject>> toolsMetadata(Collection<String> servers) {
    List<String> ids = List.copyOf(servers);
    return Future.succeededFuture()
        .compose(none -> Future.all(ids.stream().map(id -> server(id).toolsMetadata()).toList()))
        .map(
            all -> {
              Map<String, JsonObject> byServer = new LinkedHashMap<>();
              for (int i = 0; i < ids.size(); i++) {
                byServer.put(ids.get(i), all.resultAt(i));
              }
              return byServer;
            });
  }

  /**
   * @param name {@code server.tool} or {@code server:tool}
   */
  public Future<McpSchema.CallToolResult> callTool(
      String name, Map<String, Object> arguments, CallOptions options) {
    JsonObject params =
        new JsonObject().put("name", name).put("arguments", new JsonObject(arguments));
    return calls
        .sendEncoded(Addresses.ALL_TOOLS_CALL, serverOf(name), params, options)
        .map(result -> SdkJson.read(result, () -> McpSchema.CallToolResult.class));
  }

  /** The same; the result keeps all members. */
  public Future<JsonObject> callTool(String name, JsonObject arguments, CallOptions options) {
    JsonObject params = new JsonObject().put("name", name).put("arguments", arguments);
    return calls.send(Addresses.ALL_TOOLS_CALL, serverOf(name), params, JsonObject.class, options);
  }

  /**
   * The tools that match {@code query} best. The first search builds the index.
   *
   * @param query a few words, whole names, or the beginning of one; empty for all tools
   * @param limit 1 to 100
   */
  public Future<ToolSearchResult> searchTools(String query, int limit) {
    return ask(Addresses.ALL_TOOLS_SEARCH, new JsonObject().put("query", query).put("limit", limit))
        .map(ToolSearchResult::of);
  }

  /**
   * One tool: {@code tool}, its definition in the aggregate, {@code server}, {@code ownName} and
   * {@code routingName}.
   *
   * @param name {@code server.tool}, {@code server:tool} or {@code server__tool}
   */
  public Future<JsonObject> describeTool(String name) {
    return ask(Addresses.ALL_TOOLS_DESCRIBE, new JsonObject().put("name", name));
  }

  /**
   * The tools as functions of a model's API.
   *
   * @param form {@code openai}, {@code openai-responses}, {@code anthropic}, {@code gemini}, {@code
   *     bedrock} or {@code ai-sdk}
   * @param servers ids of the wanted servers, none for all
   * @return {@code tools} for the vendor's request, {@code routes} by name, and {@code problems} if
   *     tools are left out
   */
  public Future<JsonObject> functions(String form, String... servers) {
    JsonObject request = new JsonObject().put("form", form);
    if (servers.length > 0) {
      request.put("servers", new JsonArray(List.of(servers)));
    }
    return functions(request);
  }

  /**
   * @param request {@code form}, {@code servers}, {@code schemas}, {@code strict}, {@code
   *     serverIds}; only the first is required
   */
  public Future<JsonObject> functions(JsonObject request) {
    return ask(Addresses.ALL_TOOLS_FUNCTIONS, request);
  }

  /**
   * Carries out one function call of a model.
   *
   * @param request {@code form}, {@code call} as the model wrote it, and {@code servers} if the
   *     model received the functions of these servers only
   * @return {@code result} for the next request to the model, {@code isError}, and {@code failure}
   *     if the call of the tool failed; fails only if {@code request} is wrong
   */
  public Future<JsonObject> callFunction(JsonObject request, CallOptions options) {
    return calls.sendCancellable(
        Addresses.ALL_TOOLS_FUNCTIONS_CALL,
        Addresses.ALL_TOOLS_FUNCTIONS_CANCEL,
        request,
        JsonObject.class,
        options);
  }

  /** The server whose connection receives a cancellation of the call; null if not known. */
  private static @Nullable ConnectionId serverOf(String name) {
    return ToolName.parse(name).flatMap(split -> ConnectionId.parse(split.server())).orElse(null);
  }

  // Events of servers.

  /** Every event of every connection. The handler runs on the context that adds it. */
  public Registration onEvent(Handler<JsonObject> handler) {
    return subscriptions.onEvents(Addresses.ALL_EVENTS, handler);
  }

  /**
   * @param type one of {@code Events}
   */
  public Registration onEvent(String type, Handler<JsonObject> handler) {
    return subscriptions.onEvent(Addresses.ALL_EVENTS, type, handler);
  }

  // Questions of servers that have no handler of their own.

  public Future<Void> setElicitationHandler(InputHandler.Elicitation handler) {
    return inputs.setElicitation(Addresses.ALL_INPUT, handler);
  }

  public Future<Void> clearElicitationHandler() {
    return inputs.clear(Addresses.ALL_INPUT, Methods.ELICITATION);
  }

  /**
   * @param method such as {@link Methods#SAMPLING} or {@link Methods#ROOTS_LIST}
   */
  public Future<Void> setInputHandler(String method, InputHandler handler) {
    return inputs.set(Addresses.ALL_INPUT, method, handler);
  }

  public Future<Void> clearInputHandler(String method) {
    return inputs.clear(Addresses.ALL_INPUT, method);
  }

  Future<JsonObject> ask(String address, JsonObject body) {
    return calls.send(address, null, body, JsonObject.class, CallOptions.DEFAULT);
  }

  private <T> Future<T> typed(String address, String[] servers, Supplier<Class<T>> type) {
    JsonObject body = new JsonObject();
    if (servers.length > 0) {
      body.put("servers", new JsonArray(List.of(servers)));
    }
    return calls
        .sendEncoded(address, null, body, CallOptions.DEFAULT)
        .map(result -> SdkJson.read(result, type));
  }

  int outstanding() {
    return calls.outstanding();
  }
}
