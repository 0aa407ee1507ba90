package dev.mcpbus.gateway;

import static dev.mcpbus.testing.McpHttp.names;
import static dev.mcpbus.testing.McpHttp.text;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.testing.McpHttp;
import dev.mcpbus.testing.McpHttp.Answer;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Two servers of the initialize era behind one endpoint, and clients of both eras. */
class GatewayTest {

  private static TestBus bus;

  @BeforeAll
  static void start() {
    JsonObject demo =
        new JsonObject()
            .put("type", "bus")
            .put("address", "mcpbus.demo")
            .put("protocolVersion", "2025-11-25");
    bus = TestBus.startWithBridge(new JsonObject().put("one", demo).put("two", demo.copy()));
  }

  @AfterAll
  static void close() {
    bus.close();
  }

  private static McpHttp all() {
    return new McpHttp(bus.port(), "/mcp");
  }

  private static JsonObject echo(String name, String text) {
    return new JsonObject().put("name", name).put("arguments", new JsonObject().put("text", text));
  }

  @Test
  void a_discover_client_discovers_lists_and_calls() {
    McpHttp client = all();
    JsonObject found = client.discover("server/discover", new JsonObject()).result();
    assertThat(found.getJsonArray("supportedVersions")).containsExactly("2026-07-28");
    assertThat(found.getString("resultType")).isEqualTo("complete");
    assertThat(found.getInteger("ttlMs")).isNotNegative();
    assertThat(found.getString("instructions")).contains("# one", "# two", "A demo.");

    JsonObject listed = client.discover("tools/list", new JsonObject()).result();
    assertThat(names(listed, "tools"))
        .containsExactly(
            "one__echo", "one__add", "one__clock", "two__echo", "two__add", "two__clock");
    assertThat(listed.getString("cacheScope")).isEqualTo("private");

    Answer called = client.discover("tools/call", echo("two__echo", "hällo"));
    assertThat(called.status()).isEqualTo(200);
    assertThat(called.isStream()).isFalse();
    assertThat(text(called.result())).isEqualTo("hällo");
    assertThat(called.result().getString("resultType")).isEqualTo("complete");
  }

  @Test
  void an_initialize_client_initializes_lists_and_calls() {
    McpHttp.Session session = all().initialize();
    assertThat(session.initialized().getString("protocolVersion")).isEqualTo("2025-11-25");
    assertThat(session.initialized().getString("instructions")).contains("# one", "# two");
    assertThat(names(session.call("tools/list", new JsonObject()).result(), "tools"))
        .contains("one__echo", "two__clock");
    JsonObject result = session.call("tools/call", echo("one__echo", "hi")).result();
    assertThat(text(result)).isEqualTo("hi");
    assertThat(result.containsKey("resultType")).isFalse();
    assertThat(session.call("ping", new JsonObject()).result()).isEmpty();
    assertThat(session.end()).isEqualTo(204);
    assertThat(session.call("ping", new JsonObject()).status()).isEqualTo(404);
  }

  @Test
  void a_view_of_one_server_has_its_own_names() {
    McpHttp client = new McpHttp(bus.port(), "/mcp/one");
    assertThat(names(client.discover("tools/list", new JsonObject()).result(), "tools"))
        .containsExactly("echo", "add", "clock");
    assertThat(text(client.discover("tools/call", echo("echo", "x")).result())).isEqualTo("x");
    assertThat(
            client.discover("server/discover", new JsonObject()).result().getString("instructions"))
        .isEqualTo("A demo. Call echo, add or clock.");
  }

  @Test
  void a_uri_that_two_servers_list_is_written_with_each_server_and_the_plain_one_is_refused() {
    McpHttp.Session session = all().initialize();
    JsonArray list =
        session.call("resources/list", new JsonObject()).result().getJsonArray("resources");
    assertThat(list)
        .extracting(entry -> ((JsonObject) entry).getString("uri"))
        .containsExactly("demo://one/readme", "demo://two/readme");
    for (String uri : List.of("demo://one/readme", "demo://two/readme", "mcp+two:demo://readme")) {
      JsonObject params = new JsonObject().put("uri", uri);
      JsonArray contents = session.call("resources/read", params).result().getJsonArray("contents");
      assertThat(contents)
          .extracting(one -> ((JsonObject) one).getString("uri"))
          .containsExactly(uri);
    }
    JsonObject plain = new JsonObject().put("uri", "demo://readme");
    JsonObject refused = session.call("resources/read", plain).error();
    assertThat(refused.getInteger("code")).isEqualTo(-32002);
    assertThat(refused.getJsonObject("data").getJsonArray("uris"))
        .containsExactly("demo://one/readme", "demo://two/readme");
    assertThat(all().discover("resources/read", plain).error().getInteger("code"))
        .isEqualTo(-32602);
    JsonObject discover =
        all().discover("resources/read", new JsonObject().put("uri", "demo://one/readme")).result();
    assertThat(discover.getInteger("ttlMs")).isZero();
    assertThat(discover.getString("cacheScope")).isEqualTo("private");
  }

  @Test
  void prompts_have_names_of_both_servers() {
    JsonObject greeting =
        all()
            .discover(
                "prompts/get",
                new JsonObject()
                    .put("name", "two__greet")
                    .put("arguments", new JsonObject().put("name", "Ada")))
            .result();
    assertThat(greeting.encode()).contains("Ada");
  }

  @Test
  void an_unknown_path_and_an_unknown_tool_are_said_to_be_so() {
    assertThat(
            new McpHttp(bus.port(), "/mcp/three").discover("tools/list", new JsonObject()).status())
        .isEqualTo(404);
    Answer unknown = all().discover("tools/call", echo("one__none", "x"));
    assertThat(unknown.error().getInteger("code")).isEqualTo(-32602);
    assertThat(all().discover("tasks/none", new JsonObject()).status()).isEqualTo(404);
  }
}
