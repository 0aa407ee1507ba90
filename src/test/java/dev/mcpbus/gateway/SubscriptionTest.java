package dev.mcpbus.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.mcpbus.bus.FairLimits;
import dev.mcpbus.connection.options.ConnectionOptions;
import dev.mcpbus.gateway.options.GatewayOptions;
import dev.mcpbus.internals.RecordCopy;
import dev.mcpbus.testing.McpHttp;
import dev.mcpbus.testing.McpHttp.Answer;
import dev.mcpbus.testing.ScriptedPeer;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * A client hears of updates by the session that its calls use. At a shared server, however many
 * clients subscribe to a resource, the server is asked once.
 */
class SubscriptionTest {

  private static final String LIST =
      "\"result\":{\"resources\":[{\"uri\":\"file:///a\",\"name\":\"a\"}],\"ttlMs\":60000}";
  private static final String UPDATED = "notifications/resources/updated";
  private static final ConnectionOptions SHARED =
      RecordCopy.with(ConnectionOptions.DEFAULT, "shared", true);
  private static final JsonObject URI = new JsonObject().put("uri", "file:///a");

  private TestBus bus = TestBus.startWithBridge(new JsonObject());

  @AfterEach
  void close() {
    bus.close();
  }

  private ScriptedPeer peer() {
    return Peers.connected(bus, "s", scripted());
  }

  private ScriptedPeer shared() {
    return Peers.connected(bus, "s", scripted(), SHARED);
  }

  private ScriptedPeer scripted() {
    return new ScriptedPeer(
        bus.vertx(),
        (method, params, connection) ->
            switch (method) {
              case "server/discover" -> ScriptedPeer.error(-32601, "no such method");
              case "initialize" -> Peers.INITIALIZE;
              case "resources/list" -> LIST;
              case "resources/templates/list" -> "\"result\":{\"resourceTemplates\":[]}";
              case "tools/list" -> Peers.tools("touch");
              case "tools/call" -> Peers.text("touched " + connection);
              default -> "\"result\":{}";
            });
  }

  private static McpHttp.Stream listening(McpHttp client) {
    JsonObject listen =
        client.described(
            "subscriptions/listen",
            new JsonObject()
                .put(
                    "notifications",
                    new JsonObject()
                        .put("resourceSubscriptions", new JsonArray().add("file:///a"))));
    McpHttp.Stream stream = client.streamed(listen, McpHttp.headers(listen));
    await().until(() -> !stream.messages().isEmpty());
    assertThat(
            stream
                .messages()
                .get(0)
                .getJsonObject("params")
                .getJsonObject("notifications")
                .getJsonArray("resourceSubscriptions"))
        .containsExactly("file:///a");
    return stream;
  }

  private static void update(ScriptedPeer peer, int connection) {
    peer.say(
        connection,
        new JsonObject()
            .put("jsonrpc", "2.0")
            .put("method", UPDATED)
            .put("params", URI.copy().put("of", connection))
            .encode());
  }

  private static List<Integer> heard(McpHttp.Stream stream) {
    return stream.messages().stream()
        .filter(message -> UPDATED.equals(message.getString("method")))
        .map(message -> message.getJsonObject("params").getInteger("of"))
        .toList();
  }

  /** The shared connection is the first; then each client has the one that its calls open. */
  @Test
  void each_client_hears_what_its_own_session_reports_and_nothing_else() {
    ScriptedPeer peer = peer();
    McpHttp.Session one = client().initialize();
    McpHttp.Session two = client().initialize();
    McpHttp modern = client();
    try (McpHttp.Stream first = one.listen();
        McpHttp.Stream second = two.listen();
        McpHttp.Stream third = listening(modern)) { // opens the second connection
      assertThat(one.call("tools/call", Peers.call("s__touch")).body()).contains("touched 3");
      one.call("resources/subscribe", URI).result();
      two.call("resources/subscribe", URI).result();
      assertThat(modern.discover("tools/call", Peers.call("s__touch")).body())
          .contains("touched 2");
      for (int connection = 1; connection <= 4; connection++) {
        update(peer, connection);
      }
      await().until(() -> !heard(first).isEmpty() && !heard(second).isEmpty());
      await().until(() -> !heard(third).isEmpty());
      assertThat(heard(first)).containsExactly(3);
      assertThat(heard(second)).containsExactly(4);
      assertThat(heard(third)).containsExactly(2);
      one.call("resources/unsubscribe", URI).result();
      assertThat(peer.received("resources/unsubscribe")).hasSize(1);
    }
    assertThat(peer.connections()).isEqualTo(4);
  }

