package dev.mcpbus.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.mcpbus.testing.McpHttp;
import dev.mcpbus.testing.ScriptedPeer;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The notifications of changes that discover clients receive. */
class ListenTest extends GatewayFixture {

  private static final String SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId";

  ListenTest() {
    super("/mcp");
  }

  private ScriptedPeer peer(String id) {
    return Peers.initialize(
        bus,
        id,
        (method, params, connection) ->
            switch (method) {
              case "tools/list" -> Peers.tools("t");
              case "resources/list" ->
                  "\"result\":{\"resources\":[{\"uri\":\"file:///a\",\"name\":\"a\"}]}";
              default -> null;
            });
  }

  private McpHttp.Stream listen(JsonObject filter) {
    JsonObject request =
        client.described("subscriptions/listen", new JsonObject().put("notifications", filter));
    return client.streamed(request, McpHttp.headers(request));
  }

  private static JsonObject params(McpHttp.Stream stream, int place) {
    return stream.messages().get(place).getJsonObject("params");
  }

  @Test
  void the_first_message_says_what_will_be_told_and_each_bears_the_subscriptions_id() {
    ScriptedPeer one = peer("one");
    peer("two");
    JsonObject filter =
        new JsonObject()
            .put("toolsListChanged", true)
            .put(
                "resourceSubscriptions",
                new JsonArray().add("file:///a").add("file://one//a").add("file://two//a"));
    try (McpHttp.Stream stream = listen(filter)) {
      await().until(() -> !stream.messages().isEmpty());
      assertThat(stream.methods()).containsExactly("notifications/subscriptions/acknowledged");
      JsonObject agreed = params(stream, 0).getJsonObject("notifications");
      assertThat(agreed.getBoolean("toolsListChanged")).isTrue();
      assertThat(agreed.getJsonArray("resourceSubscriptions"))
          .as("which of two servers the plain one means is not known")
          .containsExactly("file://one//a", "file://two//a");
      one.notify("notifications/resources/updated", new JsonObject().put("uri", "file:///a"));
      await().until(() -> stream.messages().size() == 2);
      assertThat(params(stream, 1).getString("uri")).isEqualTo("file://one//a");
      assertThat(params(stream, 1).getJsonObject("_meta").getInteger(SUBSCRIPTION)).isEqualTo(1);
      peer("three");
      await().until(() -> stream.methods().contains("notifications/tools/list_changed"));
    }
    await().until(() -> one.methods().contains("resources/unsubscribe"));
  }

  @Test
  void what_was_not_asked_for_is_not_told() {
    peer("one");
    try (McpHttp.Stream tools = listen(new JsonObject().put("toolsListChanged", true));
        McpHttp.Stream prompts = listen(new JsonObject().put("promptsListChanged", true))) {
      await().until(() -> !tools.messages().isEmpty() && !prompts.messages().isEmpty());
      peer("two");
      await().until(() -> tools.methods().contains("notifications/tools/list_changed"));
      assertThat(prompts.messages()).hasSize(1);
    }
  }

  @Test
  void at_the_end_of_the_service_each_stream_ends_with_a_result() {
    peer("one");
    try (McpHttp.Stream stream = listen(new JsonObject().put("toolsListChanged", true))) {
      await().until(() -> !stream.messages().isEmpty());
      TestBus.await(bus.bus().close());
      await().until(stream::hasEnded);
      JsonObject last = stream.messages().get(1);
      assertThat(last.getInteger("id")).isEqualTo(1);
      assertThat(last.getJsonObject("result").getString("resultType")).isEqualTo("complete");
      assertThat(last.getJsonObject("result").getJsonObject("_meta").getInteger(SUBSCRIPTION))
          .isEqualTo(1);
    }
  }

  /** Compared with each other they would hold the event loop for minutes. */
  @Test
  void a_filter_of_very_many_resources_is_refused_at_once() {
    JsonArray uris = new JsonArray();
    for (int i = 0; i < 300_000; i++) {
      uris.add("file:///" + i);
    }
    JsonObject request =
        client.described(
            "subscriptions/listen",
            new JsonObject()
                .put("notifications", new JsonObject().put("resourceSubscriptions", uris)));
    assertThat(client.posted(request.encode(), McpHttp.headers(request)))
        .succeedsWithin(Duration.ofSeconds(5))
        .satisfies(answer -> assertThat(answer.status()).isEqualTo(400));
  }
}
