package dev.mcpbus.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.mcpbus.TestOptions;
import dev.mcpbus.bridge.options.BridgeOptions;
import dev.mcpbus.gateway.options.GatewayOptions;
import dev.mcpbus.internals.ByteBudget;
import dev.mcpbus.internals.RecordCopy;
import dev.mcpbus.security.ApiKeys;
import dev.mcpbus.security.AuthOptions;
import dev.mcpbus.security.AuthOptions.Limits;
import dev.mcpbus.testing.McpHttp;
import dev.mcpbus.testing.ScriptedPeer;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Clients of 2025-03-26 may send several messages in one array (Base Protocol, Batching). */
class BatchTest extends GatewayFixture {

  @SuppressWarnings("NullAway.Init") // by begin
  private ScriptedPeer peer;

  BatchTest() {
    super("/mcp/s");
  }

  @BeforeEach
  void begin() {
    peer =
        Peers.initialize(
            bus,
            "s",
            (method, params, connection) ->
                switch (method) {
                  case "tools/list" -> Peers.tools("t", "slow", "large");
                  case "tools/call" ->
                      switch (params.getString("name")) {
                        case "slow" -> null;
                        case "large" -> Peers.text("a".repeat(150 * 1024));
                        default -> Peers.text("called");
                      };
                  default -> null;
                });
  }

  /** Without the header of the version, which 2025-03-26 does not have. */
  private static String[] headers(McpHttp.Session session, String accept) {
    List<String> headers = new ArrayList<>(List.of("Accept", accept));
    String[] all = session.headers();
    for (int i = 0; i < all.length; i += 2) {
      if (!all[i].equalsIgnoreCase("MCP-Protocol-Version")) {
        headers.addAll(List.of(all[i], all[i + 1]));
      }
    }
    return headers.toArray(String[]::new);
  }

  private McpHttp.Session session() {
    return client.initialize("2025-03-26", new JsonObject());
  }

  private McpHttp.Answer post(JsonArray batch, String accept) {
    return client.posted(batch.encode(), headers(session(), accept)).join();
  }

  private static JsonObject call(Object id, String tool) {
    return new JsonObject()
        .put("jsonrpc", "2.0")
        .put("id", id)
        .put("method", "tools/call")
        .put("params", Peers.call(tool));
  }

  private static JsonObject told() {
    return new JsonObject().put("jsonrpc", "2.0").put("method", "notifications/x.example/told");
  }

  @Test
  void each_request_of_a_batch_is_answered_in_one_array() {
    McpHttp.Answer answer =
        post(
            new JsonArray().add(call(1, "t")).add(told()).add(call("b", "nope")).add(call(3, "t")),
            "application/json");
    assertThat(answer.status()).isEqualTo(200);
    JsonArray answers = new JsonArray(answer.body());
    assertThat(answers.stream().map(one -> ((JsonObject) one).getValue("id")))
        .containsExactlyInAnyOrder(1, "b", 3);
    await().until(() -> peer.methods().contains("notifications/x.example/told"));
  }

  @Test
  void an_answer_that_its_caller_cannot_pay_is_an_error_of_its_request() {
    ByteBudget.of(bus.vertx()).limit(512 * 1024);
    McpHttp.Answer answer =
        post(new JsonArray().add(call("b", "large")).add(call(3, "t")), "application/json");
    JsonArray answers = new JsonArray(answer.body());
    assertThat(answers.stream().map(one -> ((JsonObject) one).getValue("id")))
        .containsExactlyInAnyOrder("b", 3);
    assertThat(answers.stream().filter(one -> ((JsonObject) one).containsKey("error"))).hasSize(1);
  }

  @Test
  void a_client_that_reads_streams_gets_each_answer_as_it_comes() {
    McpHttp.Session session = session();
    JsonArray batch = new JsonArray().add(call(1, "slow")).add(call(2, "t"));
    try (McpHttp.Stream stream =
        client.streamed(batch.encode(), headers(session, "application/json, text/event-stream"))) {
      await().until(() -> stream.messages().size() == 1);
      assertThat(stream.messages().get(0).getInteger("id")).isEqualTo(2);
      assertThat(stream.hasEnded()).isFalse();
      JsonObject slow =
          peer.received("tools/call").stream()
              .filter(one -> one.getJsonObject("params").getString("name").equals("slow"))
              .findFirst()
              .orElseThrow();
      peer.say(
          2, "{\"jsonrpc\":\"2.0\",\"id\":" + slow.getValue("id") + "," + Peers.text("late") + "}");
      await().until(stream::hasEnded);
      assertThat(stream.messages().get(1).getInteger("id")).isEqualTo(1);
    }
  }

