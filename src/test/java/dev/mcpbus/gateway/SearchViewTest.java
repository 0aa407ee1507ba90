package dev.mcpbus.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.directory.ViewOptions;
import dev.mcpbus.gateway.options.GatewayOptions;
import dev.mcpbus.internals.RecordCopy;
import dev.mcpbus.testing.McpHttp;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A view that lists three tools in place of all. */
class SearchViewTest {

  private TestBus bus;

  @BeforeEach
  void start() {
    bus =
        TestBus.startWithGateway(
            new JsonObject(),
            RecordCopy.with(
                GatewayOptions.DEFAULT,
                "views",
                Map.of(
                    "big",
                    new ViewOptions(
                        List.of("a"),
                        List.of(),
                        List.of("a.get_secret"),
                        Map.of("a.get_one", "fetch"),
                        false,
                        true,
                        List.of()))));
    for (String id : List.of("a", "b")) {
      Peers.discover(
          bus,
          id,
          (method, params, connection) ->
              method.equals("tools/list")
                  ? Peers.tools("get_one", "get_two", "get_secret")
                  : Peers.text(id + " " + params.getString("name")));
    }
  }

  @AfterEach
  void close() {
    bus.close();
  }

  private JsonObject discover(String tool, JsonObject arguments) {
    return new McpHttp(bus.port(), "/mcp/big")
        .discover("tools/call", new JsonObject().put("name", tool).put("arguments", arguments))
        .result();
  }

  private static JsonObject name(String name) {
    return new JsonObject().put("name", name);
  }

  @Test
  void a_search_has_no_long_arguments() {
    JsonObject refused =
        discover("search_tools", new JsonObject().put("query", "").put("x", "a".repeat(70_000)));
    assertThat(refused.getBoolean("isError")).isTrue();
    assertThat(McpHttp.text(refused)).contains("65536 bytes");
  }

  @Test
  void it_lists_the_three_alone_and_finds_what_it_admits_by_its_own_names() {
    McpHttp big = new McpHttp(bus.port(), "/mcp/big");
    assertThat(McpHttp.names(big.discover("tools/list", new JsonObject()).result(), "tools"))
        .containsExactly("search_tools", "describe_tool", "call_tool");
    JsonObject found = discover("search_tools", new JsonObject().put("query", ""));
    assertThat(McpHttp.names(found.getJsonObject("structuredContent"), "tools"))
        .containsExactlyInAnyOrder("fetch", "a__get_two");
    JsonObject elsewhere = new JsonObject().put("query", "").put("servers", List.of("b"));
    assertThat(discover("search_tools", elsewhere).getBoolean("isError")).isTrue();
  }

  @Test
  void it_describes_and_calls_what_it_has_found_and_nothing_else() {
    JsonObject described = discover("describe_tool", name("fetch"));
    assertThat(described.getJsonObject("structuredContent").getString("name")).isEqualTo("fetch");
    assertThat(McpHttp.text(discover("call_tool", name("fetch")))).isEqualTo("a get_one");
    assertThat(McpHttp.text(discover("a__get_two", new JsonObject()))).isEqualTo("a get_two");
    for (String hidden : List.of("a__get_secret", "b__get_one", "a__get_one", "search_tools")) {
      for (String tool : List.of("describe_tool", "call_tool")) {
        JsonObject refused = discover(tool, name(hidden));
        assertThat(refused.getBoolean("isError")).as(tool + " " + hidden).isTrue();
        assertThat(McpHttp.text(refused)).contains("UNKNOWN_TOOL", "search_tools");
      }
    }
    JsonObject wrong = discover("call_tool", name("fetch").put("arguments", "text"));
    assertThat(McpHttp.text(wrong)).contains("BAD_REQUEST", "must be an object");
  }

  @Test
  void sessions_have_the_three_as_well() {
    McpHttp.Session session = new McpHttp(bus.port(), "/mcp/big").initialize();
    assertThat(McpHttp.names(session.call("tools/list", new JsonObject()).result(), "tools"))
        .hasSize(3);
    JsonObject call = Peers.call("call_tool").put("arguments", name("a__get_two"));
    assertThat(McpHttp.text(session.call("tools/call", call).result())).isEqualTo("a get_two");
  }

  @Test
  void other_views_have_no_such_tools() {
    McpHttp all = new McpHttp(bus.port(), "/mcp");
    assertThat(all.discover("tools/call", Peers.call("search_tools")).error().getInteger("code"))
        .isEqualTo(-32602);
  }
}
