package dev.mcpbus.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.mcpbus.TestOptions;
import dev.mcpbus.bridge.options.BridgeOptions;
import dev.mcpbus.connection.options.ConnectionOptions;
import dev.mcpbus.gateway.options.GatewayOptions;
import dev.mcpbus.internals.RecordCopy;
import dev.mcpbus.security.Action;
import dev.mcpbus.security.ApiKeys;
import dev.mcpbus.security.AuthOptions;
import dev.mcpbus.security.AuthOptions.Effect;
import dev.mcpbus.security.AuthOptions.Policy;
import dev.mcpbus.testing.McpHttp;
import dev.mcpbus.testing.ScriptedPeer;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Requests whose answer comes only when their stream ends, at the endpoint of one server. */
class LongStreamsTest {

  private static final String SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId";
  private static final String ACKNOWLEDGED = "notifications/subscriptions/acknowledged";
  private static final String HEARTBEAT = "notifications/events/heartbeat";

  @SuppressWarnings("NullAway.Init") // by start
  private TestBus bus;

  @SuppressWarnings("NullAway.Init") // by start
  private ScriptedPeer peer;

  @BeforeEach
  void start() {
    bus = TestBus.startWithGateway(new JsonObject(), GatewayOptions.DEFAULT);
  }

  @AfterEach
  void close() {
    bus.close();
  }

  private void add(ConnectionOptions options) {
    peer =
        Peers.connected(
            bus,
            "s",
            ScriptedPeer.discover(
                bus.vertx(),
                (method, params, n) ->
                    switch (method) {
                      case "tools/list" -> Peers.tools("t");
                      case "plain/refused" -> ScriptedPeer.error(-32601, "no");
                      default -> null;
                    }),
            options);
  }

  private CompletableFuture<McpHttp.Stream> opened(String method, JsonObject params) {
    McpHttp client = new McpHttp(bus.port(), "/mcp/s");
    JsonObject request = client.described(method, params);
    return CompletableFuture.supplyAsync(() -> client.streamed(request, McpHttp.headers(request)));
  }

  private long received(String method, int count) {
    await().until(() -> peer.received(method).size() >= count);
    return peer.received(method).get(count - 1).getLong("id");
  }

  private static JsonObject about(long id, JsonObject params) {
    return params.put("_meta", new JsonObject().put(SUBSCRIPTION, id));
  }

  private static JsonObject last(McpHttp.Stream stream) {
    return stream.messages().get(stream.messages().size() - 1);
  }

  private static ConnectionOptions options(long silence, long call) {
    return RecordCopy.with(
        ConnectionOptions.DEFAULT,
        Map.of(
            "requestTimeout",
            Duration.ofMillis(silence),
            "maxCallDuration",
            Duration.ofMillis(call)));
  }

  @Test
  void events_stream_goes_on_beyond_the_longest_call_while_its_server_speaks() {
    add(options(3_000, 3_000));
    CompletableFuture<McpHttp.Stream> opening = opened("events/stream", new JsonObject());
    long id = received("events/stream", 1);
    long began = System.nanoTime();
    for (int i = 0; System.nanoTime() - began < Duration.ofSeconds(5).toNanos(); i++) {
      peer.notify(HEARTBEAT, about(id, new JsonObject().put("cursor", "c" + i)));
      await().pollDelay(Duration.ofMillis(300)).until(() -> true);
    }
    peer.say(
        "{\"jsonrpc\":\"2.0\",\"id\":"
            + id
            + ",\"result\":{\"resultType\":\"complete\",\"_meta\":{}}}");
    try (McpHttp.Stream stream = opening.join()) {
      await().until(stream::hasEnded);
      assertThat(stream.methods()).contains(HEARTBEAT);
      assertThat(last(stream).getJsonObject("result")).isNotNull();
    }
  }

  @Test
  void a_stream_whose_server_is_silent_ends_as_a_call_does() {
    add(options(500, 500));
    CompletableFuture<McpHttp.Stream> opening = opened("events/stream", new JsonObject());
    long id = received("events/stream", 1);
    peer.notify(HEARTBEAT, about(id, new JsonObject()));
    try (McpHttp.Stream stream = opening.join()) {
      await().until(stream::hasEnded);
      assertThat(last(stream).getJsonObject("error").getJsonObject("data").getString("code"))
          .isEqualTo("CALL_TIMEOUT");
    }
    await().until(() -> peer.methods().contains("notifications/cancelled"));
  }

