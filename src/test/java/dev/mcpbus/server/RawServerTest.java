package dev.mcpbus.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.mcpbus.protocol.Methods;
import dev.mcpbus.transport.RawClient;
import dev.mcpbus.transport.memory.LinkedPair;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.LoggerFactory;

/** The server over a linked pair, with a client that speaks bare JSON-RPC. */
class RawServerTest {

  private final Vertx vertx = Vertx.vertx();
  private final Context context = vertx.getOrCreateContext();
  private final Sample sample = new Sample();
  private final RawServer server = sample.server;

  @AfterEach
  void close() throws Exception {
    RawClient.get(vertx.close());
  }

  private RawClient open() throws Exception {
    return RawClient.open(vertx, server.inMemory(context));
  }

  private RawClient legacy() throws Exception {
    RawClient client = open();
    client.handshake();
    return client;
  }

  private static String modern(String members, String meta) {
    return "{"
        + members
        + (members.isEmpty() ? "" : ",")
        + "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
        + "\"io.modelcontextprotocol/clientInfo\":{\"name\":\"new\",\"version\":\"2\"},"
        + "\"io.modelcontextprotocol/clientCapabilities\":{}"
        + meta
        + "}}";
  }

  private static String call(String tool, String arguments) {
    return "{\"name\":\"" + tool + "\",\"arguments\":" + arguments + "}";
  }

  private static JsonObject error(RawClient client, String method, String params) throws Exception {
    JsonObject answer = RawClient.get(client.request(method, params));
    assertThat(answer.containsKey("result")).as(answer.encode()).isFalse();
    return answer.getJsonObject("error");
  }

  private static List<String> names(JsonObject list) {
    List<String> names = new ArrayList<>();
    list.getJsonArray("tools").forEach(tool -> names.add(((JsonObject) tool).getString("name")));
    return names;
  }

  // Life.

  @Test
  void it_is_constructed_then_connected_then_running_then_closed() throws Exception {
    assertThat(server.state()).isEqualTo(ServerState.CONSTRUCTED);
    RawClient client = open();
    await().until(() -> server.state() == ServerState.CONNECTED);
    client.handshake();
    await().until(() -> server.state() == ServerState.RUNNING);
    RawClient.get(server.close());
    assertThat(server.state()).isEqualTo(ServerState.CLOSED);
    await().until(() -> client.closings().size() == 1);
    assertThat(server.sessions()).isEmpty();
  }

  @Test
  void it_is_set_up_before_the_first_client_and_not_after() throws Exception {
    legacy();
    assertThatThrownBy(() -> server.handle("late/one", (request, params) -> never()))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("only tools come and go later");
    assertThatThrownBy(() -> server.wrap(Wrapper.NONE)).isInstanceOf(IllegalStateException.class);
  }

  private static Future<JsonObject> never() {
    return Future.failedFuture("never called");
  }

  @Test
  void nobody_can_connect_to_a_closed_server() throws Exception {
    RawClient.get(server.close());
    RawClient client = open();
    await().until(() -> client.closings().size() == 1);
    assertThatThrownBy(() -> server.tool("a", "", Sample.NO_ARGUMENTS, (r, a) -> never()))
        .hasMessageContaining("closed");
  }

  @Test
  void what_is_under_way_when_it_closes_is_answered_as_failed() throws Exception {
    RawClient client = legacy();
    Future<JsonObject> call = client.request(Methods.TOOLS_CALL, call("wait", "{}"));
    sample.waiting();
    RawClient.get(server.close());
    assertThat(RawClient.get(call).getJsonObject("result").encode())
        .contains("\"isError\":true", "the server is closing");
    assertThat(sample.waiting().isCancelled()).isTrue();
  }

  @Test
  void a_method_that_belongs_to_the_server_and_one_that_has_a_handler_are_refused() {
    assertThatThrownBy(() -> server.handle("initialize", (request, params) -> never()))
        .hasMessageContaining("answered by the server itself");
    assertThatThrownBy(() -> server.handle("sample/double", (request, params) -> never()))
        .hasMessageContaining("has a handler already");
  }

