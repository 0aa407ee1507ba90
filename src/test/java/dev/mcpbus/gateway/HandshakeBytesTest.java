package dev.mcpbus.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.testing.McpHttp;
import dev.mcpbus.testing.ScriptedPeer;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What a client says about itself and its session, the same bytes at the server: the handshake,
 * subscriptions and the log level.
 */
class HandshakeBytesTest extends ClientBytesFixture {

  @Test
  void the_handshake_of_an_initialize_client_is_the_same_bytes_at_an_older_server() {
    ScriptedPeer peer = peer(true);
    String[] headers = opened();
    String initialized = "{\"a\":1.0, " + META + "," + ODD + "}";
    tell("notifications/initialized", initialized, headers);
    client.post(Peers.request(2, "tools/call", "{\"name\":\"t\"}"), headers);

    assertThat(received(peer, "initialize")).hasToString(initialize());
    assertThat(received(peer, "notifications/initialized")).hasToString(initialized);

    String roots = "{" + ODD + ", " + META + "}";
    tell("notifications/roots/list_changed", roots, headers);
    assertThat(received(peer, "notifications/roots/list_changed")).hasToString(roots);
  }

  @Test
  void what_a_discover_client_states_is_the_same_bytes_in_the_handshake_of_an_older_server() {
    ScriptedPeer peer = peer(true);
    String sent = "{\"name\":\"t\"," + STATING + "}";
    client.post(Peers.request(2, "tools/call", sent), discoverHeaders("tools/call", sent));

    RawJson got = received(peer, "initialize");
    assertThat(got.member("clientInfo")).hasToString(CLIENT_INFO);
    assertThat(got.member("capabilities")).hasToString(CAPABILITIES);
  }

  @Test
  void line_breaks_of_a_handshake_are_blanks_at_the_server() {
    ScriptedPeer peer = peer(true);
    String initialize =
        "{\n\"clientInfo\":{\"name\":\"c\",\r\n\"version\":\"1\"},\n\"capabilities\":{\n},"
            + "\"protocolVersion\":\"2025-06-18\"}";
    McpHttp.Answer answer = client.post(Peers.request(1, "initialize", initialize));
    client.post(
        Peers.request(2, "tools/call", "{\"name\":\"t\"}"),
        "Mcp-Session-Id",
        answer.header("mcp-session-id"));
    assertThat(received(peer, "initialize"))
        .hasToString(initialize.replace('\n', ' ').replace('\r', ' '));
  }

  // ---- what a session keeps

  @ParameterizedTest
  @ValueSource(strings = {"resources/subscribe", "resources/unsubscribe"})
  void a_subscription_without_a_uri_gets_the_servers_own_refusal(String method) {
    ScriptedPeer peer = peer(true);
    String[] headers = opened();
    for (String params : List.of("{\"uri\":1.0}", "{\"x\":{}, \"y\":1.0}")) {
      McpHttp.Answer answer = client.post(Peers.request(++id, method, params), headers);
      assertThat(received(peer, method)).hasToString(params);
      assertThat(answer.body()).endsWith(",\"result\":{\"resultType\":\"complete\"}}");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"{\"level\":\"tr\\u0061ce\"}", "{\"level\":1.0, \"x\":{}}", "{\"x\":1.0}"})
  void a_log_level_that_mcp_does_not_define_reaches_the_server(String params) {
    ScriptedPeer peer = peer(true);
    String[] headers = opened();
    McpHttp.Answer answer = client.post(Peers.request(++id, "logging/setLevel", params), headers);
    assertThat(received(peer, "logging/setLevel")).hasToString(params);
    assertThat(answer.body()).endsWith(",\"result\":{\"resultType\":\"complete\"}}");
  }

  @Test
  void a_log_level_and_a_subscription_are_the_same_bytes_at_an_older_server() {
    ScriptedPeer peer = peer(true);
    String[] headers = opened();
    String early = "{\"level\":\"w\\u0061rning\", " + META + "," + ODD + "}";
    client.post(Peers.request(2, "logging/setLevel", early), headers);
    client.post(Peers.request(3, "tools/call", "{\"name\":\"t\"}"), headers);
    assertThat(received(peer, "logging/setLevel")).as("before the session").hasToString(early);

    for (List<String> one :
        List.of(
            List.of("logging/setLevel", "{" + ODD + ",\"level\":\"inf\\u006f\"," + META + "}"),
            List.of(
                "resources/subscribe", "{" + META + ",\"uri\":\"file:\\/\\/\\/a\"," + ODD + "}"),
            List.of(
                "resources/unsubscribe",
                "{" + ODD + ", \"uri\":\"file:///\\u0061\"," + META + "}"))) {
      client.post(Peers.request(++id, one.get(0), one.get(1)), headers);
      assertThat(received(peer, one.get(0))).hasToString(one.get(1));
    }
  }
}
