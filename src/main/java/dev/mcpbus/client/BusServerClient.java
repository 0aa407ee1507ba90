package dev.mcpbus.client;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.ConnectionId;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import org.jspecify.annotations.Nullable;

/** One server, at its addresses on the bus. Any thread may call. */
record BusServerClient(ConnectionId id, BusClient all) implements McpServerClient {

  @Override
  public Future<JsonObject> send(String suffix, @Nullable JsonObject params, CallOptions options) {
    JsonObject body = ClientCalls.object(params);
    return all.calls.send(Addresses.of(id, suffix), id, body, JsonObject.class, options);
  }

  @Override
  public Future<Buffer> send(String suffix, Buffer params, CallOptions options) {
    return all.calls.send(Addresses.of(id, suffix), id, params, Buffer.class, options);
  }

  @Override
  public Future<ServerSummary> summary() {
    return all.send(
            Addresses.SERVERS_GET, new JsonObject().put("id", id.value()), CallOptions.DEFAULT)
        .map(ServerSummary::of);
  }

  @Override
  public Registration onEvent(Handler<JsonObject> handler) {
    return all.subscriptions.onEvents(events(), handler);
  }

  @Override
  public Registration onEvent(String type, Handler<JsonObject> handler) {
    return all.subscriptions.onEvent(events(), type, handler);
  }

  @Override
  public Registration onNotification(String method, Handler<JsonObject> handler) {
    return all.subscriptions.onNotification(events(), method, handler);
  }

  @Override
  public Future<Void> setInputHandler(String method, InputHandler handler) {
    return all.inputs.set(input(), method, handler);
  }

  @Override
  public Future<Void> clearInputHandler(String method) {
    return all.inputs.clear(input(), method);
  }

  private String events() {
    return Addresses.of(id, Addresses.EVENTS);
  }

  private String input() {
    return Addresses.of(id, Addresses.INPUT);
  }
}
