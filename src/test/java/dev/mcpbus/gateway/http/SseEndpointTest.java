package dev.mcpbus.gateway.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.mcpbus.TestOptions;
import dev.mcpbus.bridge.options.BridgeOptions;
import dev.mcpbus.gateway.Peers;
import dev.mcpbus.gateway.options.GatewayOptions;
import dev.mcpbus.internals.RecordCopy;
import dev.mcpbus.security.ApiKeys;
import dev.mcpbus.security.AuthOptions;
import dev.mcpbus.testing.McpHttp;
import dev.mcpbus.testing.ScriptedPeer;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.json.JsonObject;
import java.security.SecureRandom;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Clients of 2024-11-05, over HTTP+SSE. */
class SseEndpointTest {

  private static final JsonObject ELICITATION =
      new JsonObject().put("elicitation", new JsonObject());

  private TestBus bus = TestBus.startWithBridge(new JsonObject());

  @AfterEach
  void close() {
    bus.close();
  }

  /** One client: its stream, and where it posts. */
  private final class Client implements AutoCloseable {
    private final McpHttp.Stream stream;
    private final McpHttp messages;
    private final String endpoint;
    private final String[] headers;

    Client(String path, String... headers) {
      this.headers = headers;
      stream = new McpHttp(bus.port(), path).get(headers);
      await().until(() -> !stream.events().isEmpty());
      endpoint = stream.events().get(0).data();
      messages = new McpHttp(bus.port(), endpoint);
    }

    /** All messages, without the event that names the endpoint. */
    List<JsonObject> heard() {
      return stream.events().stream().skip(1).map(McpHttp.Event::json).toList();
    }

    int send(JsonObject message) {
      return messages.post(message, headers).status();
    }

    /** The answer, which comes on the stream. */
    JsonObject call(String method, JsonObject params) {
      JsonObject request = messages.request(method, params);
      assertThat(send(request)).isEqualTo(202);
      return answer(request);
    }

    JsonObject answer(JsonObject request) {
      Object id = request.getValue("id");
      await().until(() -> heard().stream().anyMatch(m -> isAnswer(m, id)));
      return heard().stream().filter(m -> isAnswer(m, id)).findFirst().orElseThrow();
    }

    private boolean isAnswer(JsonObject message, Object id) {
      return id.equals(message.getValue("id")) && !message.containsKey("method");
    }

    JsonObject initialize(JsonObject capabilities) {
      return call(
          "initialize",
          new JsonObject()
              .put("protocolVersion", "2024-11-05")
              .put("capabilities", capabilities)
              .put("clientInfo", new JsonObject().put("name", "old").put("version", "1")));
    }

    @Override
    public void close() {
      stream.close();
    }
  }

  private ScriptedPeer peer(String id) {
    return Peers.initialize(
        bus,
        id,
        (method, params, connection) ->
            switch (method) {
              case "tools/list" -> Peers.tools("now", "never");
              case "tools/call" ->
                  params.getString("name").equals("now") ? Peers.text("from " + connection) : null;
              default -> null;
            });
  }

  @Test
  void everything_comes_on_the_stream_and_posts_are_only_accepted() {
    ScriptedPeer peer = peer("s");
    try (Client client = new Client("/sse")) {
      assertThat(client.endpoint).startsWith("/sse?sessionId=");
      JsonObject result = client.initialize(ELICITATION).getJsonObject("result");
      assertThat(result.getString("protocolVersion")).isEqualTo("2024-11-05");
      assertThat(McpHttp.names(listed(client), "tools")).contains("s__now");
      JsonObject called = client.call("tools/call", Peers.call("s__now"));
      assertThat(McpHttp.text(called.getJsonObject("result"))).isEqualTo("from 2");

      JsonObject waiting = client.messages.request("tools/call", Peers.call("s__never"));
      assertThat(client.send(waiting)).isEqualTo(202);
      await().until(() -> peer.received("tools/call").size() == 2);
      peer.say(
          2,
          "{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"elicitation/create\",\"params\":"
              + "{\"message\":\"?\",\"requestedSchema\":{\"type\":\"object\",\"properties\":{}}}}");
      await().until(() -> isAsked(client));
      Object question =
          client.heard().stream()
              .filter(m -> m.containsKey("method"))
              .map(m -> m.getValue("id"))
              .findFirst()
              .orElseThrow();
      JsonObject declined = new JsonObject().put("action", "decline");
      client.send(
          new JsonObject().put("jsonrpc", "2.0").put("id", question).put("result", declined));
      await().until(() -> !peer.answers(9).isEmpty());
      assertThat(peer.answers(9).get(0).getJsonObject("result")).isEqualTo(declined);
    }
  }

