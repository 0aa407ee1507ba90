package dev.mcpbus.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.testing.ScriptedPeer;
import io.vertx.core.json.JsonObject;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A list that says more than a cursor is the same bytes at the server; any other is a kept one. */
class ListBytesTest extends ClientBytesFixture {

  private static final List<String> LISTS =
      List.of("tools/list", "prompts/list", "resources/list", "resources/templates/list");

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void a_list_that_says_more_of_an_initialize_client_is_the_same_bytes(boolean older) {
    ScriptedPeer peer = peer(older);
    String[] headers = opened();
    for (String method : LISTS) {
      for (String sent :
          List.of("{" + META + "}", "{\"lang\": 1.0," + ODD + "}", "{\"x\":{}, " + META + "}")) {
        int before = peer.received(method).size();
        JsonObject result = client.post(Peers.request(++id, method, sent), headers).json();
        assertThat(result.getJsonObject("result").fieldNames())
            .as(method)
            .doesNotContain("ttlMs", "cacheScope", "resultType");
        await().until(() -> peer.received(method).size() > before);
        assertThat(plain(received(peer, method)))
            .as(method)
            .isEqualTo(
                older || sent.contains("_meta") ? sent : "{\"_meta\":{}," + sent.substring(1));
      }
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void a_list_that_says_more_of_a_discover_client_is_the_same_bytes(boolean older) {
    ScriptedPeer peer = peer(older);
    for (String method : LISTS) {
      for (String sent :
          List.of("{" + STATING + "}", "{" + STATING + ",\"lang\": 1.0," + ODD + "}")) {
        int before = peer.received(method).size();
        JsonObject result =
            client.post(Peers.request(++id, method, sent), discoverHeaders(method, sent)).json();
        assertThat(result.getJsonObject("result").fieldNames())
            .as(method)
            .contains("ttlMs", "cacheScope", "resultType");
        await().until(() -> peer.received(method).size() > before);
        RawJson got = received(peer, method);
        assertThat(got.toString()).as(method).isEqualTo(older ? plain(RawJson.of(sent)) : sent);
      }
    }
  }

  /** What every client states, a cursor and a progress token decide nothing: a kept list serves. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void a_list_that_says_nothing_to_the_server_is_the_kept_one(boolean older) {
    ScriptedPeer peer = peer(older);
    String stated =
        "{\"_meta\":{\"progressToken\":1,\"traceparent\":\"00-0af7651916cd43dd8448eb211c80319c-"
            + "b7ad6b7169203331-01\",\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
            + "\"io.modelcontextprotocol/clientInfo\":{\"name\":\"c\",\"version\":\"1\"},"
            + "\"io.modelcontextprotocol/clientCapabilities\":{}}}";
    for (String method : LISTS) {
      client.post(Peers.request(++id, method, stated), discoverHeaders(method, stated)).result();
      int before = peer.received(method).size();
      client.post(Peers.request(++id, method, stated), discoverHeaders(method, stated)).result();
      assertThat(peer.received(method)).as(method).hasSize(before);
    }
    assertThat(peer.connections()).isEqualTo(1);
  }
}
