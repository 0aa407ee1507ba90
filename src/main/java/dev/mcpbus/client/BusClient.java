package dev.mcpbus.client;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.CallDeadline.Layer;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.ToolName;
import dev.mcpbus.internals.InternalContext;
import io.vertx.core.Closeable;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The client of one context of Vert.x. Any thread may call. */
final class BusClient implements McpClient {

  final ClientCalls calls;
  final EventSubscriptions subscriptions;
  final InputHandlers inputs;
  private final Vertx vertx;

  /** Of {@link #connectOnce}: goes on after the closing, so that no server is left behind. */
  private final ClientCalls lasting;

  private final InternalContext owner;
  private final Closeable hook = done -> close().onComplete(done);

  BusClient(Vertx vertx, CallOptions defaults) {
    this.vertx = vertx;
    this.calls = new ClientCalls(vertx, defaults, Layer.CALLER);
    this.lasting = new ClientCalls(vertx, defaults, Layer.CALLER);
    this.subscriptions = new EventSubscriptions(vertx);
    this.inputs = new InputHandlers(vertx);
    this.owner = InternalContext.current(vertx);
    owner.addCloseHook(hook);
  }

  @Override
  public Future<Void> close() {
    owner.removeCloseHook(hook);
    calls.close();
    subscriptions.close();
    return inputs.close();
  }

  @Override
  public Future<JsonObject> send(String address, JsonObject body, CallOptions options) {
    return calls.send(address, null, body, JsonObject.class, options);
  }

  @Override
  public Future<Buffer> send(String address, Buffer body, CallOptions options) {
    return calls.send(address, null, body, Buffer.class, options);
  }

  @Override
  public McpServerClient server(ConnectionId id) {
    return new BusServerClient(id, this);
  }

  @Override
  public Future<McpServerClient> connectToServer(String name, JsonObject config) {
    return addServer(name, config)
        .map(status -> server(status.id()))
        .compose(server -> server.connect().map(server));
  }

  @Override
  public Future<McpServerClient> connectOnce(String name, JsonObject config, CallOptions options) {
    CancellationToken token = options.cancel;
    if (token != null && token.isCancelled()) {
      return Future.failedFuture(
          McpFailure.notSent(FailureCode.CANCELLED, "the caller cancelled the connecting"));
    }
    JsonObject added = new JsonObject().put("name", name).put("config", config);
    return (calls.isClosed() ? calls : lasting)
        .send(Addresses.SERVERS_ADD, null, added, JsonObject.class, CallOptions.DEFAULT)
        .map(status -> server(new ServerStatus(status).id()))
        .compose(
            server ->
                server
                    .send(Addresses.CONNECT, new JsonObject().put("wait", true), options)
                    .map(server)
                    .recover(
                        failure ->
                            lasting
                                .send(
                                    Addresses.SERVERS_REMOVE,
                                    null,
                                    new JsonObject().put("id", server.id().value()),
                                    JsonObject.class,
                                    CallOptions.DEFAULT)
                                .transform(removed -> Future.failedFuture(failure))));
  }

  @Override
  public Future<Void> awaitReady(Duration timeout, String... servers) {
    return ClientCalls.guarded(
        () -> ReadyWait.ready(this, vertx, timeout, ClientCalls.ids(List.of(servers))));
  }

  @Override
  public Future<Void> awaitAttempts(Duration timeout, List<String> servers) {
    return ReadyWait.attempted(this, vertx, timeout, servers);
  }

  @Override
  public Future<ToolCallResult> callTool(
      String name, @Nullable Map<String, Object> arguments, CallOptions options) {
    JsonObject body = ClientCalls.named(name, arguments);
    return ClientCalls.guarded(
        () ->
            calls
                .send(
                    Addresses.ALL_TOOLS_CALL,
                    serverOf(name),
                    ClientCalls.encoded(body),
                    Buffer.class,
                    options)
                .map(ToolCallResult::new));
  }

  @Override
  public Future<ToolCallResult> callTool(
      String name, @Nullable JsonObject arguments, CallOptions options) {
    JsonObject body = ClientCalls.named(name, arguments);
    return calls
        .send(Addresses.ALL_TOOLS_CALL, serverOf(name), body, JsonObject.class, options)
        .map(ToolCallResult::new);
  }

  /** The server whose connection receives a cancellation of the call; null if not known. */
  private static @Nullable ConnectionId serverOf(String name) {
    return ToolName.parse(name).flatMap(split -> ConnectionId.parse(split.server())).orElse(null);
  }

  @Override
  public Future<JsonObject> callFunction(JsonObject request, CallOptions options) {
    return calls.sendCancellable(
        Addresses.ALL_TOOLS_FUNCTIONS_CALL,
        Addresses.ALL_TOOLS_FUNCTIONS_CANCEL,
        request,
        JsonObject.class,
        options);
  }

  @Override
  public Registration onEvent(Handler<JsonObject> handler) {
    return subscriptions.onEvents(Addresses.ALL_EVENTS, handler);
  }

  @Override
  public Registration onEvent(String type, Handler<JsonObject> handler) {
    return subscriptions.onEvent(Addresses.ALL_EVENTS, type, handler);
  }

  @Override
  public Future<Void> setInputHandler(String method, InputHandler handler) {
    return inputs.set(Addresses.ALL_INPUT, method, handler);
  }

  @Override
  public Future<Void> clearInputHandler(String method) {
    return inputs.clear(Addresses.ALL_INPUT, method);
  }

  int outstanding() {
    return calls.outstanding();
  }
}
