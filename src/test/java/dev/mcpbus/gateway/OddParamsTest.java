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

  private static final String OWN_REFUSAL =
      "\"error\":{\"code\":-32601,\"message\":\"\\u006eo\",\"data\":{\"n\":1.0}}";
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
  void an_empty_cursor_asks_for_the_first_page_of_several_servers(boolean discover) {
    peer();
    McpHttp all = new McpHttp(bus.port(), "/mcp");
    JsonObject params = new JsonObject().put("cursor", "");
    McpHttp.Answer listed =
        discover ? all.discover("tools/list", params) : all.initialize().call("tools/list", params);
    assertThat(McpHttp.names(listed.result(), "tools")).containsExactly("p__t");
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

  /** Of an extension, of another version, of a capability that the server lacks, of a client. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "x.example/act",
        "tasks/list",
        "tasks/get",
        "tasks/result",
        "tasks/cancel",
        "tasks/update",
        "subscriptions/listen",
        "sampling/createMessage"
      })
  void a_server_of_the_clients_own_session_refuses_a_method_in_its_own_words(String asked) {
    ScriptedPeer peer =
        Peers.initialize(
            bus,
            "p",
            (method, params, connection) ->
                connection == 2 && method.equals(asked) ? OWN_REFUSAL : null);
    McpHttp.Session session = client.initialize("2025-11-25", CAN);
    assertThat(session.call(asked, new JsonObject().put("taskId", "1")).body())
        .contains(OWN_REFUSAL);
    assertThat(peer.texts().get(peer.texts().size() - 1)).contains("\"taskId\":\"1\"");
    JsonObject elsewhere =
        new McpHttp(bus.port(), "/mcp").initialize().call(asked, new JsonObject()).error();
    assertThat(elsewhere.getString("message")).isEqualTo("Method not found: " + asked);
  }

  @ParameterizedTest
  @ValueSource(strings = {"notifications/cancelled", "Tasks/Get", "initialize"})
  void no_other_method_that_a_server_may_read_as_one_of_mcp_passes(String asked) {
    ScriptedPeer peer = peer();
    McpHttp.Session session = client.initialize("2025-11-25", CAN);
    session.call("tools/list", new JsonObject());
    int before = peer.methods().size();
    session.call(asked, new JsonObject());
    assertThat(peer.methods()).hasSize(before);
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

  @ParameterizedTest
  @ValueSource(strings = {"/mcp", "/mcp/p"})
  void a_client_may_write_null_for_what_is_absent(String path) {
    Peers.initialize(
        bus,
        "p",
        (method, params, connection) ->
            switch (method) {
              case "tools/list" -> Peers.tools("t");
              case "tools/call" -> "\"result\":{\"content\":[]}";
              default -> null;
            });
    McpHttp http = new McpHttp(bus.port(), path);
    String begin =
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"result\":null,\"error\":null,"
            + "\"params\":{\"protocolVersion\":\"2025-06-18\",\"capabilities\":null,"
            + "\"clientInfo\":null,\"_meta\":null}}";
    McpHttp.Answer began = http.post(begin);
    String[] session = {
      "Mcp-Session-Id", began.header("mcp-session-id"), "MCP-Protocol-Version", "2025-06-18"
    };
    String message = "{\"jsonrpc\":\"2.0\",\"id\":%s,\"method\":\"%s\",\"params\":%s}";
    String initialized = String.format(message, "null", "notifications/initialized", "null");
    assertThat(http.post(initialized, session).status()).isEqualTo(202);
    for (String method : new String[] {"ping", "tools/list", "resources/list"}) {
      String request = String.format(message, "2", method, "null");
      assertThat(http.post(request, session).response().containsKey("result")).as(method).isTrue();
    }
    String call =
        String.format(
            message,
            "3",
            "tools/call",
            "{\"name\":\""
                + (path.equals("/mcp") ? "p__t" : "t")
                + "\",\"arguments\":null,\"_meta\":null,\"task\":null}");
    assertThat(http.post(call, session).result().getJsonArray("content")).isEmpty();
    String nameless = String.format(message, "null", "tools/call", "{\"name\":\"t\"}");
    assertThat(http.post(nameless, session).status())
        .as("it might be a notification, or a request")
        .isEqualTo(400);
  }
}
