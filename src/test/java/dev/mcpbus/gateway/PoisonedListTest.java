package dev.mcpbus.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.testing.Http;
import dev.mcpbus.testing.McpHttp;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** One server's odd entries take nothing from the clients of the others. */
class PoisonedListTest extends GatewayFixture {

  private static final String TOOLS =
      """
      [{"name":"nulls","title":null,"description":null,"annotations":null,"icons":null,\
      "_meta":null,"execution":null,"outputSchema":null,"inputSchema":null},\
      {"name":"int","inputSchema":{"type":"object","properties":{"n":{"type":"int"}},"required":"n"}},\
      {"name":"text","inputSchema":{"type":"string"}},\
      {"name":"rows","inputSchema":{"type":"object"},"outputSchema":{"type":"array"}}]""";

  PoisonedListTest() {
    super("/mcp");
  }

  @BeforeEach
  void begin() {
    Peers.initialize(
        bus,
        "odd",
        (method, params, connection) ->
            switch (method) {
              case "tools/list" -> "\"result\":{\"tools\":" + TOOLS + "}";
              case "resources/list" ->
                  "\"result\":{\"resources\":[{\"uri\":\"a:b\",\"name\":null,\"size\":\"x\"}]}";
              case "resources/templates/list" ->
                  "\"result\":{\"resourceTemplates\":[{\"uriTemplate\":\"a:{x}\"}]}";
              case "prompts/list" ->
                  "\"result\":{\"prompts\":[{\"name\":\"p\",\"arguments\":{\"a\":{}}}]}";
              case "tools/call" -> Peers.text("called");
              default -> null;
            });
    Peers.initialize(
        bus,
        "good",
        (method, params, connection) -> method.equals("tools/list") ? Peers.tools("t") : null);
  }

  @Test
  void the_lists_of_all_servers_hold_what_clients_read() {
    McpHttp.Session session = client.initialize();
    assertThat(session.call("tools/list", new JsonObject()).result().getJsonArray("tools"))
        .contains(
            new JsonObject("{\"name\":\"odd__nulls\",\"inputSchema\":{\"type\":\"object\"}}"),
            new JsonObject(
                "{\"name\":\"odd__int\",\"inputSchema\":{\"type\":\"object\",\"properties\":"
                    + "{\"n\":{\"type\":\"integer\"}},\"required\":[\"n\"]}}"),
            new JsonObject("{\"name\":\"odd__rows\",\"inputSchema\":{\"type\":\"object\"}}"))
        .hasSize(4);
    assertThat(session.call("resources/list", new JsonObject()).result().getJsonArray("resources"))
        .containsExactly(new JsonObject("{\"uri\":\"a:b\",\"name\":\"a:b\"}"));
    assertThat(
            session
                .call("resources/templates/list", new JsonObject())
                .result()
                .getJsonArray("resourceTemplates"))
        .containsExactly(new JsonObject("{\"uriTemplate\":\"a:{x}\",\"name\":\"a:{x}\"}"));
    assertThat(session.call("prompts/list", new JsonObject()).result().getJsonArray("prompts"))
        .containsExactly(new JsonObject("{\"name\":\"odd__p\",\"arguments\":[{\"name\":\"a\"}]}"));
  }

  @Test
  void a_client_of_the_discover_era_sees_the_schema_of_any_output() {
    assertThat(client.discover("tools/list", new JsonObject()).result().getJsonArray("tools"))
        .contains(
            new JsonObject(
                "{\"name\":\"odd__rows\",\"inputSchema\":{\"type\":\"object\"},"
                    + "\"outputSchema\":{\"type\":\"array\"}}"));
  }

  @Test
  void the_endpoint_of_the_server_alone_keeps_its_bytes() {
    McpHttp own = new McpHttp(bus.port(), "/mcp/odd");
    assertThat(own.initialize().call("tools/list", new JsonObject()).body())
        .contains(TOOLS.substring(1, TOOLS.length() - 1));
  }

  @Test
  void calls_are_checked_against_the_mended_schema() {
    Http.Answer wrong = Http.post(bus.port(), "/api/servers/odd/tools/int", "{\"n\":\"x\"}");
    assertThat(wrong.status()).isEqualTo(422);
    assertThat(wrong.body()).contains("/n");
    assertThat(Http.post(bus.port(), "/api/servers/odd/tools/int", "{\"n\":4}").status())
        .isEqualTo(200);
  }

  @Test
  void the_status_says_what_is_odd_and_rest_lists_what_clients_read() {
    JsonObject status =
        (JsonObject)
            TestBus.await(
                    bus.vertx()
                        .eventBus()
                        .request(
                            Addresses.of(new ConnectionId("odd"), Addresses.STATUS),
                            new JsonObject()))
                .body();
    assertThat(status.getJsonObject("leftOutTools").getString("text")).contains("inputSchema");
    assertThat(status.getJsonObject("leftOutTools").fieldNames()).containsExactly("text");
    assertThat(status.getJsonArray("quirks").encode()).contains("ENTRY_SHAPE");
    JsonArray tools = Http.get(bus.port(), "/api/tools").json().getJsonArray("tools");
    assertThat(tools.stream().map(one -> ((JsonObject) one).getString("name")))
        .contains("odd.nulls", "odd.int", "odd.rows", "good.t")
        .doesNotContain("odd.text");
  }
}
