package dev.mcpbus.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.testing.McpHttp;
import dev.mcpbus.testing.ScriptedPeer;
import io.vertx.core.json.JsonObject;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What a client says at the endpoint of one server reaches that server byte for byte: clients of
 * both eras on servers of both eras.
 */
class ClientBytesTest extends ClientBytesFixture {

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void what_an_initialize_client_asks_is_the_same_bytes_at_the_server(boolean older) {
    ScriptedPeer peer = peer(older);
    String[] headers = opened();
    requests()
        .forEach(
            (method, params) -> {
              String sent = params.replace("META", META);
              McpHttp.Answer answer = client.post(Peers.request(++id, method, sent), headers);
              assertThat(answer.body()).as(method).contains("\"result\"");
              RawJson got = received(peer, method);
              assertThat(older ? got.toString() : plain(got))
                  .as(method)
                  .isEqualTo(older ? sent : plain(RawJson.of(sent)));
              if (!older) {
                assertStated(got);
              }
            });
    String told = "{\"a\":1.0, " + META + "," + ODD + "}";
    tell("com.example/told", told, headers);
    assertThat(received(peer, "com.example/told")).hasToString(told);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void what_a_discover_client_asks_is_the_same_bytes_at_the_server(boolean older) {
    ScriptedPeer peer = peer(older);
    requests()
        .forEach(
            (method, params) -> {
              String sent = params.replace("META", STATING);
              McpHttp.Answer answer =
                  client.post(Peers.request(++id, method, sent), discoverHeaders(method, sent));
              assertThat(answer.body()).as(method).contains("\"result\"");
              RawJson got = received(peer, method);
              assertThat(got.toString())
                  .as(method)
                  .isEqualTo(older ? plain(RawJson.of(sent)) : sent);
            });
    String told = "{\"a\":1.0, " + STATING + "," + ODD + "}";
    tell("com.example/told", told, discoverHeaders("com.example/told", told));
    assertThat(received(peer, "com.example/told"))
        .hasToString(older ? plain(RawJson.of(told)) : told);
  }

  @Test
  void what_each_request_of_the_discover_era_states_leaves_nothing_at_an_older_server() {
    ScriptedPeer peer = peer(true);
    String stating =
        "{\"name\":\"t\",\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
            + "\"io.modelcontextprotocol/clientInfo\":{\"name\":\"c\",\"version\":\"1\"},"
            + "\"io.modelcontextprotocol/clientCapabilities\":{},\"dev.mcpbus/client\":\"window\"}}";
    client.post(Peers.request(++id, "tools/call", stating), discoverHeaders("tools/call", stating));
    assertThat(received(peer, "tools/call")).hasToString("{\"name\":\"t\"}");
    tell("com.example/told", stating, discoverHeaders("com.example/told", stating));
    assertThat(received(peer, "com.example/told")).hasToString("{\"name\":\"t\"}");
    assertThat(peer.texts()).noneMatch(text -> text.contains("dev.mcpbus/client"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", ",\"params\":{}", ",\"params\":{ }"})
  void what_has_no_params_reaches_an_older_server_without_them(String params) {
    ScriptedPeer peer = peer(true);
    String[] headers = opened();
    for (String method :
        List.of(
            "notifications/initialized", "com.example/told", "notifications/roots/list_changed")) {
      String told = "{\"jsonrpc\":\"2.0\",\"method\":\"" + method + "\"" + params + "}";
      client.post(told, headers);
      if (method.equals("notifications/initialized")) {
        client.post(Peers.request(++id, "tools/call", "{\"name\":\"t\"}"), headers);
      }
      await().alias(method).until(() -> peer.texts().stream().anyMatch(text -> says(text, method)));
      assertThat(last(peer, method)).isEqualTo(told);
    }
    client.post(
        "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"com.example/do\"" + params + "}", headers);
    assertThat(last(peer, "com.example/do"))
        .endsWith(",\"method\":\"com.example/do\"" + params + "}");
  }

  /** JSON-RPC knows no other members, and SDKs refuse a message that has one. */
  @Test
  void a_member_beside_those_of_json_rpc_ends_at_the_gateway() {
    ScriptedPeer peer = peer(true);
    String[] headers = opened();
    client.post(
        "{\"x-odd\":1,\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"com.example/do\",\"params\":"
            + "{\"a\":1.0},\"other\":{}}",
        headers);
    assertThat(last(peer, "com.example/do"))
        .matches(
            "\\{\"jsonrpc\":\"2.0\",\"id\":\\d+,\"method\":\"com.example/do\",\"params\":"
                + "\\{\"a\":1.0}}");
  }

  /** The server itself says what they are worth. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "\"argument\":{\"name\":\"a\",\"value\":1.0}",
        "\"ref\":{\"type\":\"ref/t\\u006fol\",\"name\":\"t\"},\"argument\":{}",
        "\"ref\":{\"type\":\"ref/prompt\",\"name\":1.0}",
        "\"ref\":{\"type\":\"ref/prompt\",\"name\":\"unlisted\"}",
        "\"ref\":{\"type\":\"ref/resource\",\"uri\":\"x-odd:\\/\\/{+a}\"}"
      })
  void a_completion_that_mcp_does_not_define_reaches_the_server(String params) {
    ScriptedPeer peer = peer(true);
    client.post(Peers.request(++id, "completion/complete", "{" + params + "}"), opened());
    assertThat(received(peer, "completion/complete")).hasToString("{" + params + "}");
    String stated = "{" + params + "," + STATING + "}";
    client.post(
        Peers.request(++id, "completion/complete", stated),
        discoverHeaders("completion/complete", stated));
    await().until(() -> peer.received("completion/complete").size() == 2);
    assertThat(received(peer, "completion/complete")).hasToString(plain(RawJson.of(stated)));
  }

  /** MCP has no message to tell it anew, and a new session would lose its state. */
  @Test
  void an_older_server_is_told_the_capabilities_of_the_request_that_begins_the_session() {
    ScriptedPeer peer = peer(true);
    for (String can : List.of("{\"sampling\":{\"n\": 1.0}}", "{\"elicitation\":{}}", "{}")) {
      String sent = "{\"name\":\"t\"," + STATING.replace(CAPABILITIES, can) + "}";
      client
          .post(Peers.request(++id, "tools/call", sent), discoverHeaders("tools/call", sent))
          .result();
    }
    assertThat(peer.connections()).as("the shared connection, and one session").isEqualTo(2);
    assertThat(received(peer, "initialize").member("capabilities"))
        .hasToString("{\"sampling\":{\"n\": 1.0}}");
  }

  @Test
  void a_modern_server_is_told_the_capabilities_of_each_request() {
    ScriptedPeer peer = peer(false);
    for (String can : List.of("{\"sampling\":{\"n\": 1.0}}", "{\"elicitation\":{}}", "{}")) {
      String sent = "{\"name\":\"t\"," + STATING.replace(CAPABILITIES, can) + "}";
      client
          .post(Peers.request(++id, "tools/call", sent), discoverHeaders("tools/call", sent))
          .result();
      assertThat(received(peer, "tools/call")).hasToString(sent);
    }
  }

  @Test
  void words_of_a_filter_that_mcp_does_not_define_are_not_acknowledged() {
    peer(false);
    String sent =
        "{\"notifications\":{\"com.example/x\":true,\"toolsListChanged\":true,"
            + "\"promptsListChanged\":1.0},"
            + STATING
            + "}";
    JsonObject listen = new JsonObject(Peers.request(++id, "subscriptions/listen", sent));
    try (McpHttp.Stream stream =
        client.streamed(listen, discoverHeaders("subscriptions/listen", sent))) {
      await().until(() -> !stream.messages().isEmpty());
      assertThat(stream.messages().get(0).getJsonObject("params").getJsonObject("notifications"))
          .isEqualTo(new JsonObject("{\"toolsListChanged\":true}"));
    }
  }

  /** It may have been told to keep its name to itself. */
  @Test
  void a_modern_server_gets_no_name_of_a_client_that_states_none() {
    ScriptedPeer peer = peer(false);
    String sent =
        "{\"name\":\"t\","
            + STATING.replace("\"io.modelcontextprotocol/clientInfo\":" + CLIENT_INFO + ",", "")
            + "}";
    client
        .post(Peers.request(++id, "tools/call", sent), discoverHeaders("tools/call", sent))
        .result();
    assertThat(received(peer, "tools/call")).hasToString(sent);
    assertThat(sent).doesNotContain("clientInfo");
  }

  /** A client of 2025-11-25 may answer a question with a task, of which the server then asks. */
  @Test
  void a_meta_that_is_no_object_is_the_same_bytes_at_an_older_server() {
    ScriptedPeer peer = peer(true);
    client.post(Peers.request(++id, "tools/call", "{\"name\":\"t\",\"_meta\":1.0}"), opened());
    assertThat(received(peer, "tools/call")).hasToString("{\"name\":\"t\",\"_meta\":1.0}");
  }
}
