package dev.mcpbus.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.directory.ViewOptions;
import dev.mcpbus.gateway.options.GatewayOptions;
import dev.mcpbus.internals.RecordCopy;
import dev.mcpbus.protocol.Glob;
import dev.mcpbus.testing.McpHttp;
import dev.mcpbus.testing.McpHttp.Answer;
import dev.mcpbus.testing.ScriptedPeer;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Selections of what the servers offer. */
class DirectoryViewTest {

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
                    "some",
                    new ViewOptions(
                        List.of("a"),
                        List.of("a.get_*", "a.file:*"),
                        List.of("a.get_secret"),
                        Map.of("a.get_one", "fetch"),
                        false,
                        false,
                        List.of()),
                    "folder",
                    new ViewOptions(
                        List.of("a"),
                        List.of("a.file:///open/*", "a.db:*"),
                        List.of("a.file:///open/secret*", "*.db:///b"),
                        Map.of(),
                        false,
                        false,
                        List.of()),
                    "prompts",
                    new ViewOptions(
                        List.of("a"),
                        List.of(),
                        List.of("a.secret"),
                        Map.of(),
                        false,
                        false,
                        List.of()),
                    "strict",
                    new ViewOptions(
                        List.of("a", "b"), List.of(), List.of(), Map.of(), true, false, List.of()),
                    "plain",
                    new ViewOptions(
                        List.of(),
                        List.of("a.get_one", "b.get_two", "*.set"),
                        List.of(),
                        Map.of(),
                        false,
                        false,
                        List.of(),
                        true))));
    for (String id : List.of("a", "b")) {
      Peers.initialize(
          bus,
          id,
          (method, params, connection) ->
              switch (method) {
                case "tools/list" -> Peers.tools("get_one", "get_two", "get_secret", "set");
                case "resources/list" ->
                    "\"result\":{\"resources\":[{\"uri\":\"file:///a\",\"name\":\"a\"},"
                        + "{\"uri\":\"db:///a\",\"name\":\"b\"}]}";
                case "resources/read" -> "\"result\":{\"contents\":[]}";
                default -> Peers.text(id + " " + params.getString("name"));
              });
    }
  }

  @AfterEach
  void close() {
    bus.close();
  }

  private McpHttp some() {
    return new McpHttp(bus.port(), "/mcp/some");
  }

  @Test
  void a_view_lists_what_is_allowed_and_not_denied_by_the_names_it_gives() {
    assertThat(McpHttp.names(some().discover("tools/list", new JsonObject()).result(), "tools"))
        .containsExactly("fetch", "a__get_two");
  }

  @Test
  void what_it_does_not_list_cannot_be_called_by_any_name() {
    assertThat(McpHttp.text(some().discover("tools/call", Peers.call("fetch")).result()))
        .isEqualTo("a get_one");
    for (String name : List.of("a__get_secret", "a__set", "b__get_one", "a__get_one", "get_two")) {
      Answer refused = some().discover("tools/call", Peers.call(name));
      assertThat(refused.error().getInteger("code")).as(name).isEqualTo(-32602);
    }
  }

  @Test
  void a_view_without_prefixes_has_the_servers_own_names_and_none_that_two_servers_have() {
    McpHttp plain = new McpHttp(bus.port(), "/mcp/plain");
    assertThat(McpHttp.names(plain.discover("tools/list", new JsonObject()).result(), "tools"))
        .containsExactly("get_one", "get_two");
    assertThat(McpHttp.text(plain.discover("tools/call", Peers.call("get_two")).result()))
        .isEqualTo("b get_two");
    for (String name : List.of("set", "a__set", "b__get_two")) {
      assertThat(plain.discover("tools/call", Peers.call(name)).error().getInteger("code"))
          .as(name)
          .isEqualTo(-32602);
    }
  }

  @Test
  void a_view_denies_a_name_in_every_form() {
    McpHttp view = new McpHttp(bus.port(), "/mcp/prompts");
    for (String name : List.of("secret", "SECRET", "sec\u200bret", "secret\u0000x")) {
      JsonObject prompt = new JsonObject().put("name", "a__" + name);
      JsonObject answer =
          view.initialize().call("prompts/get", prompt).json(); // which needs no header
      assertThat(answer.containsKey("error")).as(answer.encode()).isTrue();
    }
    JsonObject other = new JsonObject().put("name", "a__open");
    assertThat(view.initialize().call("prompts/get", other).json().encode()).contains("a open");
  }

  @Test
  void resources_are_held_to_the_same_globs() {
    JsonObject allowed = new JsonObject().put("uri", "file:///a");
    assertThat(some().discover("resources/read", allowed).result()).isNotNull();
    JsonObject denied = new JsonObject().put("uri", "db:///a");
    assertThat(some().discover("resources/read", denied).error().getInteger("code"))
        .isEqualTo(-32602);
    assertThat(
            some().discover("resources/list", new JsonObject()).result().getJsonArray("resources"))
        .hasSize(1);
  }

  @Test
  void a_view_decides_on_every_form_of_a_uri() {
    McpHttp folder = new McpHttp(bus.port(), "/mcp/folder");
    for (String read :
        List.of("file:///open/a", "file:///open/%61", "db:///a/../c", "db:///x?b", "db://B/c")) {
      JsonObject uri = new JsonObject().put("uri", read);
      assertThat(folder.discover("resources/read", uri).result()).as(read).isNotNull();
    }
    for (String denied :
        List.of(
            "file:///a",
            "file:///open/../a",
            "file:///open/%2e%2e/a",
            "file:///open/./secret.txt",
            "file:///open/%73ecret.txt",
            "file:///open/SECRET",
            "db:///a/../b",
            "DB:///b",
            "db:///%62")) {
      JsonObject uri = new JsonObject().put("uri", denied);
      assertThat(folder.discover("resources/read", uri).error().getInteger("code"))
          .as(denied)
          .isEqualTo(-32602);
    }
  }

  @Test
  void a_session_of_one_view_is_unknown_at_another() {
    McpHttp.Session session = some().initialize();
    Answer elsewhere =
        new McpHttp(bus.port(), "/mcp")
            .post(
                new JsonObject().put("jsonrpc", "2.0").put("id", 1).put("method", "ping"),
                session.headers());
    assertThat(elsewhere.status()).isEqualTo(404);
  }

  @Test
  void a_closed_view_lists_nothing_while_one_of_its_servers_is_down() {
    McpHttp strict = new McpHttp(bus.port(), "/mcp/strict");
    assertThat(strict.discover("tools/list", new JsonObject()).result().getJsonArray("tools"))
        .hasSize(8);
    bus.request("mcp.b.disconnect", new JsonObject());
    bus.awaitState("b", "IDLE");
    Answer down = strict.discover("tools/list", new JsonObject());
    assertThat(down.error().getString("message")).contains("[b]");
    assertThat(
            new McpHttp(bus.port(), "/mcp")
                .discover("tools/list", new JsonObject())
                .result()
                .getJsonArray("tools"))
        .hasSize(8);
  }

  @Test
  void a_name_that_two_tools_would_have_routes_nowhere() {
    bus.close();
    bus =
        TestBus.startWithGateway(
            new JsonObject(),
            RecordCopy.with(
                GatewayOptions.DEFAULT,
                "views",
                Map.of(
                    "clash",
                    new ViewOptions(
                        List.of(),
                        List.of(),
                        List.of(),
                        Map.of("a.x", "a__y"),
                        false,
                        false,
                        List.of()))));
    ScriptedPeer peer =
        Peers.initialize(
            bus,
            "a",
            (method, params, connection) ->
                method.equals("tools/list") ? Peers.tools("x", "y", "z") : Peers.text("called"));
    McpHttp clash = new McpHttp(bus.port(), "/mcp/clash");
    assertThat(McpHttp.names(clash.discover("tools/list", new JsonObject()).result(), "tools"))
        .containsExactly("a__z");
    assertThat(clash.discover("tools/call", Peers.call("a__y")).error().getInteger("code"))
        .isEqualTo(-32602);
    assertThat(peer.received("tools/call")).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "*,anything,true",
    "a.*,a.b,true",
    "a.*,b.a.b,false",
    "a.?,a.b,true",
    "a.?,a.bc,false",
    "*.get_*,a.get_b,true",
    "a*b*c,a1b2c,true",
    "a*b*c,a1b2,false",
    "a.b,a.bc,false",
    "a+,aa,false",
  })
  void globs(String glob, String text, boolean matches) {
    assertThat(Glob.matches(glob, text)).isEqualTo(matches);
  }
}
