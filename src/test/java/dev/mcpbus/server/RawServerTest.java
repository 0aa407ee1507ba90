package dev.mcpbus.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.mcpbus.protocol.Methods;
import dev.mcpbus.transport.RawClient;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Life, handshakes and notifications of a server. */
class RawServerTest extends OverLinkedPair {

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
    initialized();
    assertThatThrownBy(() -> server.handle("late/one", (request, params) -> never()))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("only tools come and go later");
    assertThatThrownBy(() -> server.wrap(HandlerWrapper.NONE))
        .isInstanceOf(IllegalStateException.class);
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
    RawClient client = initialized();
    Future<JsonObject> call = client.request(Methods.TOOLS_CALL, call("wait", "{}"));
    sample.waiting();
    RawClient.get(server.close());
    assertThat(RawClient.get(call).getJsonObject("result").encode())
        .contains("\"isError\":true", "the server is closing");
    assertThat(sample.waiting().isCancelled()).isTrue();
  }

  @Test
  @SuppressWarnings("NullAway") // a program may break its promise
  void a_method_that_belongs_to_the_server_and_one_that_has_a_handler_are_refused() {
    assertThatThrownBy(() -> server.handle("initialize", (request, params) -> never()))
        .hasMessageContaining("answered by the server itself");
    assertThatThrownBy(() -> server.handle("sample/double", (request, params) -> never()))
        .hasMessageContaining("has a handler already");
    assertThatThrownBy(() -> server.handle("sample/none", null))
        .hasMessageContaining("the handler of a method");
    assertThatThrownBy(() -> server.tool("none", "", Sample.NO_ARGUMENTS, null))
        .hasMessageContaining("the handler of a tool");
    assertThatThrownBy(() -> server.withoutCapability("promts"))
        .hasMessageContaining("there are [tools, resources, prompts, completions, logging]");
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
        .hasMessageContaining("not a usable JSON schema");
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
  void a_discover_client_calls_without_a_handshake() throws Exception {
    RawClient client = open();
    JsonObject found = client.result("server/discover", discoverParams("", ""));
    assertThat(found.getJsonArray("supportedVersions")).contains("2026-07-28", "2025-11-25");
    assertThat(found.getString("resultType")).isEqualTo("complete");
    assertThat(found.getInteger("ttlMs")).isZero();
    assertThat(found.getJsonObject("_meta").getJsonObject("io.modelcontextprotocol/serverInfo"))
        .isEqualTo(new JsonObject().put("name", "sample").put("version", "1.0"));
    JsonObject result =
        client.result(
            "tools/call", discoverParams("\"name\":\"echo\",\"arguments\":{\"text\":\"hi\"}", ""));
    assertThat(result.getString("resultType")).isEqualTo("complete");
    assertThat(sample.requests.get(0).client().name()).isEqualTo("new");
    assertThat(server.state()).isEqualTo(ServerState.RUNNING);
  }

  @Test
  void a_discover_request_is_refused_where_it_does_not_describe_itself_well() throws Exception {
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
      assertThat(error(client, gone, discoverParams("", "")).getInteger("code")).isEqualTo(-32601);
    }
  }

  // Notifications.

  @Test
  void every_client_is_notified_of_an_added_or_removed_tool() throws Exception {
    RawClient initializeClient = initialized();
    RawClient discoverClient = open();
    discoverClient.request(
        "subscriptions/listen",
        discoverParams("\"notifications\":{\"toolsListChanged\":true}", ""));
    await().until(() -> discoverClient.notifications().size() == 1);
    assertThat(discoverClient.notifications().get(0).params().toString())
        .contains("\"toolsListChanged\":true", "io.modelcontextprotocol/subscriptionId");
    server.tool("more", "", Sample.NO_ARGUMENTS, (request, arguments) -> never());
    assertThat(server.removeTool("more")).isTrue();
    assertThat(server.removeTool("more")).isFalse();
    await()
        .until(
            () ->
                initializeClient.notifications().size() == 2
                    && discoverClient.notifications().size() == 3);
    assertThat(initializeClient.notifications().get(0).method()).isEqualTo(Methods.TOOLS_CHANGED);
    assertThat(discoverClient.notifications().get(1).params().toString())
        .contains("subscriptionId\":1");
  }

  @Test
  void updates_of_a_resource_reach_those_that_subscribed() throws Exception {
    RawClient initializeClient = initialized();
    initializeClient.result("resources/subscribe", "{\"uri\":\"a:1\"}");
    RawClient discoverClient = open();
    Future<JsonObject> stream =
        discoverClient.request(
            "subscriptions/listen",
            discoverParams("\"notifications\":{\"resourceSubscriptions\":[\"a:1\"]}", ""));
    await().until(() -> discoverClient.notifications().size() == 1);
    server.notifyClients(Methods.RESOURCE_UPDATED, new JsonObject().put("uri", "a:2"));
    server.notifyClients(Methods.RESOURCE_UPDATED, new JsonObject().put("uri", "a:1"));
    await()
        .until(
            () ->
                initializeClient.notifications().size() == 1
                    && discoverClient.notifications().size() == 2);
    assertThat(initializeClient.notifications().get(0).params().toString()).contains("a:1");
    RawClient.get(server.close());
    assertThat(RawClient.get(stream).getJsonObject("result"))
        .isEqualTo(new JsonObject().put("resultType", "complete"));
  }

  @Test
  void a_program_may_handle_subscriptions_and_its_updates_still_arrive() throws Exception {
    List<String> watched = new CopyOnWriteArrayList<>();
    server.handle(
        Methods.RESOURCES_SUBSCRIBE,
        (request, params) -> {
          watched.add(params.getString("uri"));
          return Future.succeededFuture(new JsonObject());
        });
    RawClient client = initialized();
    client.result("resources/subscribe", "{\"uri\":\"a:1\"}");
    assertThat(error(client, "resources/subscribe", "{}").getInteger("code")).isEqualTo(-32602);
    assertThat(watched).containsExactly("a:1");
    server.notifyClients(Methods.RESOURCE_UPDATED, new JsonObject().put("uri", "a:1"));
    await().until(() -> client.notifications().size() == 1);
    client.result("resources/unsubscribe", "{\"uri\":\"a:1\"}");
    server.notifyClients(Methods.RESOURCE_UPDATED, new JsonObject().put("uri", "a:1"));
    assertThat(client.result("ping", "{}")).isEmpty();
    assertThat(client.notifications()).hasSize(1);
  }

  @Test
  void a_handler_that_refuses_leaves_the_subscription_as_it_was() throws Exception {
    for (String method : List.of(Methods.RESOURCES_SUBSCRIBE, Methods.RESOURCES_UNSUBSCRIBE)) {
      server.handle(
          method,
          (request, params) ->
              params.getString("uri").equals("a:1") != method.equals(Methods.RESOURCES_SUBSCRIBE)
                  ? Future.failedFuture(RequestException.invalid("not this one"))
                  : Future.succeededFuture(new JsonObject()));
    }
    RawClient client = initialized();
    client.result("resources/subscribe", "{\"uri\":\"a:1\"}");
    error(client, "resources/unsubscribe", "{\"uri\":\"a:1\"}");
    error(client, "resources/subscribe", "{\"uri\":\"a:2\"}");
    for (String uri : List.of("a:2", "a:1")) {
      server.notifyClients(Methods.RESOURCE_UPDATED, new JsonObject().put("uri", uri));
    }
    await().until(() -> !client.notifications().isEmpty());
    assertThat(client.result("ping", "{}")).isEmpty();
    assertThat(client.notifications())
        .singleElement()
        .satisfies(update -> assertThat(update.params().toString()).contains("a:1"));
  }

  @Test
  void notifications_of_clients_reach_their_handler() throws Exception {
    RawClient client = initialized();
    client.notify("notifications/sample", "{\"n\":1}");
    client.notify("notifications/unhandled", "{}");
    await().until(() -> sample.heard.equals(List.of(new JsonObject().put("n", 1))));
  }
}
