package dev.mcpbus.connection;

import static dev.mcpbus.testing.TestBus.address;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.TestOptions;
import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.Events;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.Headers;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.client.McpClient;
import dev.mcpbus.connection.options.ConnectionOptions;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.testing.ScriptedPeer;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.Future;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A session of the discover era, from its opening to its end. */
class DiscoverSessionTest {

  private static final String TOOLS =
      "\"result\":{\"tools\":[{\"name\":\"ask\",\"inputSchema\":{\"type\":\"object\"}}],"
          + "\"ttlMs\":%d,\"cacheScope\":\"private\"}";
  private static final String DONE = "\"result\":{\"resultType\":\"complete\",\"content\":[]}";
  private static final String QUESTION =
      "\"inputRequests\":{\"who\":{\"method\":\"elicitation/create\",\"params\":{\"message\":\"Who?\","
          + "\"requestedSchema\":{\"type\":\"object\",\"properties\":{\"name\":{\"type\":\"string\"},"
          + "\"age\":{\"type\":\"integer\",\"default\":30}},\"required\":[\"name\"]}}}}";

  @SuppressWarnings("NullAway.Init") // set before each test
  private TestBus bus;

  @BeforeEach
  void start() {
    bus = TestBus.start(new JsonObject());
  }

  @AfterEach
  void stop() {
    bus.close();
  }

  private ScriptedPeer peer(ScriptedPeer.Script script) {
    ScriptedPeer peer =
        ScriptedPeer.discover(
            bus.vertx(),
            (method, params, n) -> {
              String answer = script.answer(method, params, n);
              return answer == null && method.equals(Methods.TOOLS_LIST)
                  ? String.format(TOOLS, 0)
                  : answer;
            });
    TestBus.await(
        TestOptions.add(
            bus.bus(), new ConnectionId("peer"), peer.transport(), ConnectionOptions.DEFAULT));
    bus.awaitState("peer", "READY");
    Awaitility.await().until(() -> bus.status("peer").getBoolean("toolsListed", false));
    return peer;
  }

  private JsonObject call() {
    return bus.callTool("peer", "ask", new JsonObject());
  }

  private McpFailure failedCall() {
    return bus.failure(
        address("peer", Addresses.TOOLS_CALL), TestBus.toolCall("ask", new JsonObject()));
  }

  private void answerWith(JsonObject answer) {
    McpClient client = McpClient.create(bus.vertx());
    TestBus.await(
        client.setInputHandler(
            Methods.ELICITATION, (server, question) -> Future.succeededFuture(answer)));
  }

  // Round trips.

  @Test
  void a_question_is_answered_and_the_state_goes_back_byte_for_byte() {
    String state = "\"a\\u00e4\\/ {\\\"n\\\": 1.0}\"";
    ScriptedPeer peer =
        peer(
            (method, params, n) ->
                !method.equals(Methods.TOOLS_CALL)
                    ? null
                    : params.containsKey("inputResponses")
                        ? DONE
                        : "\"result\":{\"resultType\":\"input_required\","
                            + QUESTION
                            + ",\"requestState\":"
                            + state
                            + "}");
    answerWith(
        new JsonObject().put("action", "accept").put("content", new JsonObject().put("name", "B")));
    assertThat(call().containsKey("content")).isTrue();

    List<JsonObject> calls = peer.received(Methods.TOOLS_CALL);
    assertThat(calls).hasSize(2);
    assertThat(calls.get(1).getLong("id")).isNotEqualTo(calls.get(0).getLong("id"));
    JsonObject second = calls.get(1).getJsonObject("params");
    assertThat(second.getString("requestState")).isEqualTo("a\u00e4/ {\"n\": 1.0}");
    assertThat(second.getString("name")).isEqualTo("ask");
    assertThat(second.getJsonObject("inputResponses").getJsonObject("who").getJsonObject("content"))
        .isEqualTo(new JsonObject().put("name", "B").put("age", 30));
  }

  @Test
  void a_state_alone_is_sent_back_at_once_and_not_kept_for_later_rounds() {
    AtomicInteger round = new AtomicInteger();
    ScriptedPeer peer =
        peer(
            (method, params, n) -> {
              if (!method.equals(Methods.TOOLS_CALL)) {
                return null;
              }
              return switch (round.incrementAndGet()) {
                case 1 -> "\"result\":{\"resultType\":\"input_required\",\"requestState\":\"s1\"}";
                case 2 -> "\"result\":{\"resultType\":\"input_required\"," + QUESTION + "}";
                default -> DONE;
              };
            });
    answerWith(new JsonObject().put("action", "decline"));
    call();
    List<JsonObject> calls = peer.received(Methods.TOOLS_CALL);
    assertThat(calls.get(1).getJsonObject("params").getString("requestState")).isEqualTo("s1");
    assertThat(calls.get(1).getJsonObject("params").containsKey("inputResponses")).isFalse();
    assertThat(calls.get(2).getJsonObject("params").containsKey("requestState")).isFalse();
    assertThat(
            calls
                .get(2)
                .getJsonObject("params")
                .getJsonObject("inputResponses")
                .getJsonObject("who"))
        .isEqualTo(new JsonObject().put("action", "decline"));
  }