  @Test
  void a_bound_on_streams_ends_one_that_speaks() {
    add(RecordCopy.with(options(60_000, 60_000), "maxStreamDuration", Duration.ofMillis(500)));
    CompletableFuture<McpHttp.Stream> opening = opened("events/stream", new JsonObject());
    long id = received("events/stream", 1);
    peer.notify(HEARTBEAT, about(id, new JsonObject()));
    try (McpHttp.Stream stream = opening.join()) {
      await().until(stream::hasEnded);
      assertThat(last(stream).getJsonObject("error").getJsonObject("data").getString("code"))
          .isEqualTo("CALL_TIMEOUT");
    }
  }

  // ---- words of a filter that mcpbus does not know

  private static final JsonObject FILTER =
      new JsonObject()
          .put("toolsListChanged", true)
          .put("resourceSubscriptions", new JsonArray().add("file:///a"))
          .put("eventsListChanged", true)
          .put("com.example/rooms", new JsonArray().add("a"));

  private CompletableFuture<McpHttp.Stream> listening(JsonObject filter) {
    return opened("subscriptions/listen", new JsonObject().put("notifications", filter));
  }

  /** The listen that names the words, beside the connection's own. */
  private JsonObject passed() {
    await().until(() -> peer.received("subscriptions/listen").stream().anyMatch(this::passes));
    return peer.received("subscriptions/listen").stream()
        .filter(this::passes)
        .findFirst()
        .orElseThrow();
  }

  private boolean passes(JsonObject listen) {
    return listen
        .getJsonObject("params")
        .getJsonObject("notifications")
        .containsKey("eventsListChanged");
  }

  private void acknowledge(long id, JsonObject agreed) {
    peer.notify(
        ACKNOWLEDGED,
        about(id, new JsonObject().put("notifications", agreed).put("com.example/until", "noon")));
  }

  @Test
  void they_reach_the_server_which_acknowledges_them_and_tells() {
    add(ConnectionOptions.DEFAULT);
    CompletableFuture<McpHttp.Stream> opening = listening(FILTER);
    JsonObject request = passed();
    assertThat(request.getJsonObject("params").getJsonObject("notifications"))
        .isEqualTo(
            new JsonObject()
                .put("eventsListChanged", true)
                .put("com.example/rooms", new JsonArray().add("a")));
    long id = request.getLong("id");
    acknowledge(id, new JsonObject().put("eventsListChanged", true));
    try (McpHttp.Stream stream = opening.join()) {
      await().until(() -> !stream.messages().isEmpty());
      assertThat(stream.methods()).containsExactly(ACKNOWLEDGED);
      JsonObject first = stream.messages().get(0).getJsonObject("params");
      assertThat(first.getJsonObject("notifications"))
          .as("the server leaves out a word that it does not support")
          .isEqualTo(
              new JsonObject()
                  .put("toolsListChanged", true)
                  .put("resourceSubscriptions", new JsonArray().add("file:///a"))
                  .put("eventsListChanged", true));
      assertThat(first.getString("com.example/until")).isEqualTo("noon");
      assertThat(first.getJsonObject("_meta").getInteger(SUBSCRIPTION)).isEqualTo(1);

      peer.notify("notifications/events/list_changed", about(id, new JsonObject().put("n", 1)));
      await().until(() -> stream.messages().size() == 2);
      assertThat(last(stream).getString("method")).isEqualTo("notifications/events/list_changed");
      assertThat(last(stream).getJsonObject("params").getJsonObject("_meta"))
          .isEqualTo(new JsonObject().put(SUBSCRIPTION, 1));
    }
    await("it ends with its client")
        .until(
            () ->
                peer.received("notifications/cancelled").stream()
                    .anyMatch(one -> one.getJsonObject("params").getLong("requestId") == id));
  }

  @Test
  void what_the_server_tells_one_client_no_other_gets() {
    add(ConnectionOptions.DEFAULT);
    CompletableFuture<McpHttp.Stream> one = listening(FILTER);
    long first = passed().getLong("id");
    acknowledge(first, new JsonObject().put("eventsListChanged", true));
    try (McpHttp.Stream mine = one.join()) {
      await().until(() -> !mine.messages().isEmpty());
      CompletableFuture<McpHttp.Stream> two = listening(FILTER);
      await()
          .until(
              () ->
                  peer.received("subscriptions/listen").stream().filter(this::passes).count() == 2);
      long second =
          peer.received("subscriptions/listen").stream()
              .filter(this::passes)
              .mapToLong(listen -> listen.getLong("id"))
              .max()
              .orElseThrow();
      acknowledge(second, new JsonObject().put("eventsListChanged", true));
      try (McpHttp.Stream other = two.join()) {
        await().until(() -> !other.messages().isEmpty());
        peer.notify("notifications/x", about(first, new JsonObject()));
        peer.notify("notifications/y", about(second, new JsonObject()));
        await().until(() -> mine.messages().size() == 2 && other.messages().size() == 2);
        assertThat(mine.methods()).containsExactly(ACKNOWLEDGED, "notifications/x");
        assertThat(other.methods()).containsExactly(ACKNOWLEDGED, "notifications/y");
      }
    }
  }