  @Test
  void a_cancellation_in_a_batch_reaches_a_request_of_another() {
    McpHttp.Session session = session();
    JsonArray batch = new JsonArray().add(call(1, "slow")).add(call(2, "slow")).add(call(3, "t"));
    try (McpHttp.Stream stream =
        client.streamed(batch.encode(), headers(session, "application/json, text/event-stream"))) {
      await().until(() -> stream.messages().size() == 1);
      client
          .posted(
              new JsonArray()
                  .add(
                      new JsonObject()
                          .put("jsonrpc", "2.0")
                          .put("method", "notifications/cancelled")
                          .put("params", new JsonObject().put("requestId", 1)))
                  .encode(),
              headers(session, "application/json"))
          .join();
      await().until(() -> peer.methods().contains("notifications/cancelled"));
    }
  }

  @Test
  void notifications_and_answers_alone_get_202() {
    JsonObject answer =
        new JsonObject().put("jsonrpc", "2.0").put("id", 99).put("result", new JsonObject());
    McpHttp.Answer got = post(new JsonArray().add(told()).add(told()), "application/json");
    assertThat(got.status()).isEqualTo(202);
    assertThat(got.body()).isEmpty();
    assertThat(post(new JsonArray().add(answer).add(answer), "application/json").status())
        .isEqualTo(202);
  }

  @Test
  void a_batch_has_a_bound_and_no_handshake() {
    JsonArray many = new JsonArray();
    IntStream.range(0, 101).forEach(i -> many.add(call(i, "t")));
    assertThat(post(many, "application/json").status()).isEqualTo(400);
    JsonObject initialize = call(1, "t").put("method", "initialize");
    McpHttp.Answer refused =
        post(new JsonArray().add(call(2, "t")).add(initialize), "application/json");
    assertThat(refused.status()).isEqualTo(400);
    assertThat(refused.error().getInteger("code")).isEqualTo(-32600);
    assertThat(peer.received("tools/call")).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"2025-06-18", "2025-11-25"})
  void later_versions_have_no_batches(String version) {
    McpHttp.Session session = client.initialize(version, new JsonObject());
    McpHttp.Answer refused =
        client.posted(new JsonArray().add(call(1, "t")).encode(), session.headers()).join();
    assertThat(refused.status()).isEqualTo(400);
    assertThat(refused.error().getString("message")).contains("2025-03-26");
    assertThat(peer.received("tools/call")).isEmpty();
  }

  @Test
  void each_message_of_a_batch_counts_in_the_limits_of_its_caller() {
    ApiKeys.Fresh key = ApiKeys.generate(new SecureRandom());
    AuthOptions auth =
        RecordCopy.with(
            TestOptions.ofKeys(
                List.of(new AuthOptions.ApiKey("a", key.hash(), Set.of(), false, null, null))),
            "limits",
            new Limits(0.001, 5, 0));
    try (TestBus limited =
        TestBus.startWithAuth(
            new JsonObject(), BridgeOptions.DEFAULT.withPort(0), GatewayOptions.DEFAULT, auth)) {
      Peers.initialize(
          limited,
          "s",
          (method, params, connection) ->
              method.equals("tools/list") ? Peers.tools("t") : Peers.text("called"));
      McpHttp door = new McpHttp(limited.port(), "/mcp/s");
      McpHttp.Session session =
          door.initialize("2025-03-26", new JsonObject(), "Authorization", "Bearer " + key.key());
      JsonArray batch = new JsonArray();
      IntStream.range(0, 10).forEach(i -> batch.add(call(i, "t")));
      JsonArray answers =
          new JsonArray(
              door.posted(batch.encode(), headers(session, "application/json")).join().body());
      assertThat(answers).hasSize(10);
      assertThat(answers.stream().filter(one -> ((JsonObject) one).containsKey("result")).count())
          .as("five requests, and two of them began the session")
          .isEqualTo(3);
      assertThat(answers.encode()).contains("RATE_LIMITED");
    }
  }
}
