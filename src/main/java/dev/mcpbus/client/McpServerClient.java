package dev.mcpbus.client;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.ConnectionState;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.PublicApi;
import io.modelcontextprotocol.spec.McpSchema;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Calls one MCP server; {@link McpClient#server} creates it. It has no state: create one per use or
 * keep it. Any thread may call; futures complete on the caller's context.
 *
 * <p>Every call has three forms. The typed methods return records of the MCP SDK, read once from
 * the raw bytes; a record <em>drops the members that the SDK does not define</em>. {@link
 * #send(String, JsonObject, CallOptions)} and {@link #send(String, Buffer, CallOptions)} keep all
 * members; mcpbus does not parse the result of the second.
 *
 * <p>Every failure is a {@code McpFailure}. A list contains all pages, and is empty if the server
 * lacks the capability. Default time-out: the request time-out of the connection.
 */
@PublicApi
public final class McpServerClient {

  private final ConnectionId id;
  private final ClientCalls calls;
  private final EventSubscriptions subscriptions;
  private final InputHandlers inputs;
  private final McpClient all;

  McpServerClient(
      ConnectionId id,
      McpClient all,
      ClientCalls calls,
      EventSubscriptions subscriptions,
      InputHandlers inputs) {
    this.id = id;
    this.all = all;
    this.calls = calls;
    this.subscriptions = subscriptions;
    this.inputs = inputs;
  }

  public ConnectionId id() {
    return id;
  }

  // Any call; the result keeps all members.

  /**
   * @param suffix one of {@link Addresses}, such as {@link Addresses#TOOLS_CALL}
   * @param params the MCP params, empty for none
   * @return the MCP result with every member
   */
  public Future<JsonObject> send(String suffix, JsonObject params, CallOptions options) {
    return calls.send(Addresses.of(id, suffix), id, params, JsonObject.class, options);
  }

  /** The same with raw bytes both ways; {@code params} is a JSON object, {@code {}} for none. */
  public Future<Buffer> send(String suffix, Buffer params, CallOptions options) {
    return calls.send(Addresses.of(id, suffix), id, params, Buffer.class, options);
  }

  private <T> Future<T> typed(
      String suffix, JsonObject params, Supplier<Class<T>> type, CallOptions options) {
    return calls
        .sendEncoded(Addresses.of(id, suffix), id, params, options)
        .map(result -> SdkJson.read(result, type));
  }

  private Future<Void> done(String suffix, JsonObject params, CallOptions options) {
    return send(suffix, params, options).mapEmpty();
  }

  /** Calls any JSON-RPC method of the server, also one that MCP does not define. */
  public Future<JsonObject> request(String method, JsonObject params, CallOptions options) {
    return send(
        Addresses.REQUEST, new JsonObject().put("method", method).put("params", params), options);
  }

  // The connection.

  public Future<ServerStatus> status() {
    return send(Addresses.STATUS, new JsonObject(), CallOptions.DEFAULT).map(ServerStatus::new);
  }

  /**
   * Sends a ping and returns the status word after it: {@code connected} only if the server
   * replied, {@code disconnected} if there is no such server.
   */
  public Future<String> statusByPing(CallOptions options) {
    return ping(options)
        .map("connected")
        .recover(
            silent ->
                status()
                    .map(status -> status.state().serves() ? "disconnected" : status.status())
                    .otherwise("disconnected"));
  }

  /** The server's definition as in a configuration file, secrets replaced by {@code "***"}. */
  public Future<JsonObject> config() {
    return summary().map(ServerSummary::config);
  }

  public Future<ServerSummary> summary() {
    return all.ask(Addresses.SERVERS_GET, new JsonObject().put("id", id.value()))
        .map(ServerSummary::of);
  }

  /** The session id of Streamable HTTP; empty if the transport or the server has none. */
  public Future<Optional<String>> sessionId() {
    return status().map(status -> Optional.ofNullable(status.sessionId()));
  }

  /** Starts a session if there is none; returns the state after the command. */
  public Future<ConnectionState> connect() {
    return command(Addresses.CONNECT);
  }

  /** Ends the session; the server stays configured and can be connected again. */
  public Future<ConnectionState> disconnect() {
    return command(Addresses.DISCONNECT);
  }

  /** Ends the session and starts a fresh one. */
  public Future<ConnectionState> restart() {
    return command(Addresses.RESTART);
  }

  private Future<ConnectionState> command(String suffix) {
    return send(suffix, new JsonObject(), CallOptions.DEFAULT)
        .map(
            reply ->
                ConnectionState.valueOf(reply.getString("state", "").toUpperCase(Locale.ROOT)));
  }

  public Future<Void> ping(CallOptions options) {
    return done(Addresses.PING, new JsonObject(), options);
  }

  public Future<Void> setLogLevel(McpSchema.LoggingLevel level) {
    return done(
        Addresses.LOGLEVEL,
        new JsonObject().put("level", level.name().toLowerCase(Locale.ROOT)),
        CallOptions.DEFAULT);
  }

  // Tools.

  public Future<McpSchema.ListToolsResult> listTools() {
    return listTools(null, CallOptions.DEFAULT);
  }

  /**
   * @param cursor of the wanted page; null for all pages
   */
  public Future<McpSchema.ListToolsResult> listTools(@Nullable String cursor, CallOptions options) {
    return typed(
        Addresses.TOOLS_LIST, page(cursor), () -> McpSchema.ListToolsResult.class, options);
  }

  /** The {@code _meta} of every tool that has one, by tool name. */
  public Future<JsonObject> toolsMetadata() {
    return send(Addresses.TOOLS_METADATA, new JsonObject(), CallOptions.DEFAULT);
  }

  /**
   * The current tools and their pins: {@code hash}, {@code tools}, {@code pending} with the
   * differences that wait for {@link #approveTool}.
   */
  public Future<JsonObject> toolDrift() {
    return send(Addresses.TOOLS_DRIFT, new JsonObject(), CallOptions.DEFAULT);
  }

  /**
   * Pins a quarantined tool to its current definition.
   *
   * @param hash the tool's hash from {@link #toolDrift}; refused if the tool has changed since
   * @return {@code approved}, {@code quarantined}, {@code remembered}
   */
  public Future<JsonObject> approveTool(String tool, String hash) {
    return send(
        Addresses.TOOLS_APPROVE,
        new JsonObject().put("tool", tool).put("hash", hash),
        CallOptions.DEFAULT);
  }

  /**
   * The same for every quarantined tool.
   *
   * @param listHash the {@code hash} of the whole list
   */
  public Future<JsonObject> approveTools(String listHash) {
    return send(
        Addresses.TOOLS_APPROVE, new JsonObject().put("hash", listHash), CallOptions.DEFAULT);
  }

  public Future<McpSchema.CallToolResult> callTool(String tool, Map<String, Object> arguments) {
    return callTool(tool, arguments, CallOptions.DEFAULT);
  }

  /**
   * @param tool the server's own name of the tool
   * @return the result; also the tool's own failures, as {@code isError}
   */
  public Future<McpSchema.CallToolResult> callTool(
      String tool, Map<String, Object> arguments, CallOptions options) {
    return typed(
        Addresses.TOOLS_CALL,
        new JsonObject().put("name", tool).put("arguments", new JsonObject(arguments)),
        () -> McpSchema.CallToolResult.class,
        options);
  }

  /** The same with JSON both ways: the result keeps all members, and the SDK is not needed. */
  public Future<JsonObject> callTool(String tool, JsonObject arguments) {
    return callTool(tool, arguments, CallOptions.DEFAULT);
  }

  public Future<JsonObject> callTool(String tool, JsonObject arguments, CallOptions options) {
    return send(
        Addresses.TOOLS_CALL,
        new JsonObject().put("name", tool).put("arguments", arguments),
        options);
  }

  // Tasks.

  /**
   * Calls a tool and requests a task, which a server may create or not.
   *
   * @param ttl how long the server should keep the task; null: the server decides. A server of
   *     2026-07-28 always decides
   */
  public Future<ToolCallOutcome> callToolAsTask(
      String tool, Map<String, Object> arguments, @Nullable Duration ttl, CallOptions options) {
    JsonObject requested =
        ttl == null ? new JsonObject() : new JsonObject().put("ttl", ttl.toMillis());
    JsonObject params =
        new JsonObject().put("name", tool).put("arguments", new JsonObject(arguments));
    return ClientCalls.sdk()
        .compose(present -> send(Addresses.TOOLS_CALL, params.put("task", requested), options))
        .map(answer -> SdkJson.toolAnswer(answer));
  }

  public Future<McpTask> getTask(String taskId, CallOptions options) {
    return send(Addresses.TASKS_GET, McpTask.named(taskId), options).map(McpTask::of);
  }

  /** Waits for the end of the task, also across restarts of the connection. */
  public Future<McpSchema.CallToolResult> taskResult(String taskId, CallOptions options) {
    return typed(
        Addresses.TASKS_RESULT,
        McpTask.named(taskId),
        () -> McpSchema.CallToolResult.class,
        options);
  }

  /**
   * Answers the questions of a task; 2026-07-28 only.
   *
   * @param inputResponses MCP results by the keys of {@link McpTask#inputRequests}
   */
  public Future<Void> updateTask(String taskId, JsonObject inputResponses, CallOptions options) {
    return done(
        Addresses.TASKS_UPDATE,
        McpTask.named(taskId).put("inputResponses", inputResponses),
        options);
  }

  public Future<Void> cancelTask(String taskId, CallOptions options) {
    return done(Addresses.TASKS_CANCEL, McpTask.named(taskId), options);
  }

  /** The tasks of a server of 2025-11-25; fails with {@code METHOD_NOT_FOUND} for all others. */
  public Future<List<McpTask>> listTasks(CallOptions options) {
    return send(Addresses.TASKS_LIST, new JsonObject(), options).map(McpTask::list);
  }

  /** Receives each task that has changed, as the server sent it. */
  public Registration onTask(Handler<JsonObject> handler) {
    return onNotification(Methods.TASKS_CHANGED, handler);
  }

  // Resources.

  public Future<McpSchema.ListResourcesResult> listResources() {
    return listResources(null, CallOptions.DEFAULT);
  }

  /**
   * @param cursor of the wanted page; null for all pages
   */
  public Future<McpSchema.ListResourcesResult> listResources(
      @Nullable String cursor, CallOptions options) {
    return typed(
        Addresses.RESOURCES_LIST, page(cursor), () -> McpSchema.ListResourcesResult.class, options);
  }

  public Future<McpSchema.ListResourceTemplatesResult> listResourceTemplates() {
    return listResourceTemplates(null, CallOptions.DEFAULT);
  }

  /**
   * @param cursor of the wanted page; null for all pages
   */
  public Future<McpSchema.ListResourceTemplatesResult> listResourceTemplates(
      @Nullable String cursor, CallOptions options) {
    return typed(
        Addresses.RESOURCES_TEMPLATES,
        page(cursor),
        () -> McpSchema.ListResourceTemplatesResult.class,
        options);
  }

  public Future<McpSchema.ReadResourceResult> readResource(String uri) {
    return readResource(uri, CallOptions.DEFAULT);
  }

  public Future<McpSchema.ReadResourceResult> readResource(String uri, CallOptions options) {
    return typed(
        Addresses.RESOURCES_READ, uri(uri), () -> McpSchema.ReadResourceResult.class, options);
  }

  /** After this, {@link #onResourceUpdated} receives the updates of the resource. */
  public Future<Void> subscribeResource(String uri) {
    return done(Addresses.RESOURCES_SUBSCRIBE, uri(uri), CallOptions.DEFAULT);
  }

  public Future<Void> unsubscribeResource(String uri) {
    return done(Addresses.RESOURCES_UNSUBSCRIBE, uri(uri), CallOptions.DEFAULT);
  }

  // Prompts and completion.

  public Future<McpSchema.ListPromptsResult> listPrompts() {
    return listPrompts(null, CallOptions.DEFAULT);
  }

  /**
   * @param cursor of the wanted page; null for all pages
   */
  public Future<McpSchema.ListPromptsResult> listPrompts(
      @Nullable String cursor, CallOptions options) {
    return typed(
        Addresses.PROMPTS_LIST, page(cursor), () -> McpSchema.ListPromptsResult.class, options);
  }

  public Future<McpSchema.GetPromptResult> getPrompt(String name, Map<String, String> arguments) {
    return getPrompt(name, arguments, CallOptions.DEFAULT);
  }

  public Future<McpSchema.GetPromptResult> getPrompt(
      String name, Map<String, String> arguments, CallOptions options) {
    JsonObject values = new JsonObject();
    arguments.forEach(values::put);
    return typed(
        Addresses.PROMPTS_GET,
        new JsonObject().put("name", name).put("arguments", values),
        () -> McpSchema.GetPromptResult.class,
        options);
  }

  public Future<McpSchema.CompleteResult> complete(
      McpSchema.CompleteRequest request, CallOptions options) {
    return typed(
        Addresses.COMPLETION,
        SdkJson.write(request),
        () -> McpSchema.CompleteResult.class,
        options);
  }

  // Events of the server. Handlers run on the context that adds them.

  /** Every event of this connection; {@code Events} has the types and their members. */
  public Registration onEvent(Handler<JsonObject> handler) {
    return subscriptions.onEvents(events(), handler);
  }

  /**
   * @param type one of {@code Events}
   */
  public Registration onEvent(String type, Handler<JsonObject> handler) {
    return subscriptions.onEvent(events(), type, handler);
  }

  /**
   * @param method of the notification, such as {@code notifications/message}
   * @param handler receives its {@code params}, empty if it has none
   */
  public Registration onNotification(String method, Handler<JsonObject> handler) {
    return subscriptions.onNotification(events(), method, handler);
  }

  public Registration onToolListChanged(Handler<JsonObject> handler) {
    return onNotification(Methods.TOOLS_CHANGED, handler);
  }

  public Registration onResourceListChanged(Handler<JsonObject> handler) {
    return onNotification(Methods.RESOURCES_CHANGED, handler);
  }

  /** Receives the {@code uri} of each updated resource to which a caller has subscribed. */
  public Registration onResourceUpdated(Handler<JsonObject> handler) {
    return onNotification(Methods.RESOURCE_UPDATED, handler);
  }

  public Registration onPromptListChanged(Handler<JsonObject> handler) {
    return onNotification(Methods.PROMPTS_CHANGED, handler);
  }

  /** Receives {@code level}, {@code logger}, {@code data} of each log message. */
  public Registration onLog(Handler<JsonObject> handler) {
    return onNotification(Methods.MESSAGE, handler);
  }

  // Questions of the server. A handler here takes precedence over the handler of all servers.

  public Future<Void> setElicitationHandler(InputHandler.Elicitation handler) {
    return inputs.setElicitation(input(), handler);
  }

  public Future<Void> clearElicitationHandler() {
    return inputs.clear(input(), Methods.ELICITATION);
  }

  /**
   * @param method such as {@link Methods#SAMPLING} or {@link Methods#ROOTS_LIST}
   */
  public Future<Void> setInputHandler(String method, InputHandler handler) {
    return inputs.set(input(), method, handler);
  }

  public Future<Void> clearInputHandler(String method) {
    return inputs.clear(input(), method);
  }

  private String events() {
    return Addresses.of(id, Addresses.EVENTS);
  }

  private String input() {
    return Addresses.of(id, Addresses.INPUT);
  }

  private static JsonObject page(@Nullable String cursor) {
    return cursor == null ? new JsonObject() : new JsonObject().put("cursor", cursor);
  }

  private static JsonObject uri(String uri) {
    return new JsonObject().put("uri", uri);
  }
}