  @Test
  void a_tool_that_cannot_work_is_refused_with_the_reason() {
    assertThatThrownBy(() -> server.tool("echo", "", Sample.NO_ARGUMENTS, (r, a) -> never()))
        .hasMessageContaining("remove it first");
    assertThatThrownBy(() -> server.tool("a b", "", Sample.NO_ARGUMENTS, (r, a) -> never()))
        .hasMessageContaining("letters, digits");
    assertThatThrownBy(() -> server.tool("a", "", new JsonObject(), (r, a) -> never()))
        .hasMessageContaining("\"type\": \"object\"");
    JsonObject elsewhere =
        Sample.NO_ARGUMENTS
            .copy()
            .put(
                "properties",
                new JsonObject().put("x", new JsonObject().put("$ref", "https://e.invalid/s")));
    assertThatThrownBy(() -> server.tool("a", "", elsewhere, (r, a) -> never()))
        .hasMessageContaining("no usable JSON schema");
  }

  // Handshakes.

  @ParameterizedTest
  @CsvSource({
    "2024-11-05, 2024-11-05",
    "2025-03-26, 2025-03-26",
    "2025-06-18, 2025-06-18",
    "2025-11-25, 2025-11-25",
    "2026-07-28, 2025-11-25",
    "1999-01-01, 2025-11-25"
  })
  void initialize_settles_on_a_version(String offered, String agreed) throws Exception {
    JsonObject result =
        open()
            .result(
                "initialize",
                "{\"protocolVersion\":\"" + offered + "\",\"capabilities\":{},\"clientInfo\":{}}");
    assertThat(result.getString("protocolVersion")).isEqualTo(agreed);
    assertThat(result.getJsonObject("serverInfo").getString("name")).isEqualTo("sample");
    assertThat(result.getString("instructions")).isEqualTo("Try echo.");
    assertThat(result.getJsonObject("capabilities").fieldNames())
        .containsExactlyInAnyOrder("tools", "logging", "resources");
  }

  @Test
  void nothing_but_ping_is_answered_before_the_handshake_and_it_happens_once() throws Exception {
    RawClient client = open();
    assertThat(client.result("ping", "{}")).isEmpty();
    assertThat(error(client, "tools/list", "{}").getString("message"))
        .contains("call initialize first", "io.modelcontextprotocol/protocolVersion");
    client.handshake();
    assertThat(error(client, "initialize", "{}").getInteger("code")).isEqualTo(-32600);
  }

  @Test
  void requests_before_initialized_wait_for_it() throws Exception {
    RawClient client = open();
    client.result("initialize", "{\"protocolVersion\":\"2025-11-25\"}");
    Future<JsonObject> early = client.request("tools/list", "{}");
    assertThat(client.result("ping", "{}")).isEmpty();
    assertThat(early.isComplete()).isFalse();
    client.notify("notifications/initialized", "{}");
    assertThat(names(RawClient.get(early).getJsonObject("result"))).contains("echo");
  }

  @Test
  void a_modern_client_discovers_and_calls_without_a_handshake() throws Exception {
    RawClient client = open();
    JsonObject found = client.result("server/discover", modern("", ""));
    assertThat(found.getJsonArray("supportedVersions")).contains("2026-07-28", "2025-11-25");
    assertThat(found.getString("resultType")).isEqualTo("complete");
    assertThat(found.getInteger("ttlMs")).isZero();
    assertThat(found.getJsonObject("_meta").getJsonObject("io.modelcontextprotocol/serverInfo"))
        .isEqualTo(new JsonObject().put("name", "sample").put("version", "1.0"));
    JsonObject result =
        client.result(
            "tools/call", modern("\"name\":\"echo\",\"arguments\":{\"text\":\"hi\"}", ""));
    assertThat(result.getString("resultType")).isEqualTo("complete");
    assertThat(sample.requests.get(0).client().name()).isEqualTo("new");
    assertThat(server.state()).isEqualTo(ServerState.RUNNING);
  }

  @Test
  void a_modern_request_is_refused_where_it_does_not_describe_itself_well() throws Exception {
    RawClient client = open();
    String version = "\"io.modelcontextprotocol/protocolVersion\":";
    JsonObject unknown = error(client, "tools/list", "{\"_meta\":{" + version + "\"2031-01-01\"}}");
    assertThat(unknown.getInteger("code")).isEqualTo(-32022);
    assertThat(unknown.getJsonObject("data").getJsonArray("supported")).contains("2026-07-28");
    assertThat(unknown.getJsonObject("data").getString("requested")).isEqualTo("2031-01-01");
    JsonObject half = error(client, "tools/list", "{\"_meta\":{" + version + "\"2026-07-28\"}}");
    assertThat(half.getInteger("code")).isEqualTo(-32602);
    assertThat(half.getString("message")).contains("clientCapabilities");
    for (String gone : List.of("ping", "logging/setLevel", "resources/subscribe")) {
      assertThat(error(client, gone, modern("", "")).getInteger("code")).isEqualTo(-32601);
    }
  }