  @Test
  void case_75_a_server_that_never_has_enough_is_stopped() {
    ScriptedPeer peer =
        peer(
            (method, params, n) ->
                method.equals(Methods.TOOLS_CALL)
                    ? "\"result\":{\"resultType\":\"input_required\",\"requestState\":\"more\"}"
                    : null);
    McpFailure failure = failedCall();
    assertThat(failure.code()).isEqualTo(FailureCode.PROTOCOL_ERROR);
    assertThat(peer.received(Methods.TOOLS_CALL)).hasSize(17);
  }

  @Test
  void case_76_an_unknown_result_type_is_no_result_and_an_absent_one_is_complete() {
    AtomicInteger calls = new AtomicInteger();
    peer(
        (method, params, n) ->
            !method.equals(Methods.TOOLS_CALL)
                ? null
                : calls.incrementAndGet() == 1
                    ? "\"result\":{\"resultType\":\"perhaps\",\"content\":[]}"
                    : "\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"ok\"}]}");
    assertThat(failedCall().code()).isEqualTo(FailureCode.PROTOCOL_ERROR);
    assertThat(call().encode()).contains("ok");
  }

  @Test
  void input_is_refused_where_the_method_may_not_ask_for_it() {
    peer(
        (method, params, n) ->
            method.equals(Methods.PROMPTS_LIST)
                ? "\"result\":{\"resultType\":\"input_required\",\"requestState\":\"s\"}"
                : null);
    assertThat(bus.failure(address("peer", Addresses.PROMPTS_LIST), new JsonObject()).code())
        .isEqualTo(FailureCode.PROTOCOL_ERROR);
  }

  // What each request carries.

  @Test
  void each_request_carries_the_log_level_once_a_caller_has_set_it() {
    ScriptedPeer peer =
        peer((method, params, n) -> method.equals(Methods.TOOLS_CALL) ? DONE : null);
    call();
    bus.request(address("peer", Addresses.LOGLEVEL), new JsonObject().put("level", "warning"));
    call();
    String key = "io.modelcontextprotocol/logLevel";
    List<JsonObject> calls = peer.received(Methods.TOOLS_CALL);
    assertThat(calls.get(0).getJsonObject("params").getJsonObject("_meta").getValue(key)).isNull();
    assertThat(calls.get(1).getJsonObject("params").getJsonObject("_meta").getValue(key))
        .isEqualTo("warning");
    assertThat(peer.methods()).doesNotContain(Methods.SET_LEVEL);

    McpFailure refused =
        bus.failure(address("peer", Addresses.LOGLEVEL), new JsonObject().put("level", "loud"));
    assertThat(refused.code()).isEqualTo(FailureCode.BAD_REQUEST);
    assertThat(refused).hasMessageContaining("must be one of [debug, info,");
  }

  @Test
  void elicitation_is_offered_only_while_a_caller_offers_to_answer() {
    ScriptedPeer peer =
        peer((method, params, n) -> method.equals(Methods.TOOLS_CALL) ? DONE : null);
    McpClient client = McpClient.create(bus.vertx());
    call();
    TestBus.await(client.setInputHandler(Methods.ELICITATION, (id, q) -> Future.succeededFuture()));
    Awaitility.await().until(() -> offersElicitationAtTheNextCall(peer));
    TestBus.await(client.close());
    Awaitility.await().until(() -> !offersElicitationAtTheNextCall(peer));
    JsonObject first = peer.received(Methods.TOOLS_CALL).get(0).getJsonObject("params");
    assertThat(capabilities(first)).isEmpty();
  }

  private boolean offersElicitationAtTheNextCall(ScriptedPeer peer) {
    call();
    List<JsonObject> calls = peer.received(Methods.TOOLS_CALL);
    return capabilities(calls.get(calls.size() - 1).getJsonObject("params"))
        .containsKey("elicitation");
  }

  private static JsonObject capabilities(JsonObject params) {
    return params
        .getJsonObject("_meta")
        .getJsonObject("io.modelcontextprotocol/clientCapabilities");
  }

  @Test
  void ping_sends_server_discover() {
    ScriptedPeer peer = peer((method, params, n) -> null);
    JsonObject pong = bus.request(address("peer", Addresses.PING), new JsonObject());
    assertThat(pong).isEmpty();
    assertThat(peer.methods()).doesNotContain(Methods.PING);
  }

