package dev.mcpbus.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.mcpbus.TestOptions;
import dev.mcpbus.bridge.options.BridgeOptions;
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
import io.vertx.core.json.JsonObject;
import java.security.SecureRandom;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests and notifications of an extension, which neither MCP nor mcpbus defines. */
class UnknownMethodsTest {

  private static final String ACT = "com.example/act";
  private static final String REFUSE = "com.example/refuse";
  private static final String TOLD = "notifications/com.example/told";
  private static final String ANSWER =
      "\"resultType\":\"complete\",\"x\":1.50,\"y\":[ 1 ],\"_meta\":{\"com.example/m\":1}}";

  private static final ApiKeys.Fresh ALL = ApiKeys.generate(new SecureRandom());
  private static final ApiKeys.Fresh SOME = ApiKeys.generate(new SecureRandom());

  @SuppressWarnings("NullAway.Init") // by start
  private TestBus bus;

  @SuppressWarnings("NullAway.Init") // by start
  private ScriptedPeer older;

  @SuppressWarnings("NullAway.Init") // by start
  private ScriptedPeer modern;

  /** With two servers, {@code old} and {@code new}, which have a tool {@code t} each. */
  private void start(GatewayOptions gateway) {
    bus =
        TestBus.startWithAuth(
            new JsonObject(),
            BridgeOptions.DEFAULT.withPort(0),
            gateway,
            RecordCopy.with(
                TestOptions.ofKeys(List.of(key("all", ALL), key("some", SOME))),
                "policies",
                List.of(
                    new Policy(List.of("all"), List.of(), List.of(), Set.of(), Effect.ALLOW),
                    new Policy(
                        List.of("some"),
                        List.of(),
                        List.of("t"),
                        Set.of(Action.LIST, Action.CALL),
                        Effect.ALLOW))));
    older = Peers.initialize(bus, "old", UnknownMethodsTest::answer);
    modern = Peers.discover(bus, "new", UnknownMethodsTest::answer);
  }

  @AfterEach
  void close() {
    bus.close();
  }

  private static AuthOptions.ApiKey key(String name, ApiKeys.Fresh key) {
    return new AuthOptions.ApiKey(name, key.hash(), Set.of(), false, null, null);
  }

  private static @Nullable String answer(String method, JsonObject params, int connection) {
    return switch (method) {
      case "tools/list" -> Peers.tools("t", "slow");
      case "tools/call" -> params.getString("name").equals("slow") ? null : Peers.text("called");
      case ACT -> "\"result\":{" + ANSWER;
      case REFUSE -> "\"error\":{\"code\":-32050,\"message\":\"no\",\"data\":{\"d\":1.0}}";
      default -> null;
    };
  }

  private static String[] as(ApiKeys.Fresh key, String... more) {
    String[] all = new String[more.length + 2];
    System.arraycopy(more, 0, all, 2, more.length);
    all[0] = "Authorization";
    all[1] = "Bearer " + key.key();
    return all;
  }

  private McpHttp.Session session(String path, ApiKeys.Fresh key) {
    return new McpHttp(bus.port(), path).initialize("2025-11-25", new JsonObject(), as(key));
  }

  private McpHttp.Answer discover(
      String path, ApiKeys.Fresh key, String method, JsonObject params) {
    McpHttp client = new McpHttp(bus.port(), path);
    JsonObject request = client.described(method, params);
    return client.post(request, as(key, McpHttp.headers(request)));
  }

  private static JsonObject params(String name) {
    return new JsonObject().put("name", name).put("k", new JsonObject().put("n", 1.5));
  }

  private static int code(McpHttp.Answer answer) {
    return answer.error().getInteger("code");
  }

  @Test
  void at_the_endpoint_of_a_server_they_pass_and_so_do_results_and_errors() {
    start(GatewayOptions.DEFAULT);
    for (String path : List.of("/mcp/old", "/mcp/new")) {
      McpHttp.Session session = session(path, ALL);
      assertThat(session.call(ACT, params("anything")).body())
          .contains("\"x\":1.50,\"y\":[ 1 ],\"_meta\":{\"com.example/m\":1}");
      assertThat(session.call(REFUSE, new JsonObject()).body())
          .contains("\"error\":{\"code\":-32050,\"message\":\"no\",\"data\":{\"d\":1.0}}");
      assertThat(discover(path, ALL, ACT, params("anything")).body()).contains(ANSWER);
      assertThat(discover(path, ALL, REFUSE, params("anything")).error())
          .isEqualTo(new JsonObject("{\"code\":-32050,\"message\":\"no\",\"data\":{\"d\":1.0}}"));
    }
    JsonObject got = older.received(ACT).get(0).getJsonObject("params");
    assertThat(got).isEqualTo(params("anything"));
    JsonObject stated = modern.received(ACT).get(0).getJsonObject("params");
    assertThat(stated.getJsonObject("_meta").getValue("io.modelcontextprotocol/clientInfo"))
        .isEqualTo(new JsonObject().put("name", "test").put("version", "1"));
    stated.remove("_meta");
    assertThat(stated).isEqualTo(params("anything"));
  }

