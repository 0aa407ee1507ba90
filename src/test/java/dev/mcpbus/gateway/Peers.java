package dev.mcpbus.gateway;

import dev.mcpbus.TestOptions;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.connection.options.ConnectionOptions;
import dev.mcpbus.testing.ScriptedPeer;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;

/** Servers in the process, for tests of the gateway. */
public final class Peers {

  static final String INITIALIZE =
      "\"result\":{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{\"tools\":{\"listChanged\""
          + ":true},\"resources\":{\"subscribe\":true,\"listChanged\":true},\"prompts\":{},"
          + "\"logging\":{},\"completions\":{}},\"serverInfo\":{\"name\":\"peer\","
          + "\"version\":\"1\"}}";

  private Peers() {}

  /** A peer of the initialize era with every capability; {@code script} answers the rest. */
  public static ScriptedPeer initialize(TestBus bus, String id, ScriptedPeer.Script script) {
    return connected(
        bus,
        id,
        new ScriptedPeer(
            bus.vertx(),
            (method, params, connection) ->
                switch (method) {
                  case "server/discover" -> ScriptedPeer.error(-32601, "no such method");
                  case "initialize" -> INITIALIZE;
                  case "logging/setLevel", "resources/subscribe", "resources/unsubscribe" ->
                      "\"result\":{}";
                  default -> answered(script, method, params, connection);
                }));
  }

  public static ScriptedPeer discover(TestBus bus, String id, ScriptedPeer.Script script) {
    return connected(
        bus,
        id,
        ScriptedPeer.discover(
            bus.vertx(),
            (method, params, connection) ->
                method.equals("subscriptions/listen")
                    ? null
                    : answered(script, method, params, connection)));
  }

  private static @org.jspecify.annotations.Nullable String answered(
      ScriptedPeer.Script script, String method, JsonObject params, int connection) {
    return switch (method) {
      case "tools/list", "resources/list", "prompts/list", "resources/templates/list" -> {
        String own = script.answer(method, params, connection);
        String list =
            method.equals("resources/templates/list")
                ? "resourceTemplates"
                : method.substring(0, method.indexOf('/'));
        yield own == null ? "\"result\":{\"" + list + "\":[],\"ttlMs\":60000}" : own;
      }
      default -> script.answer(method, params, connection);
    };
  }

  public static ScriptedPeer connected(TestBus bus, String id, ScriptedPeer peer) {
    return connected(bus, id, peer, ConnectionOptions.DEFAULT);
  }

  static ScriptedPeer connected(
      TestBus bus, String id, ScriptedPeer peer, ConnectionOptions options) {
    TestBus.await(TestOptions.add(bus.bus(), new ConnectionId(id), peer.transport(), options));
    bus.awaitState(id, "READY");
    return peer;
  }

  public static String tools(String... names) {
    JsonArray tools = new JsonArray();
    for (String name : names) {
      tools.add(
          new JsonObject()
              .put("name", name)
              .put("inputSchema", new JsonObject().put("type", "object")));
    }
    return "\"result\":"
        + new JsonObject().put("tools", tools).put("ttlMs", 60_000).put("cacheScope", "public");
  }

  public static String text(String text) {
    return "\"result\":{\"resultType\":\"complete\",\"content\":[{\"type\":\"text\",\"text\":\""
        + text
        + "\"}]}";
  }

  public static JsonObject call(String name) {
    return new JsonObject().put("name", name).put("arguments", new JsonObject());
  }

  /** A JSON-RPC request with these bytes as params. */
  static String request(int id, String method, String params) {
    return "{\"jsonrpc\":\"2.0\",\"id\":"
        + id
        + ",\"method\":\""
        + method
        + "\",\"params\":"
        + params
        + "}";
  }
}