  // Requests.

  @Test
  void any_method_reaches_its_handler_and_an_unknown_one_is_refused() throws Exception {
    RawClient client = legacy();
    assertThat(client.result("sample/double", "{\"n\":21}").getInteger("twice")).isEqualTo(42);
    JsonObject unknown = error(client, "no/such", "{}");
    assertThat(unknown.getInteger("code")).isEqualTo(-32601);
    assertThat(unknown.getString("message")).contains("no/such", "2025-11-25");
    JsonObject refused = error(client, "sample/refuse", "{}");
    assertThat(refused.getInteger("code")).isEqualTo(-32050);
    assertThat(refused.getJsonObject("data").getInteger("when")).isEqualTo(1);
    JsonObject broken = error(client, "sample/broken", "{}");
    assertThat(broken.getInteger("code")).isEqualTo(-32603);
    assertThat(broken.getString("message")).isEqualTo("the disk is full");
  }

  @Test
  void arguments_are_checked_before_the_handler() throws Exception {
    RawClient client = legacy();
    JsonObject wrong = error(client, "tools/call", call("echo", "{\"text\":5}"));
    assertThat(wrong.getInteger("code")).isEqualTo(-32602);
    assertThat(wrong.getString("message")).contains("arguments/text", "'echo'", "inputSchema");
    assertThat(wrong.getJsonObject("data").getString("path")).isEqualTo("/text");
    assertThat(error(client, "tools/call", call("echo", "{}")).getInteger("code"))
        .isEqualTo(-32602);
    assertThat(error(client, "tools/call", call("echo", "[]")).getInteger("code"))
        .isEqualTo(-32602);
    JsonObject unknown = error(client, "tools/call", call("ecoh", "{}"));
    assertThat(unknown.getInteger("code")).isEqualTo(-32602);
    assertThat(unknown.getString("message")).contains("ecoh", "tools/list");
    assertThat(sample.requests).isEmpty();
  }

  @Test
  void a_throw_and_a_failed_future_become_a_result_that_says_so() throws Exception {
    RawClient client = legacy();
    assertThat(client.result("tools/call", call("throws", "{}")))
        .isEqualTo(ToolResult.error("no such city"));
    assertThat(client.result("tools/call", call("fails", "{}")))
        .isEqualTo(ToolResult.error("out of order"));
  }

  @Test
  void a_handler_tells_progress_log_and_notifications_before_its_result() throws Exception {
    RawClient client = legacy();
    client.result(
        "tools/call", "{\"name\":\"tell\",\"arguments\":{},\"_meta\":{\"progressToken\":\"p\"}}");
    assertThat(client.notifications())
        .extracting(told -> told.method() + told.params())
        .containsExactly(
            "notifications/progress{\"progressToken\":\"p\",\"progress\":1,\"total\":2,"
                + "\"message\":\"half\"}",
            "notifications/message{\"level\":\"warning\",\"logger\":\"sample\","
                + "\"data\":{\"left\":1}}",
            "notifications/sample/told{}");
  }

  @Test
  void the_level_of_the_log_is_the_clients_to_set() throws Exception {
    RawClient client = legacy();
    client.result("logging/setLevel", "{\"level\":\"debug\"}");
    client.result("tools/call", call("tell", "{}"));
    assertThat(client.notifications()).filteredOn(n -> n.method().endsWith("message")).hasSize(2);
    assertThat(error(client, "logging/setLevel", "{\"level\":\"loud\"}").getString("message"))
        .contains("debug, info");
    RawClient modern = open();
    String tell = "\"name\":\"tell\",\"arguments\":{}";
    modern.result("tools/call", modern(tell, ""));
    assertThat(modern.notifications()).hasSize(1);
    modern.result("tools/call", modern(tell, ",\"io.modelcontextprotocol/logLevel\":\"warning\""));
    assertThat(modern.notifications()).hasSize(3);
  }

