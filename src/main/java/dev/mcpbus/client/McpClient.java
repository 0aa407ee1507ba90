package dev.mcpbus.client;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.Codecs;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.ConnectionState;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.ServerEntry;
import dev.mcpbus.bus.ToolSearchResult;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.PublicApi;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * All MCP servers of the bus, for Java callers on any node.
 *
 * <pre>{@code
 * McpClient mcp = McpClient.create(vertx);
 * mcp.server("git").callTool("status", Map.of("path", "."))
 *     .onSuccess(result -> show(result.text()))
 *     .onFailure(failure -> report(((McpFailure) failure).code()));
 * }</pre>
 *
 * <p>Create one per verticle, in {@code start()}; it costs little. It belongs to the context that
 * created it: when that verticle is undeployed, the client cancels its outstanding calls at their
 * servers and removes its handlers. Any thread may call; a future completes on its caller's
 * context, and fails with {@link McpFailure} only.
 */
@PublicApi
public interface McpClient {

  static McpClient create(Vertx vertx) {
    return create(vertx, CallOptions.DEFAULT);
  }

  /**
   * @param defaults used for each option that a call does not set
   */
  static McpClient create(Vertx vertx, CallOptions defaults) {
    Codecs.register(vertx);
    return new BusClient(vertx, defaults);
  }

  /** Cancels all outstanding calls and removes the handlers. Idempotent; later calls fail. */
  Future<Void> close();

  /**
   * Any request to an address of all servers, such as {@code mcp.servers.nodes}.
   *
   * @return the reply with every member
   */
  Future<JsonObject> send(String address, JsonObject body, CallOptions options);

  /** The same with raw bytes both ways. */
  Future<Buffer> send(String address, Buffer body, CallOptions options);

  private Future<JsonObject> ask(String address, JsonObject body) {
    return send(address, body, CallOptions.DEFAULT);
  }

  // Servers.

  /** Sends nothing: if there is no such server, its first call fails. */
  McpServerClient server(ConnectionId id);

  /**
   * @param name the id of the server, or its name as written; so does each method here that takes a
   *     server
   * @throws McpFailure {@code BAD_REQUEST} if the name is of blanks, hyphens and underscores alone;
   *     futures fail with it. A server may have any other name, such as {@code !!}: if there is
   *     none, its first call fails
   */
  default McpServerClient server(String name) {
    return server(ClientCalls.id(name));
  }

  /**
   * Adds a server at run time and connects it.
   *
   * @param config its definition, with the form and the checks of a configuration file
   * @return the connected server; fails with {@code BAD_REQUEST} if the name is in use or the
   *     definition is wrong. If only the connecting fails, the server stays configured and the
   *     supervisor restarts it
   */
  Future<McpServerClient> connectToServer(String name, JsonObject config);

  /**
   * As {@link #connectToServer}, with one attempt: if the connecting fails, the server is removed,
   * so that its id is free again.
   *
   * @param options how long to wait at most, and what cancels the attempt; others have no effect
   */
  Future<McpServerClient> connectOnce(String name, JsonObject config, CallOptions options);

  /** Adds a server at run time and does not wait for its connection. */
  default Future<ServerStatus> addServer(String name, JsonObject config) {
    JsonObject body = new JsonObject().put("name", name).put("config", config);
    return ask(Addresses.SERVERS_ADD, body).map(ServerStatus::new);
  }

  /** As {@link #connectToServer(String, JsonObject)}, for an entry that was built. */
  default Future<McpServerClient> connectToServer(String name, ServerEntry entry) {
    return ClientCalls.guarded(() -> connectToServer(name, entry.toMessage()));
  }

  /** As {@link #connectOnce(String, JsonObject, CallOptions)}, for an entry that was built. */
  default Future<McpServerClient> connectOnce(String name, ServerEntry entry, CallOptions options) {
    return ClientCalls.guarded(() -> connectOnce(name, entry.toMessage(), options));
  }