  /** The new connection of a client has none of the subscriptions of the one before. */
  @Test
  void subscriptions_go_on_when_the_clients_connection_begins_anew() {
    ScriptedPeer peer = peer();
    McpHttp.Session session = client().initialize();
    try (McpHttp.Stream stream = session.listen();
        McpHttp.Stream modern = listening(client())) {
      session.call("resources/subscribe", URI).result();
      peer.hangUpAll();
      await().until(() -> peer.received("resources/subscribe").size() == 4);
      await().until(() -> peer.connections() == 6);
      for (int connection = 4; connection <= 6; connection++) {
        update(peer, connection);
      }
      await().until(() -> heard(stream).size() == 1 && heard(modern).size() == 1);
    }
  }

  private McpHttp client() {
    return new McpHttp(bus.port(), "/mcp");
  }

  @Test
  void subscriptions_go_on_in_a_new_session_when_the_server_is_added_again() {
    peer();
    McpHttp.Session session = client().initialize();
    try (McpHttp.Stream stream = session.listen()) {
      session.call("resources/subscribe", URI).result();
      bus.request("mcp.servers.remove", new JsonObject().put("id", "s"));
      ScriptedPeer again = peer();
      session.call("tools/call", Peers.call("s__touch")).result();
      await().until(() -> again.received("resources/subscribe").size() == 1);
      update(again, 2);
      await().until(() -> heard(stream).equals(List.of(2)));
    }
  }

  @Test
  void clients_of_both_eras_share_one_subscription_at_a_shared_server() {
    ScriptedPeer peer = shared();
    McpHttp.Session one = client().initialize();
    McpHttp.Session two = client().initialize();
    one.call("resources/subscribe", URI).result();
    two.call("resources/subscribe", URI).result();
    try (McpHttp.Stream discover = listening(client())) {
      assertThat(one.call("resources/unsubscribe", URI).result()).isEmpty();
      assertThat(two.end()).isEqualTo(204);
      peer.notify("notifications/resources/updated", URI);
      await().until(() -> discover.methods().contains("notifications/resources/updated"));
      assertThat(peer.received("resources/subscribe")).hasSize(1);
      assertThat(peer.methods()).doesNotContain("resources/unsubscribe");
    }
    await().until(() -> peer.received("resources/unsubscribe").size() == 1);
    assertThat(peer.connections()).isEqualTo(1);
  }

  @Test
  void a_session_that_vanishes_gives_its_subscription_up() {
    bus.close();
    bus =
        TestBus.startWithGateway(
            new JsonObject(),
            RecordCopy.with(GatewayOptions.DEFAULT, "sessionIdle", Duration.ofMillis(200)));
    ScriptedPeer peer = peer();
    client().initialize().call("resources/subscribe", URI).result();
    await().until(() -> peer.methods().contains("resources/unsubscribe"));
  }

  @Test
  void who_comes_while_the_server_is_asked_hears_what_it_answers_the_first() {
    ScriptedPeer peer = silent();
    McpHttp client = client();
    McpHttp.Session one = client.initialize();
    McpHttp.Session two = client.initialize();
    CompletableFuture<Answer> first = one.called(client.request("resources/subscribe", URI));
    await().until(() -> !peer.received("resources/subscribe").isEmpty());
    CompletableFuture<Answer> second = two.called(client.request("resources/subscribe", URI));
    await().until(() -> kept() == 2);
    Object asked = peer.received("resources/subscribe").get(0).getValue("id");
    peer.say("{\"jsonrpc\":\"2.0\",\"id\":" + asked + "," + ScriptedPeer.error(-32000, "no") + "}");
    assertThat(first.join().error().getString("message")).contains("no");
    assertThat(second.join().error().getString("message")).contains("no");
    // Nobody holds it now: the next one asks anew.
    CompletableFuture<Answer> third = one.called(client.request("resources/subscribe", URI));
    await().until(() -> peer.received("resources/subscribe").size() == 2);
    Object again = peer.received("resources/subscribe").get(1).getValue("id");
    peer.say("{\"jsonrpc\":\"2.0\",\"id\":" + again + ",\"result\":{}}");
    assertThat(third.join().result()).isEmpty();
  }

  /** How many subscriptions of sessions are kept, those included that wait for the server. */
  private int kept() {
    JsonObject bounds = FairLimits.of(bus.vertx()).toJson();
    return bounds.getJsonObject("gateway.subscriptions").getInteger("used");
  }

  /** Does not answer a subscription: the test does. */
  private ScriptedPeer silent() {
    ScriptedPeer peer =
        new ScriptedPeer(
            bus.vertx(),
            (method, params, connection) ->
                switch (method) {
                  case "server/discover" -> ScriptedPeer.error(-32601, "no such method");
                  case "initialize" -> Peers.INITIALIZE;
                  case "resources/list" -> LIST;
                  case "resources/templates/list" -> "\"result\":{\"resourceTemplates\":[]}";
                  case "tools/list" -> Peers.tools();
                  default -> null;
                });
    return Peers.connected(bus, "s", peer, SHARED);
  }
}
