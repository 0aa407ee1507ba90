package dev.mcpbus.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.mcpbus.testing.McpHttp;
import dev.mcpbus.testing.ScriptedPeer;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.json.JsonObject;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a server logs before the first call of a client reaches it. */
class LogOfStartTest {

  private static final String LOG = "{\"level\":\"info\",\"data\":\"starting\"}";

  private final TestBus bus = TestBus.startWithBridge(new JsonObject());
  private final McpHttp client = new McpHttp(bus.port(), "/mcp/p");

  @AfterEach
  void close() {
    bus.close();
  }

  /** A peer that is silent where a client's own session asks {@code method}. */
  private ScriptedPeer silentAt(String silent) {
    return Peers.connected(
        bus,
        "p",
        new ScriptedPeer(
            bus.vertx(),
            (method, params, connection) ->
                connection > 1 && method.equals(silent)
                    ? null
                    : switch (method) {
                      case "initialize" -> Peers.INITIALIZE;
                      case "tools/list" -> Peers.tools("t");
                      case "tools/call" -> Peers.text("done");
                      default -> ScriptedPeer.error(-32601, "no such method");
                    }));
  }

  private static void answer(ScriptedPeer peer, String method, String result) {
    Object id = peer.received(method).get(peer.received(method).size() - 1).getValue("id");
    peer.say("{\"jsonrpc\":\"2.0\",\"id\":" + id + "," + result + "}");
  }

  @Test
  void what_a_server_logs_before_it_answers_the_handshake_reaches_the_client() {
    ScriptedPeer peer = silentAt("initialize");
    McpHttp.Session session = client.initialize("2025-11-25", new JsonObject());
    CompletableFuture<McpHttp.Stream> open =
        CompletableFuture.supplyAsync(
            () -> session.streamed(client.request("tools/call", Peers.call("t"))));
    await().until(() -> peer.received("initialize").size() == 2);
    peer.tell("notifications/message", LOG);
    answer(peer, "initialize", Peers.INITIALIZE);
    try (McpHttp.Stream stream = open.join()) {
      await().until(stream::hasEnded);
      assertThat(stream.messages().get(0).getJsonObject("params")).isEqualTo(new JsonObject(LOG));
    }
  }

  @Test
  void a_call_waits_for_the_log_level_that_it_wants_and_gets_what_the_server_logs_of_it() {
    ScriptedPeer peer = silentAt("logging/setLevel");
    JsonObject meta = new JsonObject().put("io.modelcontextprotocol/logLevel", "debug");
    JsonObject call = client.described("tools/call", Peers.call("t").put("_meta", meta));
    CompletableFuture<McpHttp.Stream> open =
        CompletableFuture.supplyAsync(() -> client.streamed(call, McpHttp.headers(call)));
    await().until(() -> !peer.received("logging/setLevel").isEmpty());
    peer.tell("notifications/message", LOG);
    try (McpHttp.Stream stream = open.join()) {
      await().until(() -> !stream.messages().isEmpty());
      assertThat(stream.messages().get(0).getJsonObject("params")).isEqualTo(new JsonObject(LOG));
      assertThat(peer.received("tools/call")).isEmpty();
      answer(peer, "logging/setLevel", "\"result\":{}");
      await().until(stream::hasEnded);
      assertThat(stream.messages()).hasSize(2);
    }
  }
}