  /** As {@link #addServer(String, JsonObject)}, for an entry that was built. */
  default Future<ServerStatus> addServer(String name, ServerEntry entry) {
    return ClientCalls.guarded(() -> addServer(name, entry.toMessage()));
  }

  /** Ends the connection and removes the server. */
  default Future<Void> removeServer(String server) {
    return ClientCalls.guarded(
        () ->
            ask(
                    Addresses.SERVERS_REMOVE,
                    new JsonObject().put("id", ClientCalls.id(server).value()))
                .mapEmpty());
  }

  /**
   * Ends the session; the server stays configured, and {@link #removeServer} frees its id.
   *
   * @return completes when the session is over, with the state after it
   */
  default Future<ConnectionState> disconnectServer(String server) {
    return ClientCalls.guarded(() -> server(server).disconnect());
  }

  /**
   * Disconnects every server.
   *
   * @return completes when all sessions are over, with the status of each server after it; fails
   *     with the first failure after all attempts
   */
  default Future<List<ServerStatus>> disconnectAllServers() {
    return statuses()
        .compose(
            all -> Future.join(all.stream().map(one -> server(one.id()).disconnect()).toList()))
        .compose(over -> statuses());
  }

  /** The ids of all configured servers, connected or not. */
  default Future<List<String>> listServers() {
    return statuses().map(all -> all.stream().map(one -> one.id().value()).toList());
  }

  default Future<Boolean> hasServer(String server) {
    return listServers()
        .map(ids -> ConnectionId.named(server).filter(id -> ids.contains(id.value())).isPresent());
  }

