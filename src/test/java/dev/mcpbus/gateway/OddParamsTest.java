package dev.mcpbus.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.mcpbus.testing.McpHttp;
import dev.mcpbus.testing.ScriptedPeer;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The server of {@code /mcp/<id>} says itself what a cursor or a name is worth. */
class OddParamsTest {

  private static final JsonObject CAN = new JsonObject().put("roots", new JsonObject());

  private final TestBus bus = TestBus.startWithBridge(new JsonObject());
  private final McpHttp client = new McpHttp(bus.port(), "/mcp/p");

  @AfterEach
  void close() {
    bus.close();
  }

  private ScriptedPeer peer() {
    return Peers.initialize(
        bus,
        "p",
        (method, params, connection) ->
            switch (method) {
              case "tools/list" ->
                  params.containsKey("cursor")
                      ? ScriptedPeer.error(-32603, "cursor of " + connection)
                      : Peers.tools("t");
              case "tools/call" -> ScriptedPeer.error(-32000, "no name");
              case "resources/list" -> "\"result\":{\"resources\":[],\"x\":1}";
              default -> null;
            });
  }

  private JsonObject answer(boolean discover, String method, JsonObject params) {
    return discover
        ? client.discover(method, params).json()
        : client.initialize("2025-11-25", CAN).call(method, params).json();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void a_cursor_that_mcpbus_did_not_give_is_for_the_server(boolean discover) {
    peer();
    for (Object cursor : new Object[] {"none", 5}) {
      JsonObject params = new JsonObject().put("cursor", cursor);
      assertThat(answer(discover, "tools/list", params).getJsonObject("error").getInteger("code"))
          .isEqualTo(-32603);
      assertThat(answer(discover, "resources/list", params).getJsonObject("result").encode())
          .contains("\"resources\":[]", "\"x\":1");
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void a_call_that_names_no_tool_is_for_the_server_and_one_whose_name_is_a_list_is_not(
      boolean discover) {
    ScriptedPeer peer = peer();
    JsonObject error = answer(discover, "tools/call", new JsonObject()).getJsonObject("error");
    assertThat(error).isEqualTo(new JsonObject().put("code", -32000).put("message", "no name"));
    assertThat(peer.received("tools/call")).hasSize(1);
    assertThat(peer.connections()).as("the client has a session of its own").isEqualTo(2);
    JsonObject list = new JsonObject().put("name", new JsonArray().add("t"));
    assertThat(answer(discover, "tools/call", list).getJsonObject("error").getInteger("code"))
        .isEqualTo(-32602);
    assertThat(peer.received("tools/call")).hasSize(1);
  }

  @Test
  void an_error_about_the_params_of_a_list_is_no_change_of_the_list() {
    ScriptedPeer peer = peer();
    McpHttp.Session session = client.initialize("2025-11-25", CAN);
    session.call("tools/list", new JsonObject().put("cursor", 5));
    try (McpHttp.Stream stream = session.listen()) {
      peer.tell("notifications/message", "{\"level\":\"info\",\"data\":\"later\"}");
      await().until(() -> !stream.messages().isEmpty());
      assertThat(stream.methods()).containsExactly("notifications/message");
    }
  }
}
