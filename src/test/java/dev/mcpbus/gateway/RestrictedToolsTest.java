package dev.mcpbus.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.mcpbus.TestOptions;
import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.connection.options.ConnectionOptions;
import dev.mcpbus.connection.options.ToolPolicy;
import dev.mcpbus.internals.RecordCopy;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.testing.Http;
import dev.mcpbus.testing.McpHttp;
import dev.mcpbus.testing.ScriptedPeer;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tools that the entry of a server keeps away are not there, whichever door one comes by. */
class RestrictedToolsTest extends GatewayFixture {

  private static final ToolPolicy NO_DELETING =
      new ToolPolicy(List.of(), List.of("delete_all", "drop_*"));

  @SuppressWarnings("NullAway.Init") // by serve
  private ScriptedPeer peer;

  RestrictedToolsTest() {
    super("/mcp");
  }

  private void serve(String era) {
    ScriptedPeer.Script script = RestrictedToolsTest::answer;
    peer =
        era.equals("modern")
            ? ScriptedPeer.discover(bus.vertx(), script)
            : new ScriptedPeer(
                bus.vertx(),
                (method, params, connection) ->
                    switch (method) {
                      case "server/discover" -> ScriptedPeer.error(-32601, "no such method");
                      case "initialize" -> ScriptedPeer.INITIALIZED;
                      default -> answer(method, params, connection);
                    });
    TestBus.await(
        TestOptions.add(
            bus.bus(),
            new ConnectionId("s"),
            peer.transport(),
            RecordCopy.with(ConnectionOptions.DEFAULT, "tools", NO_DELETING)));
    bus.awaitState("s", "READY");
  }

  private static @Nullable String answer(String method, JsonObject params, int connection) {
    return switch (method) {
      case Methods.TOOLS_LIST -> Peers.tools("add", "delete_all", "drop_table");
      case Methods.TOOLS_CALL -> Peers.text("ran " + params.getString("name"));
      default -> null;
    };
  }

  private static List<String> names(JsonArray tools) {
    return tools.stream().map(tool -> ((JsonObject) tool).getString("name")).toList();
  }

  @ParameterizedTest
  @ValueSource(strings = {"modern", "legacy"})
  void a_tool_that_is_kept_away_is_in_no_list(String era) {
    serve(era);
    JsonObject one = bus.request(TestBus.address("s", Addresses.TOOLS_LIST), new JsonObject());
    assertThat(names(one.getJsonArray("tools"))).containsExactly("add");
    JsonObject page =
        bus.request(
            TestBus.address("s", Addresses.TOOLS_LIST), new JsonObject().put("cursor", "x"));
    assertThat(names(page.getJsonArray("tools"))).containsExactly("add");
    JsonObject raw =
        bus.request(
            TestBus.address("s", Addresses.REQUEST), new JsonObject().put("method", "tools/list"));
    assertThat(names(raw.getJsonArray("tools"))).containsExactly("add");
    JsonObject all = bus.request(Addresses.ALL_TOOLS_LIST, new JsonObject());
    assertThat(all.encode()).contains("s.add").doesNotContain("delete_all", "drop_table");
    assertThat(client.discover(Methods.TOOLS_LIST, new JsonObject()).result().encode())
        .contains("add")
        .doesNotContain("delete_all", "drop_table");
    for (String path : List.of("/api/servers/s/tools", "/api/tools", "/api/servers/s")) {
      assertThat(Http.get(bus.port(), path).body()).doesNotContain("delete_all", "drop_table");
    }
    assertThat(bus.events().toString()).doesNotContain("delete_all", "drop_table");
    assertThat(bus.status("s").getInteger("tools")).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"modern", "legacy"})
  void a_tool_that_is_kept_away_is_called_by_no_door(String era) {
    serve(era);
    assertThat(bus.callTool("s", "add", new JsonObject()).encode()).contains("ran add");
    JsonObject call = TestBus.toolCall("delete_all", new JsonObject());
    assertThat(bus.failure(TestBus.address("s", Addresses.TOOLS_CALL), call).code())
        .isEqualTo(FailureCode.UNKNOWN_TOOL);
    assertThat(bus.failure(TestBus.address("s", Addresses.TOOLS_CALL), call.toBuffer()).code())
        .isEqualTo(FailureCode.UNKNOWN_TOOL);
    JsonObject raw = new JsonObject().put("method", "tools/call").put("params", call);
    assertThat(bus.failure(TestBus.address("s", Addresses.REQUEST), raw).code())
        .isEqualTo(FailureCode.UNKNOWN_TOOL);
    JsonObject task = call.copy().put("task", new JsonObject().put("ttl", 60_000));
    assertThat(
            bus.failure(TestBus.address("s", Addresses.REQUEST), raw.copy().put("params", task))
                .code())
        .isEqualTo(FailureCode.UNKNOWN_TOOL);
    assertThat(
            bus.failure(
                    TestBus.address("s", Addresses.REQUEST),
                    raw.copy().put("params", new JsonObject().put("name", 1)))
                .code())
        .isEqualTo(FailureCode.BAD_REQUEST);
    assertThat(Http.post(bus.port(), "/api/servers/s/tools/drop_table", "{}").body())
        .contains("UNKNOWN_TOOL");
    JsonObject rpc =
        new JsonObject()
            .put("jsonrpc", "2.0")
            .put("id", 1)
            .put("method", "tools/call")
            .put("params", TestBus.toolCall("s.delete_all", new JsonObject()));
    assertThat(Http.post(bus.port(), "/rpc", rpc.encode()).body()).contains("UNKNOWN_TOOL");
    assertThat(
            client
                .discover(Methods.TOOLS_CALL, TestBus.toolCall("s.delete_all", new JsonObject()))
                .body())
        .contains("error");
    assertThat(peer.messages().toString()).doesNotContain("delete_all", "drop_table");
  }

  @ParameterizedTest
  @ValueSource(strings = {"modern", "legacy"})
  void a_tool_that_is_kept_away_is_named_by_no_method_that_mcp_does_not_define(String era) {
    serve(era);
    McpHttp door = new McpHttp(bus.port(), "/mcp/s");
    for (String method : List.of("com.example/act", "notifications/com.example/told")) {
      for (String params :
          List.of(
              "{\"name\":\"delete_all\"}",
              "{\"name\":\"DELETE_ALL\"}",
              "{\"name\":\"drop_table\\u0000x\"}",
              "{\"name\":[\"delete_all\"]}",
              "{\"ref\":{\"name\":\"delete_all\"}}")) {
        JsonObject named = new JsonObject(params);
        if (method.startsWith("notifications")) {
          door.initialize().notify(method, named);
        } else {
          assertThat(door.discover(method, named).body()).as(params).contains("error");
        }
        JsonObject raw = new JsonObject().put("method", method).put("params", named);
        assertThat(bus.failure(TestBus.address("s", Addresses.REQUEST), raw).code())
            .as(params)
            .isEqualTo(FailureCode.UNKNOWN_TOOL);
      }
    }
    door.initialize()
        .notify("notifications/com.example/told", TestBus.toolCall("add", new JsonObject()));
    await().until(() -> peer.messages().toString().contains("com.example/told"));
    assertThat(peer.messages().toString().toLowerCase(Locale.ROOT))
        .doesNotContain("delete_all", "drop_table", "com.example/act");
  }
}