  default Future<List<ServerStatus>> statuses() {
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
  Future<Void> awaitReady(Duration timeout, String... servers);

  /**
   * Waits until no server is in its first attempt to connect, for example one that was just added.
   *
   * @param timeout how long to wait at most
   * @param servers ids of the wanted servers, none for all
   * @return completes then, whatever became of the attempts; never fails
   */
  Future<Void> awaitAttempts(Duration timeout, List<String> servers);

  /** Status of every server, with its main settings as {@link McpServerClient#config} has them. */
  default Future<List<ServerSummary>> serverSummaries() {
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
  default Future<ListResult<McpTool>> listTools(String... servers) {
    return list(Addresses.ALL_TOOLS_LIST, servers, "tools", McpTool::new);
  }

  /** As {@link #listTools}, with each resource's server in {@code _meta}. */
  default Future<ListResult<McpResource>> listResources(String... servers) {
    return list(Addresses.ALL_RESOURCES_LIST, servers, "resources", McpResource::new);
  }

  /** As {@link #listTools}, named {@code server.prompt}. */
  default Future<ListResult<McpPrompt>> listPrompts(String... servers) {
    return list(Addresses.ALL_PROMPTS_LIST, servers, "prompts", McpPrompt::new);
  }

  private <T> Future<ListResult<T>> list(
      String address, String[] servers, String member, Function<JsonObject, T> view) {
    return ClientCalls.guarded(
        () ->
            send(address, wanted(servers).toBuffer(), CallOptions.DEFAULT)
                .map(bytes -> new ListResult<>(bytes, member, view)));
  }

  private static JsonObject wanted(String[] servers) {
    return servers.length == 0
        ? new JsonObject()
        : new JsonObject().put("servers", new JsonArray(ClientCalls.ids(List.of(servers))));
  }

  /**
   * The {@code _meta} of every tool that has one, by server and tool name.
   *
   * @param servers ids of the wanted servers, with nothing for one that does not exist; fails with
   *     the failure of the first that fails
   */
  default Future<Map<String, JsonObject>> toolsMetadata(Collection<String> servers) {
    List<String> ids = List.copyOf(servers);
    return ClientCalls.guarded(
            () -> Future.all(ids.stream().map(id -> server(id).toolsMetadata()).toList()))
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
   * @param arguments null for none
   */
  Future<ToolCallResult> callTool(
      String name, @Nullable Map<String, Object> arguments, CallOptions options);

  /** The same; {@link McpServerClient#callTool(String, JsonObject, CallOptions)} says how. */
  Future<ToolCallResult> callTool(String name, @Nullable JsonObject arguments, CallOptions options);

  /**
   * The tools that match {@code query} best. The first search builds the index.
   *
   * @param query a few words, whole names, or the beginning of one; empty for all tools
   * @param limit 1 to 100
   */
  default Future<ToolSearchResult> searchTools(String query, int limit) {
    return ask(Addresses.ALL_TOOLS_SEARCH, new JsonObject().put("query", query).put("limit", limit))
        .map(ToolSearchResult::of);
  }

  /**
   * One tool: {@code tool}, its definition in the aggregate, {@code server}, {@code ownName} and
   * {@code routingName}.
   *
   * @param name {@code server.tool}, {@code server:tool} or {@code server__tool}
   */
  default Future<JsonObject> describeTool(String name) {
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
  default Future<JsonObject> functions(String form, String... servers) {
    return ClientCalls.guarded(() -> functions(wanted(servers).put("form", form)));
  }

  /**
   * @param request {@code form}, {@code servers}, {@code schemas}, {@code strict}, {@code
   *     serverIds}; only the first is required
   */
  default Future<JsonObject> functions(JsonObject request) {
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
  Future<JsonObject> callFunction(JsonObject request, CallOptions options);

  // Events of servers.

  /** Every event of every connection. The handler runs on the context that adds it. */
  Registration onEvent(Handler<JsonObject> handler);

  /**
   * @param type one of {@code Events}
   * @throws IllegalArgumentException if it is none of them; the message has those that are near
   */
  Registration onEvent(String type, Handler<JsonObject> handler);

  // Questions of servers that have no handler of their own.

  default Future<Void> setElicitationHandler(InputHandler.Elicitation handler) {
    return setInputHandler(Methods.ELICITATION, InputHandlers.elicitation(handler));
  }

  default Future<Void> clearElicitationHandler() {
    return clearInputHandler(Methods.ELICITATION);
  }

  /**
   * The elicitations that no handler took and that wait for {@link #respondToElicitation}, by the
   * id of the request. There are some only if the configuration or an offer says that someone
   * answers ({@code capabilities}).
   */
  default Future<Map<String, ElicitationRequest>> pendingElicitations() {
    return ask(Addresses.INPUT_PENDING, new JsonObject())
        .map(
            reply -> {
              Map<String, ElicitationRequest> pending = new LinkedHashMap<>();
              for (Object one : reply.getJsonArray("questions", new JsonArray())) {
                JsonObject question = (JsonObject) one;
                if (Methods.ELICITATION.equals(question.getString("method"))) {
                  pending.put(
                      question.getString("question"),
                      new ElicitationRequest(question.getJsonObject("params")));
                }
              }
              return pending;
            });
  }

  /**
   * Answers an elicitation that waits.
   *
   * @return false if no request of this id waits; fails with {@code INVALID_ARGUMENTS} if the
   *     answer does not fit the form, and the request goes on waiting
   */
  default Future<Boolean> respondToElicitation(String requestId, ElicitationAnswer answer) {
    return ask(
            Addresses.INPUT_RESPOND,
            new JsonObject().put("question", requestId).put("result", answer.json()))
        .map(true)
        .recover(
            failure ->
                McpFailure.of(failure).code() == FailureCode.BAD_REQUEST
                    ? Future.succeededFuture(false)
                    : Future.failedFuture(failure));
  }

  /**
   * @param method {@link Methods#ELICITATION}, {@link Methods#SAMPLING} or {@link
   *     Methods#ROOTS_LIST}
   * @return fails with {@code BAD_REQUEST} for a method that no server asks
   */
  Future<Void> setInputHandler(String method, InputHandler handler);

  Future<Void> clearInputHandler(String method);
}