  @Test
  void notifications_pass_over_the_connection_that_answers_the_client() {
    start(GatewayOptions.DEFAULT);
    JsonObject params = new JsonObject().put("a", new JsonObject().put("b", 2));
    for (String path : List.of("/mcp/old", "/mcp/new")) {
      assertThat(session(path, ALL).notify(TOLD, params)).isEqualTo(202);
      JsonObject notification =
          new JsonObject().put("jsonrpc", "2.0").put("method", TOLD).put("params", params);
      McpHttp client = new McpHttp(bus.port(), path);
      assertThat(client.post(notification, as(ALL, "MCP-Protocol-Version", "2026-07-28")).status())
          .isEqualTo(202);
      assertThat(
              client
                  .post(
                      notification,
                      as(ALL, "MCP-Protocol-Version", "2026-07-28", "Mcp-Method", "other"))
                  .status())
          .isEqualTo(400);
    }
    for (ScriptedPeer peer : List.of(older, modern)) {
      await().until(() -> peer.received(TOLD).size() == 2);
      assertThat(peer.received(TOLD))
          .allMatch(one -> one.getJsonObject("params").equals(params) && !one.containsKey("id"));
    }
    McpHttp.Session last = session("/mcp/old", ALL);
    assertThat(last.call("tools/call", params("t")).result()).isNotNull();
    last.notify("notifications/roots/list_changed", params);
    await().until(() -> !older.received("notifications/roots/list_changed").isEmpty());
    assertThat(older.received("notifications/roots/list_changed").get(0).getJsonObject("params"))
        .isEqualTo(params);
    assertThat(last.notify("notifications/cancelled", params)).isEqualTo(202);
    assertThat(older.received("notifications/cancelled")).isEmpty();
  }

  @Test
  void a_policy_that_allows_a_tool_allows_no_other_method() {
    start(RecordCopy.with(GatewayOptions.DEFAULT, "passUnknown", true));
    for (String path : List.of("/mcp/old", "/mcp/new", "/mcp")) {
      String tool = path.equals("/mcp") ? "old__t" : "t";
      McpHttp.Session session = session(path, SOME);
      assertThat(session.call("tools/call", Peers.call(tool)).result()).isNotNull();
      assertThat(code(session.call(ACT, params(tool)))).isEqualTo(-32601);
      assertThat(code(discover(path, SOME, ACT, params(tool)))).isEqualTo(-32601);
      assertThat(session.notify(TOLD, params(tool))).isEqualTo(202);
      assertThat(session(path, ALL).call(ACT, params(tool)).result()).isNotNull();
    }
    assertThat(older.received(ACT)).hasSize(2);
    assertThat(modern.received(ACT)).hasSize(1);
    assertThat(older.received(TOLD)).isEmpty();
    assertThat(modern.received(TOLD)).isEmpty();
  }

  @Test
  void at_mcp_they_pass_where_that_is_configured_and_name_a_thing_of_a_server() {
    start(RecordCopy.with(GatewayOptions.DEFAULT, "passUnknown", true));
    McpHttp.Session session = session("/mcp", ALL);

    assertThat(session.call(ACT, params("new__t")).result()).isNotNull();
    assertThat(discover("/mcp", ALL, ACT, params("old__t")).body()).contains(ANSWER);
    assertThat(modern.received(ACT).get(0).getJsonObject("params").getString("name"))
        .isEqualTo("t");
    assertThat(older.received(ACT).get(0).getJsonObject("params").getString("name")).isEqualTo("t");
    assertThat(code(session.call(ACT, new JsonObject()))).isEqualTo(-32601);
    assertThat(code(session.call(ACT, params("no_such")))).isEqualTo(-32602);
    assertThat(older.received(ACT)).hasSize(1);
    assertThat(modern.received(ACT)).hasSize(1);
  }

  @Test
  void without_configuration_nothing_passes_at_mcp_and_it_can_be_switched_off_everywhere() {
    start(GatewayOptions.DEFAULT);
    assertThat(code(session("/mcp", ALL).call(ACT, params("old__t")))).isEqualTo(-32601);
    bus.close();

    start(RecordCopy.with(GatewayOptions.DEFAULT, "passUnknown", false));
    assertThat(code(session("/mcp/old", ALL).call(ACT, params("t")))).isEqualTo(-32601);
    assertThat(code(discover("/mcp/new", ALL, ACT, params("t")))).isEqualTo(-32601);
    assertThat(older.received(ACT)).isEmpty();
    assertThat(modern.received(ACT)).isEmpty();
  }