  @Test
  void a_server_that_refuses_them_is_heard_and_one_without_streams_leaves_them_out() {
    add(ConnectionOptions.DEFAULT);
    McpHttp client = new McpHttp(bus.port(), "/mcp/s");
    JsonObject request =
        client.described("subscriptions/listen", new JsonObject().put("notifications", FILTER));
    CompletableFuture<McpHttp.Answer> refused =
        CompletableFuture.supplyAsync(() -> client.post(request, McpHttp.headers(request)));
    peer.say(
        "{\"jsonrpc\":\"2.0\",\"id\":"
            + passed().getLong("id")
            + ",\"error\":{\"code\":-32602,\"message\":\"Not"
            + " permitted\",\"data\":{\"denied\":1}}}");
    JsonObject error = refused.join().error();
    assertThat(error.getInteger("code")).isEqualTo(-32602);
    assertThat(error.getJsonObject("data")).isEqualTo(new JsonObject().put("denied", 1));

    CompletableFuture<McpHttp.Stream> without = listening(FILTER);
    await()
        .until(
            () -> peer.received("subscriptions/listen").stream().filter(this::passes).count() == 2);
    long id =
        peer.received("subscriptions/listen").stream()
            .filter(this::passes)
            .mapToLong(listen -> listen.getLong("id"))
            .max()
            .orElseThrow();
    peer.say("{\"jsonrpc\":\"2.0\",\"id\":" + id + "," + ScriptedPeer.error(-32601, "no") + "}");
    try (McpHttp.Stream stream = without.join()) {
      await().until(() -> !stream.messages().isEmpty());
      assertThat(stream.messages().get(0).getJsonObject("params").getJsonObject("notifications"))
          .isEqualTo(
              new JsonObject()
                  .put("toolsListChanged", true)
                  .put("resourceSubscriptions", new JsonArray().add("file:///a")));
    }
  }

  @Test
  void a_stream_that_the_server_ends_ends_at_the_client_with_the_servers_answer() {
    for (String answer :
        List.of(
            "\"result\":{\"resultType\":\"complete\",\"bye\":1}",
            "\"error\":{\"code\":-32028,\"message\":\"Authorization ended\",\"data\":{\"reason\":"
                + "\"revoked\"}}")) {
      add(ConnectionOptions.DEFAULT);
      CompletableFuture<McpHttp.Stream> opening = listening(FILTER);
      long id = passed().getLong("id");
      acknowledge(id, new JsonObject().put("eventsListChanged", true));
      try (McpHttp.Stream stream = opening.join()) {
        await().until(() -> !stream.messages().isEmpty());
        peer.say("{\"jsonrpc\":\"2.0\",\"id\":" + id + "," + answer + "}");
        await().until(stream::hasEnded);
        assertThat(last(stream).getInteger("id")).isEqualTo(1);
        assertThat(last(stream).encode()).containsAnyOf("\"bye\":1", "\"revoked\"");
      }
      bus.request("mcp.servers.remove", new JsonObject().put("id", "s"));
    }
  }

  @Test
  void words_that_a_policy_does_not_allow_reach_no_server() {
    bus.close();
    ApiKeys.Fresh some = ApiKeys.generate(new SecureRandom());
    bus =
        TestBus.startWithAuth(
            new JsonObject(),
            BridgeOptions.DEFAULT.withPort(0),
            GatewayOptions.DEFAULT,
            RecordCopy.with(
                TestOptions.ofKeys(
                    List.of(
                        new AuthOptions.ApiKey("some", some.hash(), Set.of(), false, null, null))),
                "policies",
                List.of(
                    new Policy(
                        List.of("some"),
                        List.of("s"),
                        List.of("t"),
                        Set.of(Action.LIST, Action.CALL),
                        Effect.ALLOW))));
    add(ConnectionOptions.DEFAULT);
    McpHttp client = new McpHttp(bus.port(), "/mcp/s");
    JsonObject request =
        client.described("subscriptions/listen", new JsonObject().put("notifications", FILTER));
    List<String> headers = new ArrayList<>(List.of(McpHttp.headers(request)));
    headers.addAll(List.of("Authorization", "Bearer " + some.key()));
    try (McpHttp.Stream stream = client.streamed(request, headers.toArray(String[]::new))) {
      await().until(() -> !stream.messages().isEmpty());
      assertThat(stream.messages().get(0).getJsonObject("params").getJsonObject("notifications"))
          .isEqualTo(new JsonObject().put("toolsListChanged", true));
      assertThat(peer.received("subscriptions/listen")).noneMatch(this::passes);
    }
  }
}