  @Test
  void a_request_knows_who_asks_and_how_long_there_is() throws Exception {
    RawClient client =
        RawClient.open(vertx, new LinkedPair("d", context, server.acceptor("alice")));
    client.handshake();
    client.call("echo", "{\"text\":\"x\"}");
    Request request = sample.requests.get(0);
    assertThat(request.principal()).isEqualTo("alice");
    assertThat(request.client().name()).isEqualTo("raw");
    assertThat(request.version().wire()).isEqualTo("2025-11-25");
    assertThat(request.subject()).isEqualTo("tools/call echo");
    assertThat(request.remaining()).isBetween(Duration.ofSeconds(60), Duration.ofSeconds(120));
  }

  @Test
  void a_call_that_is_called_off_is_cancelled_and_gets_no_answer() throws Exception {
    RawClient client = legacy();
    Future<JsonObject> call = client.request("tools/call", call("wait", "{}"));
    sample.waiting();
    client.notify("notifications/cancelled", "{\"requestId\":2}");
    RawClient.get(sample.waiting().cancelled());
    sample.gate.complete(ToolResult.text("late"));
    assertThat(client.call("echo", "{\"text\":\"x\"}")).isEqualTo("x");
    assertThat(call.isComplete()).isFalse();
  }

  @Test
  void a_client_that_leaves_cancels_its_calls() throws Exception {
    RawClient client = legacy();
    client.request("tools/call", call("wait", "{}"));
    sample.waiting();
    client.close();
    await().until(() -> sample.waiting().isCancelled() && server.sessions().isEmpty());
  }

  @Test
  void a_handler_that_takes_too_long_is_cancelled_and_answered_for() throws Exception {
    server.options(ServerOptions.DEFAULT.withRequestTimeout(Duration.ofMillis(50)));
    JsonObject late = legacy().result("tools/call", call("wait", "{}"));
    assertThat(late).isEqualTo(ToolResult.error("no answer within 50 ms"));
    assertThat(sample.waiting().isCancelled()).isTrue();
  }

  @Test
  void more_requests_than_the_bound_are_refused_at_once() throws Exception {
    server.options(ServerOptions.DEFAULT.withMaxRequests(2));
    RawClient client = legacy();
    Future<JsonObject> first = client.request("tools/call", call("wait", "{}"));
    Future<JsonObject> second = client.request("tools/call", call("wait", "{}"));
    assertThat(error(client, "tools/list", "{}").getInteger("code")).isEqualTo(-32003);
    sample.gate.complete(ToolResult.text("free"));
    assertThat(RawClient.get(first).encode()).contains("free");
    assertThat(RawClient.get(second).encode()).contains("free");
  }

  @Test
  void a_long_list_comes_in_pages_that_outlive_changes() throws Exception {
    server.options(ServerOptions.DEFAULT.withPageSize(2));
    RawClient client = legacy();
    JsonObject first = client.result("tools/list", "{}");
    assertThat(names(first)).containsExactly("echo", "throws");
    assertThat(server.removeTool("throws")).isTrue();
    JsonObject second =
        client.result("tools/list", "{\"cursor\":\"" + first.getString("nextCursor") + "\"}");
    assertThat(names(second)).containsExactly("fails", "wait");
    JsonObject third =
        client.result("tools/list", "{\"cursor\":\"" + second.getString("nextCursor") + "\"}");
    assertThat(names(third)).containsExactly("tell");
    assertThat(third.containsKey("nextCursor")).isFalse();
    assertThat(error(client, "tools/list", "{\"cursor\":\"x\"}").getInteger("code"))
        .isEqualTo(-32602);
  }

  // Notifications.

  @Test
  void a_tool_that_comes_or_goes_is_told_to_every_client() throws Exception {
    RawClient legacy = legacy();
    RawClient modern = open();
    modern.request(
        "subscriptions/listen", modern("\"notifications\":{\"toolsListChanged\":true}", ""));
    await().until(() -> modern.notifications().size() == 1);
    assertThat(modern.notifications().get(0).params().toString())
        .contains("\"toolsListChanged\":true", "io.modelcontextprotocol/subscriptionId");
    server.tool("more", "", Sample.NO_ARGUMENTS, (request, arguments) -> never());
    assertThat(server.removeTool("more")).isTrue();
    assertThat(server.removeTool("more")).isFalse();
    await().until(() -> legacy.notifications().size() == 2 && modern.notifications().size() == 3);
    assertThat(legacy.notifications().get(0).method()).isEqualTo(Methods.TOOLS_CHANGED);
    assertThat(modern.notifications().get(1).params().toString()).contains("subscriptionId\":1");
  }

