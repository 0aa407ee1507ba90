package dev.mcpbus.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.mcpbus.bus.FairLimits;
import dev.mcpbus.gateway.options.GatewayOptions;
import dev.mcpbus.testing.McpHttp;
import dev.mcpbus.testing.McpHttp.Answer;
import dev.mcpbus.testing.ScriptedPeer;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** However many clients subscribe to a resource, its server is asked once. */
class SubscriptionTest {

  private static final String LIST =
      "\"result\":{\"resources\":[{\"uri\":\"file:///a\",\"name\":\"a\"}],\"ttlMs\":60000}";
  private static final JsonObject URI = new JsonObject().put("uri", "file:///a");

  private TestBus bus = TestBus.startWithBridge(new JsonObject());

  @AfterEach
  void close() {
    bus.close();
  }

  private ScriptedPeer peer() {
    return Peers.initialize(
        bus, "s", (method, params, connection) -> method.equals("resources/list") ? LIST : null);
  }

  private McpHttp client() {
    return new McpHttp(bus.port(), "/mcp");
  }

  @Test
  void clients_of_both_eras_share_one_subscription_that_ends_with_the_last_of_them() {
    ScriptedPeer peer = peer();
    McpHttp.Session one = client().initialize();
    McpHttp.Session two = client().initialize();
    one.call("resources/subscribe", URI).result();
    two.call("resources/subscribe", URI).result();
    McpHttp client = client();
    JsonObject listen =
        client.described(
            "subscriptions/listen",
            new JsonObject()
                .put(
                    "notifications",
                    new JsonObject()
                        .put("resourceSubscriptions", new JsonArray().add("file:///a"))));
    try (McpHttp.Stream discover = client.streamed(listen, McpHttp.headers(listen))) {
      await().until(() -> !discover.messages().isEmpty());
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
            new JsonObject(), GatewayOptions.DEFAULT.withSessionIdle(Duration.ofMillis(200)));
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
    return Peers.connected(bus, "s", peer);
  }
}