  @Test
  void cancelling_over_a_shared_channel_is_a_notification() {
    ScriptedPeer peer = peer((method, params, n) -> null);
    Future<JsonObject> call =
        bus.send(
            address("peer", Addresses.TOOLS_CALL),
            TestBus.toolCall("ask", new JsonObject()),
            new DeliveryOptions().addHeader(Headers.CALL_ID, "mine"));
    Awaitility.await().until(() -> peer.received(Methods.TOOLS_CALL).size() == 1);
    bus.request(address("peer", Addresses.CANCEL), new JsonObject().put("callId", "mine"));
    Awaitility.await().until(() -> peer.received(Methods.CANCELLED).size() == 1);
    assertThat(peer.received(Methods.CANCELLED).get(0).getJsonObject("params").getLong("requestId"))
        .isEqualTo(peer.received(Methods.TOOLS_CALL).get(0).getLong("id"));
    assertThat(call.failed()).isTrue();
  }

  // Subscriptions.

  private static JsonObject filter(JsonObject listen) {
    return listen.getJsonObject("params").getJsonObject("notifications");
  }

  @Test
  void one_stream_carries_all_that_is_wanted_and_is_opened_again_after_a_restart() {
    ScriptedPeer peer = peer((method, params, n) -> null);
    Awaitility.await().until(() -> peer.received(Methods.LISTEN).size() == 1);
    assertThat(filter(peer.received(Methods.LISTEN).get(0)))
        .isEqualTo(new JsonObject().put("toolsListChanged", true));

    bus.request(
        address("peer", Addresses.RESOURCES_SUBSCRIBE), new JsonObject().put("uri", "file:///a"));
    Awaitility.await().until(() -> peer.received(Methods.LISTEN).size() == 2);
    JsonObject wanted =
        new JsonObject()
            .put("toolsListChanged", true)
            .put("resourceSubscriptions", new JsonArray().add("file:///a"));
    assertThat(filter(peer.received(Methods.LISTEN).get(1))).isEqualTo(wanted);
    Awaitility.await().until(() -> peer.received(Methods.CANCELLED).size() == 1);
    assertThat(peer.methods()).doesNotContain(Methods.RESOURCES_SUBSCRIBE);

    peer.hangUp();
    Awaitility.await().until(() -> peer.received(Methods.LISTEN).size() == 3);
    assertThat(filter(peer.received(Methods.LISTEN).get(2))).isEqualTo(wanted);
  }

  @Test
  void an_open_stream_that_ends_with_an_error_is_opened_again() {
    ScriptedPeer peer = peer((method, params, n) -> null);
    Awaitility.await().until(() -> peer.received(Methods.LISTEN).size() == 1);
    long id = peer.received(Methods.LISTEN).get(0).getLong("id");
    peer.notify(
        Methods.ACKNOWLEDGED,
        new JsonObject()
            .put("notifications", new JsonObject().put("toolsListChanged", true))
            .put("_meta", new JsonObject().put("io.modelcontextprotocol/subscriptionId", id)));
    peer.say("{\"jsonrpc\":\"2.0\",\"id\":" + id + "," + ScriptedPeer.error(-32028, "ended") + "}");
    Awaitility.await().until(() -> peer.received(Methods.LISTEN).size() == 2);
  }

  @Test
  void a_stream_that_the_server_ends_is_opened_again() {
    ScriptedPeer peer = peer((method, params, n) -> null);
    Awaitility.await().until(() -> peer.received(Methods.LISTEN).size() == 1);
    long id = peer.received(Methods.LISTEN).get(0).getLong("id");
    peer.say("{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"result\":{\"resultType\":\"complete\"}}");
    Awaitility.await().until(() -> peer.received(Methods.LISTEN).size() == 2);
    long second = peer.received(Methods.LISTEN).get(1).getLong("id");
    peer.notify(Methods.CANCELLED, new JsonObject().put("requestId", second));
    Awaitility.await().until(() -> peer.received(Methods.LISTEN).size() == 3);
  }

  // Caching.

  private JsonObject list(String cache) {
    return bus.request(
        address("peer", Addresses.TOOLS_LIST),
        new JsonObject(),
        cache.isEmpty()
            ? new DeliveryOptions()
            : new DeliveryOptions().addHeader(Headers.CACHE, cache));
  }