  @Test
  void
      what_a_server_asks_or_tells_reaches_the_client_of_that_connection_and_its_answer_the_server() {
    start(GatewayOptions.DEFAULT);
    McpHttp.Session session = session("/mcp/old", ALL);
    try (McpHttp.Stream stream = session.listen()) {
      assertThat(session.call(ACT, params("t")).result()).isNotNull();
      older.say(
          2,
          "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"com.example/ask\",\"params\":{\"q\":1.50}}");
      await().until(() -> stream.methods().contains("com.example/ask"));
      JsonObject question =
          stream.messages().stream()
              .filter(one -> "com.example/ask".equals(one.getString("method")))
              .findFirst()
              .orElseThrow();
      assertThat(question.getJsonObject("params").encode()).isEqualTo("{\"q\":1.5}");
      session.answer(question.getValue("id"), new JsonObject().put("a", 2));
      await().until(() -> !older.answers(7).isEmpty());
      assertThat(older.answers(7).get(0).getJsonObject("result"))
          .isEqualTo(new JsonObject().put("a", 2));

      older.say(
          2,
          "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/com.example/news\",\"params\":{\"n\":1}}");
      await().until(() -> stream.methods().contains("notifications/com.example/news"));
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void what_a_server_tells_is_no_other_method_of_mcp_and_nothing_unknown_where_that_is_off(
      boolean on) {
    start(RecordCopy.with(GatewayOptions.DEFAULT, "passUnknown", on));
    List<String> told =
        List.of(
            "notifications/initialized",
            "initialize",
            "tools/call",
            "Notifications/Resources/Updated",
            "notifications/roots/list_changed",
            "notifications/com.example/news",
            "notifications/elicitation/complete",
            "notifications/message");
    for (String path : List.of("/mcp/old", "/mcp")) {
      McpHttp.Session session = session(path, ALL);
      String tool = path.equals("/mcp") ? "old__t" : "t";
      assertThat(session.call("tools/call", Peers.call(tool)).result()).isNotNull();
      try (McpHttp.Stream stream = session.listen()) {
        for (String method : told) {
          older.say(
              "{\"jsonrpc\":\"2.0\",\"method\":\""
                  + method
                  + "\",\"params\":{\"level\":\"error\"}}");
        }
        await().until(() -> stream.methods().contains("notifications/message"));
        assertThat(stream.methods())
            .as(path)
            .containsExactlyElementsOf(
                told.subList(on || path.equals("/mcp") ? 5 : 6, told.size()));
      }
    }
  }

  /** Of two calls in flight nothing says which one it is about. */
  @Test
  void what_a_server_of_2026_tells_reaches_the_client_whose_call_is_the_only_one() {
    start(GatewayOptions.DEFAULT);
    String news = "notifications/com.example/news";
    JsonObject told = new JsonObject().put("n", 1);
    McpHttp client = new McpHttp(bus.port(), "/mcp/new");
    JsonObject slow = client.described("tools/call", Peers.call("slow"));
    // A response begins with its first message.
    CompletableFuture<McpHttp.Stream> first =
        CompletableFuture.supplyAsync(() -> client.streamed(slow, as(ALL, McpHttp.headers(slow))));
    await().until(() -> modern.received("tools/call").size() == 1);
    modern.notify(news, told);
    try (McpHttp.Stream discover = first.join()) {
      await().until(() -> discover.methods().contains(news));
      assertThat(discover.messages().get(0).getJsonObject("params")).isEqualTo(told);
      modern.notify(
          news,
          new JsonObject()
              .put("_meta", new JsonObject().put("io.modelcontextprotocol/subscriptionId", 1)));

      McpHttp.Session session = session("/mcp/new", ALL);
      JsonObject second = client.request("tools/call", Peers.call("slow"));
      CompletableFuture<McpHttp.Stream> begun =
          CompletableFuture.supplyAsync(() -> session.streamed(second));
      await().until(() -> modern.received("tools/call").size() == 2);
      modern.notify(news, told.copy().put("n", 2));
      answerSlow(0);
      await().until(discover::hasEnded);
      assertThat(discover.methods()).containsOnlyOnce(news);
      modern.notify(news, told.copy().put("n", 3));
      answerSlow(1);
      try (McpHttp.Stream stream = begun.join()) {
        await().until(stream::hasEnded);
        assertThat(stream.messages().toString()).contains("\"n\":3").doesNotContain("\"n\":2");
      }
    }
  }

  private void answerSlow(int call) {
    Object id = modern.received("tools/call").get(call).getValue("id");
    modern.say(1, "{\"jsonrpc\":\"2.0\",\"id\":" + id + "," + Peers.text("done") + "}");
  }

  @Test
  void what_a_server_asks_reaches_no_client_of_several_servers() {
    start(RecordCopy.with(GatewayOptions.DEFAULT, "passUnknown", true));
    McpHttp.Session session = session("/mcp", ALL);
    assertThat(session.call(ACT, params("old__t")).result()).isNotNull();
    older.say(2, "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"com.example/ask\",\"params\":{}}");
    await().until(() -> !older.answers(7).isEmpty());
    assertThat(older.answers(7).get(0).getJsonObject("error").getInteger("code")).isEqualTo(-32601);
  }

  @Test
  void methods_of_mcp_never_pass_this_way() {
    start(RecordCopy.with(GatewayOptions.DEFAULT, "passUnknown", true));
    McpHttp.Session session = session("/mcp/old", ALL);
    for (String method :
        List.of("sampling/createMessage", "notifications/initialized", "subscriptions/listen")) {
      assertThat(code(session.call(method, params("t")))).isEqualTo(-32601);
    }
    assertThat(older.received("sampling/createMessage")).isEmpty();
    assertThat(older.received("subscriptions/listen")).isEmpty();
  }
}
