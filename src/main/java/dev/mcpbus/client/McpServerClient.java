package dev.mcpbus.client;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.ConnectionState;
import dev.mcpbus.bus.McpAddresses;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.PublicApi;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Calls one MCP server; {@link McpClient#server} creates it. It has no state: create one per use or
 * keep it. Any thread may call; futures complete on the caller's context.
 *
 * <p>Typed results are views on the JSON that the server sent: {@link JsonView#json} has all of it.
 * {@link #send(String, JsonObject, CallOptions)} and {@link #send(String, Buffer, CallOptions)}
 * call the same addresses without types; mcpbus does not parse the result of the second.
 *
 * <p>Every failure is a {@code McpFailure}. A list contains all pages, and is empty if the server
 * lacks the capability. Default time-out: the request time-out of the connection.
 */
@PublicApi
public interface McpServerClient {

  ConnectionId id();

  // Any call.

  /**
   * @param suffix such as {@link McpAddresses#TOOLS_CALL}; {@code src/docs/addresses.md} has all
   * @param params the MCP params, null or empty for none
   * @return the MCP result with every member
   */
  Future<JsonObject> send(String suffix, @Nullable JsonObject params, CallOptions options);

  /** The same with raw bytes both ways; {@code params} is a JSON object, {@code {}} for none. */
  Future<Buffer> send(String suffix, Buffer params, CallOptions options);

  private <T> Future<T> typed(
      String suffix, JsonObject params, CallOptions options, Function<Buffer, T> view) {
    return ClientCalls.guarded(() -> send(suffix, ClientCalls.encoded(params), options).map(view));
  }

  private <T> Future<ListResult<T>> list(
      String suffix,
      @Nullable String cursor,
      CallOptions options,
      String member,
      Function<JsonObject, T> view) {
    JsonObject page = cursor == null ? new JsonObject() : new JsonObject().put("cursor", cursor);
    return typed(suffix, page, options, bytes -> new ListResult<>(bytes, member, view));
  }

  private Future<JsonObject> ask(String suffix, JsonObject params) {
    return send(suffix, params, CallOptions.DEFAULT);
  }

  /** Calls any JSON-RPC method of the server, also one that MCP does not define. */
  default Future<JsonObject> request(
      String method, @Nullable JsonObject params, CallOptions options) {
    return send(Addresses.REQUEST, ClientCalls.message(method, params), options);
  }

  /**
   * Sends a notification to the server.
   *
   * @param method one that MCP does not define, or {@code notifications/progress} of a question;
   *     not empty
   */
  default Future<Void> notify(String method, @Nullable JsonObject params) {
    return ask(Addresses.NOTIFY, ClientCalls.message(method, params)).mapEmpty();
  }

  // The connection.

  default Future<ServerStatus> status() {
    return ask(Addresses.STATUS, new JsonObject()).map(ServerStatus::new);
  }

  /**
   * Sends a ping and returns the status word after it: {@code connected} only if the server
   * replied, {@code disconnected} if there is no such server.
   */
  default Future<String> statusByPing(CallOptions options) {
    return ping(options)
        .map("connected")
        .recover(
            silent ->
                status()
                    .map(status -> status.state().serves() ? "disconnected" : status.status())
                    .otherwise("disconnected"));
  }

  /**
   * How the server is reached and its main settings: the main keys of an entry with the values in
   * use, durations in milliseconds, secrets replaced by {@code "***"}. It is not the entry that was
   * written. Empty if there is no such server.
   */
  default Future<Optional<JsonObject>> config() {
    return ClientCalls.known(
        summary().map(summary -> Optional.of(summary.config())), Optional.empty());
  }

  Future<ServerSummary> summary();

  /**
   * The session id of Streamable HTTP; empty if the transport or the server has none, or if there
   * is no such server.
   */
  default Future<Optional<String>> sessionId() {
    return ClientCalls.known(
        status().map(status -> Optional.ofNullable(status.sessionId())), Optional.empty());
  }

  /**
   * Starts a session if there is none.
   *
   * @return completes when the server serves, with {@code READY} or {@code DEGRADED}; fails with
   *     the reason when it cannot be connected: the first attempt failed of a server that never
   *     connected, the supervisor gave up, or a caller disconnected or removed it meanwhile. Waits
   *     as long as a call does, and at least for the time of one attempt
   */
  default Future<ConnectionState> connect() {
    return command(Addresses.CONNECT);
  }

  /**
   * Ends the session after the calls in flight; the server stays configured and can be connected
   * again.
   *
   * @return completes when the session is over, with the state after it, such as {@code IDLE}
   */
  default Future<ConnectionState> disconnect() {
    return command(Addresses.DISCONNECT);
  }

  /**
   * Ends the session after the calls in flight and starts a fresh one; of several connections one
   * after the other.
   *
   * @return completes when the new session serves, with {@code READY} or {@code DEGRADED}; fails
   *     and waits as {@link #connect} does
   */
  default Future<ConnectionState> restart() {
    return command(Addresses.RESTART);
  }

  private Future<ConnectionState> command(String suffix) {
    return ask(suffix, new JsonObject().put("wait", true))
        .map(
            reply ->
                ConnectionState.valueOf(reply.getString("state", "").toUpperCase(Locale.ROOT)));
  }

  default Future<Void> ping(CallOptions options) {
    return send(Addresses.PING, new JsonObject(), options).mapEmpty();
  }

  /**
   * @param level what the server logs from now on: {@code debug}, {@code info}, {@code notice},
   *     {@code warning}, {@code error}, {@code critical}, {@code alert} or {@code emergency}
   */
  default Future<Void> setLogLevel(String level) {
    return ask(Addresses.LOGLEVEL, new JsonObject().put("level", level)).mapEmpty();
  }

  // Tools.

  default Future<ListResult<McpTool>> listTools() {
    return listTools(null, CallOptions.DEFAULT);
  }

  /**
   * @param cursor of the wanted page; null for all pages
   */
  default Future<ListResult<McpTool>> listTools(@Nullable String cursor, CallOptions options) {
    return list(Addresses.TOOLS_LIST, cursor, options, "tools", McpTool::new);
  }

  /** The {@code _meta} of every tool that has one, by tool name; empty for an unknown server. */
  default Future<JsonObject> toolsMetadata() {
    return ClientCalls.known(ask(Addresses.TOOLS_METADATA, new JsonObject()), new JsonObject());
  }

  /**
   * The current tools and their pins: {@code hash}, {@code tools}, {@code pending} with the
   * differences that wait for {@link #approveTool}.
   */
  default Future<JsonObject> toolDrift() {
    return ask(Addresses.TOOLS_DRIFT, new JsonObject());
  }

  /**
   * Pins a quarantined tool to its current definition.
   *
   * @param hash the tool's hash from {@link #toolDrift}; refused if the tool has changed since
   * @return {@code approved}, {@code quarantined}, {@code remembered}
   */
  default Future<JsonObject> approveTool(String tool, String hash) {
    return ask(Addresses.TOOLS_APPROVE, new JsonObject().put("tool", tool).put("hash", hash));
  }

  /**
   * The same for every quarantined tool.
   *
   * @param listHash the {@code hash} of the whole list
   */
  default Future<JsonObject> approveTools(String listHash) {
    return ask(Addresses.TOOLS_APPROVE, new JsonObject().put("hash", listHash));
  }

  default Future<ToolCallResult> callTool(String tool, @Nullable Map<String, Object> arguments) {
    return callTool(tool, arguments, CallOptions.DEFAULT);
  }

  /**
   * @param tool the server's own name of the tool
   * @param arguments are sent as bytes: the server checks them, and the result keeps its bytes;
   *     null for none, as in each method here that takes arguments or params
   * @return the result; also the tool's own failures, as {@code isError}
   */
  default Future<ToolCallResult> callTool(
      String tool, @Nullable Map<String, Object> arguments, CallOptions options) {
    return typed(
        Addresses.TOOLS_CALL, ClientCalls.named(tool, arguments), options, ToolCallResult::new);
  }

  default Future<ToolCallResult> callTool(String tool, @Nullable JsonObject arguments) {
    return callTool(tool, arguments, CallOptions.DEFAULT);
  }

  /**
   * The same with a {@code JsonObject}: the connection checks the arguments by the tool's schema
   * before it sends them, unless the configuration or {@link CallOptions#withValidate} says no.
   */
  default Future<ToolCallResult> callTool(
      String tool, @Nullable JsonObject arguments, CallOptions options) {
    return send(Addresses.TOOLS_CALL, ClientCalls.named(tool, arguments), options)
        .map(ToolCallResult::new);
  }

  // Tasks.

  /**
   * Calls a tool and requests a task, which a server may create or not.
   *
   * @param ttl how long the server should keep the task; null: the server decides. A server of
   *     2026-07-28 always decides
   */
  default Future<ToolCallOutcome> callToolAsTask(
      String tool,
      @Nullable Map<String, Object> arguments,
      @Nullable Duration ttl,
      CallOptions options) {
    JsonObject requested =
        ttl == null ? new JsonObject() : new JsonObject().put("ttl", ttl.toMillis());
    return send(
            Addresses.TOOLS_CALL,
            ClientCalls.named(tool, arguments).put("task", requested),
            options)
        .map(ToolCallOutcome::of);
  }

  default Future<McpTask> getTask(String taskId, CallOptions options) {
    return send(Addresses.TASKS_GET, McpTask.named(taskId), options).map(McpTask::of);
  }

  /** Waits for the end of the task, also across restarts of the connection. */
  default Future<ToolCallResult> taskResult(String taskId, CallOptions options) {
    return typed(Addresses.TASKS_RESULT, McpTask.named(taskId), options, ToolCallResult::new);
  }

  /**
   * Answers the questions of a task; 2026-07-28 only.
   *
   * @param inputResponses MCP results by the keys of {@link McpTask#inputRequests}
   */
  default Future<Void> updateTask(String taskId, JsonObject inputResponses, CallOptions options) {
    return send(
            Addresses.TASKS_UPDATE,
            McpTask.named(taskId).put("inputResponses", inputResponses),
            options)
        .mapEmpty();
  }

  default Future<Void> cancelTask(String taskId, CallOptions options) {
    return send(Addresses.TASKS_CANCEL, McpTask.named(taskId), options).mapEmpty();
  }

  /** The tasks of a server of 2025-11-25; fails with {@code METHOD_NOT_FOUND} for all others. */
  default Future<List<McpTask>> listTasks(CallOptions options) {
    return send(Addresses.TASKS_LIST, new JsonObject(), options).map(McpTask::list);
  }

  /** Receives each task that has changed, as the server sent it. */
  default Registration onTask(Handler<JsonObject> handler) {
    return onNotification(Methods.TASKS_CHANGED, handler);
  }

  // Resources.

  default Future<ListResult<McpResource>> listResources() {
    return listResources(null, CallOptions.DEFAULT);
  }

  /**
   * @param cursor of the wanted page; null for all pages
   */
  default Future<ListResult<McpResource>> listResources(
      @Nullable String cursor, CallOptions options) {
    return list(Addresses.RESOURCES_LIST, cursor, options, "resources", McpResource::new);
  }

  default Future<ListResult<ResourceTemplate>> listResourceTemplates() {
    return listResourceTemplates(null, CallOptions.DEFAULT);
  }

  /**
   * @param cursor of the wanted page; null for all pages
   */
  default Future<ListResult<ResourceTemplate>> listResourceTemplates(
      @Nullable String cursor, CallOptions options) {
    return list(
        Addresses.RESOURCES_TEMPLATES, cursor, options, "resourceTemplates", ResourceTemplate::new);
  }

  default Future<ListResult<ResourceContents>> readResource(String uri) {
    return readResource(uri, CallOptions.DEFAULT);
  }

  /** The contents: of the resource itself, or of several below it. */
  default Future<ListResult<ResourceContents>> readResource(String uri, CallOptions options) {
    return typed(
        Addresses.RESOURCES_READ,
        ClientCalls.uri(uri),
        options,
        bytes -> new ListResult<>(bytes, "contents", ResourceContents::new));
  }

  /** After this, {@link #onResourceUpdated} receives the updates of the resource. */
  default Future<Void> subscribeResource(String uri) {
    return ask(Addresses.RESOURCES_SUBSCRIBE, ClientCalls.uri(uri)).mapEmpty();
  }

  default Future<Void> unsubscribeResource(String uri) {
    return ask(Addresses.RESOURCES_UNSUBSCRIBE, ClientCalls.uri(uri)).mapEmpty();
  }

  // Prompts and completion.

  default Future<ListResult<McpPrompt>> listPrompts() {
    return listPrompts(null, CallOptions.DEFAULT);
  }

  /**
   * @param cursor of the wanted page; null for all pages
   */
  default Future<ListResult<McpPrompt>> listPrompts(@Nullable String cursor, CallOptions options) {
    return list(Addresses.PROMPTS_LIST, cursor, options, "prompts", McpPrompt::new);
  }

  default Future<PromptResult> getPrompt(String name, @Nullable Map<String, String> arguments) {
    return getPrompt(name, arguments, CallOptions.DEFAULT);
  }

  default Future<PromptResult> getPrompt(
      String name, @Nullable Map<String, String> arguments, CallOptions options) {
    JsonObject values = new JsonObject();
    if (arguments != null) {
      arguments.forEach(values::put);
    }
    return typed(
        Addresses.PROMPTS_GET, ClientCalls.named(name, values), options, PromptResult::new);
  }

  /** Completes the value of an argument of a prompt. */
  default Future<Completion> completePrompt(String prompt, String argument, String value) {
    return complete(
        ClientCalls.completion(
            new JsonObject().put("type", "ref/prompt").put("name", prompt), argument, value),
        CallOptions.DEFAULT);
  }

  /** Completes the value of a variable of a template. */
  default Future<Completion> completeResource(String uriTemplate, String argument, String value) {
    return complete(
        ClientCalls.completion(
            ClientCalls.uri(uriTemplate).put("type", "ref/resource"), argument, value),
        CallOptions.DEFAULT);
  }

  /**
   * @param params {@code ref}, {@code argument} and {@code context} of MCP
   */
  default Future<Completion> complete(@Nullable JsonObject params, CallOptions options) {
    return typed(Addresses.COMPLETION, ClientCalls.object(params), options, Completion::new);
  }

  // Events of the server. Handlers run on the context that adds them.

  /** Every event of this connection; {@code Events} has the types and their members. */
  Registration onEvent(Handler<JsonObject> handler);

  /**
   * @param type one of {@code Events}
   * @throws IllegalArgumentException if it is none of them; the message has those that are near
   */
  Registration onEvent(String type, Handler<JsonObject> handler);

  /**
   * @param method of the notification, such as {@code notifications/message}; not empty
   * @param handler receives its {@code params}, empty if it has none
   */
  Registration onNotification(String method, Handler<JsonObject> handler);

  default Registration onToolListChanged(Handler<JsonObject> handler) {
    return onNotification(Methods.TOOLS_CHANGED, handler);
  }

  default Registration onResourceListChanged(Handler<JsonObject> handler) {
    return onNotification(Methods.RESOURCES_CHANGED, handler);
  }

  /** Receives the {@code uri} of each updated resource to which a caller has subscribed. */
  default Registration onResourceUpdated(Handler<JsonObject> handler) {
    return onNotification(Methods.RESOURCE_UPDATED, handler);
  }

  default Registration onPromptListChanged(Handler<JsonObject> handler) {
    return onNotification(Methods.PROMPTS_CHANGED, handler);
  }

  /** Receives {@code level}, {@code logger}, {@code data} of each log message. */
  default Registration onLog(Handler<JsonObject> handler) {
    return onNotification(Methods.MESSAGE, handler);
  }

  // Questions of the server. A handler here takes precedence over the handler of all servers.

  default Future<Void> setElicitationHandler(InputHandler.Elicitation handler) {
    return setInputHandler(Methods.ELICITATION, InputHandlers.elicitation(handler));
  }

  default Future<Void> clearElicitationHandler() {
    return clearInputHandler(Methods.ELICITATION);
  }

  /**
   * @param method {@link Methods#ELICITATION}, {@link Methods#SAMPLING} or {@link
   *     Methods#ROOTS_LIST}
   * @return fails with {@code BAD_REQUEST} for a method that no server asks
   */
  Future<Void> setInputHandler(String method, InputHandler handler);

  Future<Void> clearInputHandler(String method);
}
