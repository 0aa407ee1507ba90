package dev.mcpbus.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.mcpbus.TestOptions;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.connection.options.ConnectionOptions;
import dev.mcpbus.gateway.options.GatewayOptions;
import dev.mcpbus.internals.ByteBudget;
import dev.mcpbus.internals.RecordCopy;
import dev.mcpbus.protocol.ProtocolVersion;
import dev.mcpbus.testing.McpHttp;
import dev.mcpbus.testing.ScriptedPeer;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** A client comes while the one server of its endpoint is starting. */
class SlowStarterTest {

  private static TestBus start(Duration wait) {
    return TestBus.startWithGateway(
        new JsonObject(), RecordCopy.with(GatewayOptions.DEFAULT, "handshakeWait", wait));
  }

  /** Leaves {@code initialize} without an answer. */
  private static ScriptedPeer slow(TestBus bus) {
    ScriptedPeer peer =
        new ScriptedPeer(
            bus.vertx(),
            (method, params, n) -> method.equals("tools/list") ? Peers.tools("t") : null);
    TestBus.await(
        TestOptions.add(
            bus.bus(),
            new ConnectionId("slow"),
            peer.transport(),
            RecordCopy.with(
                ConnectionOptions.DEFAULT, "protocolVersion", ProtocolVersion.LATEST_INITIALIZE)));
    await().until(() -> !peer.received("initialize").isEmpty());
    return peer;
  }

  private static void answers(ScriptedPeer peer) {
    long id = peer.received("initialize").get(0).getLong("id");
    peer.say("{\"jsonrpc\":\"2.0\",\"id\":" + id + "," + Peers.INITIALIZE + "}");
  }

  private static CompletableFuture<String> begins(TestBus bus) {
    McpHttp client = new McpHttp(bus.port(), "/mcp/slow");
    JsonObject params =
        new JsonObject()
            .put("protocolVersion", "2025-11-25")
            .put("capabilities", new JsonObject())
            .put("clientInfo", new JsonObject().put("name", "c").put("version", "1"));
    return CompletableFuture.supplyAsync(
        () ->
            client
                .post(client.request("initialize", params))
                .result()
                .getJsonObject("serverInfo")
                .getString("name"));
  }

  /** Requests that came later have their answers. */
  private static void answersOthers(TestBus bus) {
    McpHttp.Session other = new McpHttp(bus.port(), "/mcp").initialize();
    for (int i = 0; i < 50; i++) {
      assertThat(other.call("ping", new JsonObject()).status()).isEqualTo(200);
    }
  }

  @Test
  void the_handshake_waits_for_the_server_and_has_its_name_and_capabilities() {
    try (TestBus bus = start(Duration.ofSeconds(25))) {
      ScriptedPeer peer = slow(bus);
      CompletableFuture<String> client = begins(bus);
      answersOthers(bus);
      assertThat(client).as("the server has not answered").isNotDone();
      answers(peer);
      assertThat(client.join()).isEqualTo("peer");
    }
  }

  @Test
  void a_server_that_took_longer_is_remembered_and_the_next_client_waits_for_it() {
    try (TestBus bus = start(Duration.ZERO)) {
      ScriptedPeer peer = slow(bus);
      assertThat(begins(bus).join()).isEqualTo("mcpbus");
      CompletableFuture<String> next = begins(bus);
      answersOthers(bus);
      assertThat(next).as("the server has not answered").isNotDone();
      answers(peer);
      assertThat(next.join()).isEqualTo("peer");
    }
  }

  /** Its request has its answer at once. */
  @Test
  void a_notification_that_waits_for_its_server_is_paid_until_the_server_has_it() {
    try (TestBus bus = start(Duration.ZERO)) {
      slow(bus);
      McpHttp.Session session =
          new McpHttp(bus.port(), "/mcp/slow").initialize("2025-11-25", new JsonObject());
      JsonObject told =
          new JsonObject()
              .put("jsonrpc", "2.0")
              .put("method", "notifications/com.example/told")
              .put("params", new JsonObject().put("text", "a".repeat(300_000)));
      assertThat(session.send(told)).isEqualTo(202);
      assertThat(session.call("ping", new JsonObject()).status()).isEqualTo(200);
      assertThat(ByteBudget.of(bus.vertx()).used()).isBetween(300_000L, 400_000L);
    }
  }
}