  @Test
  void updates_of_a_resource_reach_those_that_subscribed() throws Exception {
    RawClient legacy = legacy();
    legacy.result("resources/subscribe", "{\"uri\":\"a:1\"}");
    RawClient modern = open();
    Future<JsonObject> stream =
        modern.request(
            "subscriptions/listen",
            modern("\"notifications\":{\"resourceSubscriptions\":[\"a:1\"]}", ""));
    await().until(() -> modern.notifications().size() == 1);
    server.notifyClients(Methods.RESOURCE_UPDATED, new JsonObject().put("uri", "a:2"));
    server.notifyClients(Methods.RESOURCE_UPDATED, new JsonObject().put("uri", "a:1"));
    await().until(() -> legacy.notifications().size() == 1 && modern.notifications().size() == 2);
    assertThat(legacy.notifications().get(0).params().toString()).contains("a:1");
    RawClient.get(server.close());
    assertThat(RawClient.get(stream).getJsonObject("result"))
        .isEqualTo(new JsonObject().put("resultType", "complete"));
  }

  @Test
  void notifications_of_clients_reach_their_handler() throws Exception {
    RawClient client = legacy();
    client.notify("notifications/sample", "{\"n\":1}");
    client.notify("notifications/nobody", "{}");
    await().until(() -> sample.heard.equals(List.of(new JsonObject().put("n", 1))));
  }

  // Wrappers.

  @Test
  void wrappers_guard_and_word_what_is_inside_them() throws Exception {
    List<String> order = new ArrayList<>();
    RawServer wrapped =
        RawServer.of("wrapped", "1")
            .wrap(inner -> (request, input) -> noted(order, "outer", inner, request, input))
            .wrap(
                Wrappers.logged(LoggerFactory.getLogger(RawServerTest.class))
                    .around(Wrappers.errors(failure -> "something went wrong")))
            .wrap(inner -> (request, input) -> noted(order, "inner", inner, request, input))
            .tool(
                "secret",
                "",
                Sample.NO_ARGUMENTS,
                Wrappers.authorized(request -> "alice".equals(request.principal()))
                    .wrap((request, arguments) -> Future.succeededFuture(ToolResult.text("42"))))
            .handle(
                "x/fail",
                (request, params) -> {
                  throw new IllegalStateException("password is hunter2");
                });
    RawClient stranger = RawClient.open(vertx, wrapped.inMemory(context));
    stranger.handshake();
    assertThat(stranger.result("tools/call", call("secret", "{}")))
        .isEqualTo(ToolResult.error("something went wrong"));
    assertThat(order).containsExactly("outer", "inner");
    assertThat(error(stranger, "x/fail", "{}").getString("message"))
        .isEqualTo("something went wrong");
    RawClient alice =
        RawClient.open(vertx, new LinkedPair("d", context, wrapped.acceptor("alice")));
    alice.handshake();
    assertThat(alice.call("secret", "{}")).isEqualTo("42");
  }

  private static Future<JsonObject> noted(
      List<String> order, String name, RequestHandler inner, Request request, JsonObject input) {
    order.add(name);
    return inner.handle(request, input);
  }

  @Test
  void blocking_code_runs_on_a_worker() throws Exception {
    server.tool(
        "block",
        "",
        Sample.NO_ARGUMENTS,
        (request, arguments) ->
            Wrappers.blocking(() -> ToolResult.text("" + Context.isOnEventLoopThread())));
    assertThat(legacy().call("block", "{}")).isEqualTo("false");
  }

  @Test
  void a_definition_is_listed_as_it_was_given() throws Exception {
    JsonObject definition =
        new JsonObject()
            .put("name", "full")
            .put("title", "Full")
            .put("inputSchema", Sample.ONE_TEXT)
            .put("annotations", new JsonObject().put("readOnlyHint", true))
            .put("_meta", new JsonObject().put("acme/rank", 1));
    server.tool(definition, (request, arguments) -> never());
    JsonArray tools = legacy().result("tools/list", "{}").getJsonArray("tools");
    assertThat(tools.getJsonObject(tools.size() - 1)).isEqualTo(definition);
  }
}