  @Test
  void a_fresh_list_is_used_again_until_the_server_says_that_it_has_changed() {
    ScriptedPeer peer =
        peer(
            (method, params, n) ->
                method.equals(Methods.TOOLS_LIST) ? String.format(TOOLS, 600_000) : null);
    int asked = peer.received(Methods.TOOLS_LIST).size();
    list("");
    list("use");
    assertThat(peer.received(Methods.TOOLS_LIST)).hasSize(asked);
    list("refresh");
    list("bypass");
    assertThat(peer.received(Methods.TOOLS_LIST)).hasSize(asked + 2);
    int events = bus.events(Events.TOOLS_CHANGED).size();
    peer.notify(Methods.TOOLS_CHANGED, new JsonObject());
    Awaitility.await().until(() -> bus.events(Events.TOOLS_CHANGED).size() > events);
    assertThat(peer.received(Methods.TOOLS_LIST)).hasSize(asked + 3);
  }

  @Test
  void a_result_that_was_asked_for_before_a_change_is_not_used_again() {
    ScriptedPeer peer = peer((method, params, n) -> null);
    String read = Methods.RESOURCES_READ;
    JsonObject uri = new JsonObject().put("uri", "file:///a");
    Supplier<Future<Message<JsonObject>>> reading =
        () -> bus.vertx().eventBus().request(address("peer", Addresses.RESOURCES_READ), uri);
    Future<Message<JsonObject>> first = reading.get();
    Awaitility.await().until(() -> peer.received(read).size() == 1);
    peer.notify(Methods.RESOURCES_CHANGED, new JsonObject());
    peer.say(answered(peer.received(read).get(0), "old"));
    TestBus.await(first);
    Future<Message<JsonObject>> second = reading.get();
    Awaitility.await().until(() -> peer.received(read).size() == 2);
    peer.say(answered(peer.received(read).get(1), "new"));
    assertThat(TestBus.await(second).body().encode()).contains("new");
    assertThat(TestBus.await(reading.get()).body().encode()).contains("new");
    assertThat(peer.received(read)).hasSize(2);
  }

  private static String answered(JsonObject request, String text) {
    return "{\"jsonrpc\":\"2.0\",\"id\":"
        + request.getValue("id")
        + ",\"result\":{\"resultType\":\"complete\",\"ttlMs\":600000,\"contents\":[{\"uri\":"
        + "\"file:///a\",\"text\":\""
        + text
        + "\"}]}}";
  }

  @Test
  void a_list_without_a_time_to_live_is_requested_each_time() {
    // The directory fetches this list, too, whenever it wants: each list says which request it
    // answers.
    AtomicInteger requests = new AtomicInteger();
    peer(
        (method, params, n) ->
            method.equals(Methods.TOOLS_LIST)
                ? String.format(TOOLS, 0)
                    .replace("\"ask\"", "\"" + requests.incrementAndGet() + "\"")
                : null);
    for (String cache : List.of("", "use")) {
      int before = requests.get();
      JsonObject tool = list(cache).getJsonArray("tools").getJsonObject(0);
      assertThat(Integer.parseInt(tool.getString("name"))).isGreaterThan(before);
    }
  }

  private JsonObject read(String uri) {
    return bus.request(address("peer", Addresses.RESOURCES_READ), new JsonObject().put("uri", uri));
  }

  @Test
  void a_resource_is_kept_by_its_uri_and_dropped_when_it_was_updated() {
    ScriptedPeer peer =
        peer(
            (method, params, n) ->
                method.equals(Methods.RESOURCES_READ)
                    ? "\"result\":{\"contents\":[],\"ttlMs\":600000,\"cacheScope\":\"public\"}"
                    : null);
    read("file:///a");
    read("file:///a");
    read("file:///b");
    assertThat(peer.received(Methods.RESOURCES_READ)).hasSize(2);
    peer.notify(Methods.RESOURCE_UPDATED, new JsonObject().put("uri", "file:///a"));
    Awaitility.await().until(() -> !bus.events(Events.RESOURCE_UPDATED).isEmpty());
    read("file:///a");
    read("file:///b");
    assertThat(peer.received(Methods.RESOURCES_READ)).hasSize(3);
  }

  @Test
  void a_result_that_depends_on_inputs_is_never_kept() {
    ScriptedPeer peer =
        peer(
            (method, params, n) ->
                !method.equals(Methods.RESOURCES_READ)
                    ? null
                    : params.containsKey("requestState")
                        ? "\"result\":{\"contents\":[],\"ttlMs\":600000}"
                        : "\"result\":{\"resultType\":\"input_required\",\"requestState\":\"s\"}");
    read("file:///a");
    read("file:///a");
    assertThat(peer.received(Methods.RESOURCES_READ)).hasSize(4);
  }

  @Test
  void an_unknown_word_in_the_cache_header_is_refused() {
    peer((method, params, n) -> null);
    McpFailure failure =
        bus.failure(
            address("peer", Addresses.TOOLS_LIST),
            new JsonObject(),
            new DeliveryOptions().addHeader(Headers.CACHE, "sometimes"));
    assertThat(failure.code()).isEqualTo(FailureCode.BAD_REQUEST);
  }
}