  private static boolean isAsked(Client client) {
    return client.heard().stream()
        .anyMatch(m -> "elicitation/create".equals(m.getString("method")));
  }

  private static JsonObject listed(Client client) {
    return client.call("tools/list", new JsonObject()).getJsonObject("result");
  }

  @Test
  void one_server_has_its_own_path_and_its_own_names() {
    peer("s");
    try (Client client = new Client("/sse/s")) {
      assertThat(client.endpoint).startsWith("/sse/s?sessionId=");
      client.initialize(new JsonObject());
      assertThat(McpHttp.names(listed(client), "tools")).containsExactly("now", "never");
    }
    assertThat(new McpHttp(bus.port(), "/sse/none").get().status()).isEqualTo(404);
  }

  @Test
  void the_session_and_its_connections_end_with_the_stream() {
    ScriptedPeer peer = peer("s");
    Client client = new Client("/sse");
    client.initialize(new JsonObject());
    client.send(client.messages.request("tools/call", Peers.call("s__never")));
    await().until(() -> !peer.received("tools/call").isEmpty());
    client.close();
    await().until(() -> peer.methods().contains("notifications/cancelled"));
    await().until(() -> client.send(client.messages.request("ping", new JsonObject())) == 404);
  }

  @Test
  void a_stream_answers_only_initialize_at_first() {
    try (Client client = new Client("/sse")) {
      JsonObject refused = client.call("tools/list", new JsonObject());
      assertThat(refused.getJsonObject("error").getInteger("code")).isEqualTo(-32600);
      client.initialize(new JsonObject());
      assertThat(client.initialize(new JsonObject()).containsKey("error")).isTrue();
      assertThat(client.call("ping", new JsonObject()).containsKey("result")).isTrue();
    }
  }

  @Test
  void what_is_posted_elsewhere_or_is_no_message_is_refused() {
    peer("s");
    McpHttp plain = new McpHttp(bus.port(), "/sse");
    assertThat(plain.post(plain.request("ping", new JsonObject())).status()).isEqualTo(405);
    assertThat(plain.delete()).isEqualTo(405);
    try (Client client = new Client("/sse")) {
      String query = client.endpoint.substring(client.endpoint.indexOf('?'));
      McpHttp other = new McpHttp(bus.port(), "/sse/s" + query);
      assertThat(other.post(other.request("ping", new JsonObject())).status()).isEqualTo(404);
      assertThat(client.messages.post("nonsense").status()).isEqualTo(400);
      McpHttp unknown = new McpHttp(bus.port(), "/sse?sessionId=" + "0".repeat(16));
      assertThat(unknown.post(unknown.request("ping", new JsonObject())).status()).isEqualTo(404);
    }
  }

  @Test
  void streams_are_counted() {
    bus.close();
    bus =
        TestBus.startWithGateway(
            new JsonObject(), RecordCopy.with(GatewayOptions.DEFAULT, "maxStreams", 1));
    try (Client client = new Client("/sse")) {
      assertThat(new McpHttp(bus.port(), "/sse").get().status()).isEqualTo(503);
      assertThat(client.endpoint).isNotEmpty();
    }
    await()
        .until(
            () -> {
              try (McpHttp.Stream next = new McpHttp(bus.port(), "/sse").get()) {
                return next.status() == 200;
              }
            });
  }

  @Test
  void only_who_opened_the_stream_may_post_to_it() {
    ApiKeys.Fresh ada = ApiKeys.generate(new SecureRandom());
    ApiKeys.Fresh bob = ApiKeys.generate(new SecureRandom());
    bus.close();
    bus =
        TestBus.startWithAuth(
            new JsonObject(),
            BridgeOptions.DEFAULT.withPort(0),
            TestOptions.ofKeys(
                List.of(
                    new AuthOptions.ApiKey("ada", ada.hash(), Set.of(), false, null, null),
                    new AuthOptions.ApiKey("bob", bob.hash(), Set.of(), false, null, null))));
    assertThat(new McpHttp(bus.port(), "/sse").get().status()).isEqualTo(401);
    try (Client client = new Client("/sse", "Authorization", "Bearer " + ada.key())) {
      client.initialize(new JsonObject());
      JsonObject ping = client.messages.request("ping", new JsonObject());
      assertThat(client.messages.post(ping, "Authorization", "Bearer " + bob.key()).status())
          .isEqualTo(404);
      assertThat(client.messages.post(ping).status()).isEqualTo(401);
      assertThat(client.send(ping)).isEqualTo(202);
    }
  }
}
