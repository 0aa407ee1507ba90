package dev.mcpbus;

import static dev.mcpbus.testing.TestBus.address;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.client.ElicitationAnswer;
import dev.mcpbus.client.ElicitationRequest;
import dev.mcpbus.client.McpClient;
import dev.mcpbus.client.ToolCallResult;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.testing.NpmServers;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.Future;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** A real server of the {@code initialize} era asks, and people answer. */
class InputIT {

  private static final String EVERYTHING = "@modelcontextprotocol/server-everything/dist/index.js";
  private static final String ASKS = "trigger-elicitation-request";

  private static JsonObject everything() {
    return NpmServers.stdio(EVERYTHING);
  }

  private static boolean offers(TestBus bus, String tool) {
    JsonObject tools = bus.request(address("everything", Addresses.TOOLS_LIST), new JsonObject());
    return tools.getJsonArray("tools").stream()
        .anyMatch(one -> tool.equals(((JsonObject) one).getString("name")));
  }

  @Test
  void a_question_waits_for_whoever_responds_where_the_configuration_says_so() {
    JsonObject entry = everything().put("capabilities", new JsonArray().add("elicitation"));
    try (TestBus bus = TestBus.start(TestBus.server("everything", entry))) {
      bus.awaitState("everything", "READY");
      Future<JsonObject> call =
          bus.send(
              address("everything", Addresses.TOOLS_CALL),
              TestBus.toolCall(ASKS, new JsonObject()),
              new DeliveryOptions());
      JsonArray pending =
          Awaitility.await()
              .atMost(Duration.ofSeconds(60))
              .until(
                  () ->
                      bus.<JsonObject>request(Addresses.INPUT_PENDING, new JsonObject())
                          .getJsonArray("questions"),
                  questions -> !questions.isEmpty());
      bus.request(
          Addresses.INPUT_RESPOND,
          new JsonObject()
              .put("question", pending.getJsonObject(0).getString("question"))
              .put(
                  "result",
                  new JsonObject()
                      .put("action", "accept")
                      .put("content", new JsonObject().put("name", "Ada L."))));
      assertThat(TestBus.await(call).encode()).contains("Ada L.");
    }
  }

  @Test
  void a_pending_elicitation_is_seen_and_answered_by_the_facade() {
    JsonObject entry = everything().put("capabilities", new JsonArray().add("elicitation"));
    try (TestBus bus = TestBus.start(TestBus.server("everything", entry))) {
      bus.awaitState("everything", "READY");
      McpClient client = McpClient.create(bus.vertx());
      Future<ToolCallResult> call = client.server("everything").callTool(ASKS, Map.of());
      Map<String, ElicitationRequest> pending =
          Awaitility.await()
              .atMost(Duration.ofSeconds(60))
              .until(() -> TestBus.await(client.pendingElicitations()), all -> !all.isEmpty());
      String id = pending.keySet().iterator().next();
      assertThat(requireNonNull(pending.get(id)).schema().getJsonObject("properties").fieldNames())
          .contains("name");
      ElicitationAnswer answer = ElicitationAnswer.accept(new JsonObject().put("name", "Ada L."));

      assertThat(TestBus.await(client.respondToElicitation("unknown", answer))).isFalse();
      assertThat(TestBus.await(client.respondToElicitation(id, answer))).isTrue();

      assertThat(TestBus.await(call).text()).contains("Ada L.");
      assertThat(TestBus.await(client.respondToElicitation(id, answer))).isFalse();
      assertThat(TestBus.await(client.pendingElicitations())).isEmpty();
    }
  }

  @Test
  void a_handler_that_is_set_later_is_offered_in_a_fresh_session_and_answers() {
    try (TestBus bus = TestBus.start(TestBus.server("everything", everything()))) {
      bus.awaitState("everything", "READY");
      assertThat(offers(bus, ASKS)).isFalse();
      McpClient client = McpClient.create(bus.vertx());
      TestBus.await(
          client.setInputHandler(
              Methods.ELICITATION,
              (server, question) ->
                  Future.succeededFuture(new JsonObject().put("action", "decline"))));
      Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> offers(bus, ASKS));
      assertThat(bus.callTool("everything", ASKS, new JsonObject()).encode())
          .containsIgnoringCase("declined");
      TestBus.await(client.close());
    }
  }
}
