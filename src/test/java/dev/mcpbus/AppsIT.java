package dev.mcpbus;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.testing.NpmServers;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * MCP Apps: the servers and the host side of the official packages, with two instances of one
 * server that name their user interface alike.
 */
class AppsIT {

  private static final String CLOCK = "@modelcontextprotocol/server-basic-vanillajs/dist/index.js";
  private static final String MAP = "@modelcontextprotocol/server-map/dist/index.js";

  @TempDir static Path folder;

  private static TestBus bus;

  @BeforeAll
  static void start() {
    bus =
        TestBus.startWithBridge(
            new JsonObject()
                .put("app-a", clock("app-a"))
                .put("app-b", clock("app-b"))
                .put("map", NpmServers.stdio(MAP, "--stdio")));
    List.of("app-a", "app-b", "map").forEach(id -> bus.awaitState(id, "READY"));
  }

  @AfterAll
  static void close() {
    bus.close();
  }

  /** A clock that tells its id in place of the time, and in its user interface. */
  private static JsonObject clock(String id) {
    String telling =
        "import%20fs%20from'node:fs/promises';fs.readFile=async()=>'html:"
            + id
            + "';"
            + "Date.prototype.toISOString=()=>'time:"
            + id
            + "'";
    return NpmServers.stdio(CLOCK, "--stdio")
        .put(
            "env",
            new JsonObject().put("NODE_OPTIONS", "--import=data:text/javascript," + telling));
  }

  /** What a host and its app get. */
  private static JsonObject hosted(String kind, String path, String tool, String... called)
      throws IOException, InterruptedException {
    String script = Path.of("src", "test", "npm", "apps-host.mjs").toAbsolutePath().toString();
    List<String> args =
        new ArrayList<>(List.of(script, kind, "http://127.0.0.1:" + bus.port() + path, tool));
    args.addAll(List.of(called));
    return new JsonObject(NpmServers.run(folder, args.toArray(String[]::new)));
  }

  @ParameterizedTest
  @CsvSource({"v2-legacy,app-a", "v2-legacy,app-b", "v2-modern,app-a", "v2-modern,app-b"})
  void of_two_servers_with_one_uri_each_shows_its_own_app_and_answers_its_calls(
      String kind, String id) throws Exception {
    String tool = id + "__get-time";
    JsonObject seen = hosted(kind, "/mcp", tool, tool, "get-time");
    assertThat(seen.getString("uri")).isEqualTo("ui://" + id + "/get-time/mcp-app.html");
    assertThat(seen.getJsonObject("content").getString("html")).isEqualTo("html:" + id);
    assertThat(seen.getJsonObject("content").getString("uri")).isEqualTo(seen.getString("uri"));
    assertThat(seen.getString("shown")).isEqualTo("time:" + id);
    assertThat(seen.getString("toolInfo")).isEqualTo(tool);
    assertThat(seen.getJsonObject("called").getString(tool)).isEqualTo("time:" + id);
    assertThat(seen.getJsonObject("called").getString("get-time"))
        .as("a name that two servers have leads to none of them")
        .startsWith("error:")
        .contains("app-a__get-time", "app-b__get-time");
  }

  @ParameterizedTest
  @CsvSource({"v2-legacy,app-a", "v2-modern,app-b"})
  void at_its_own_endpoint_an_app_runs_unchanged(String kind, String id) throws Exception {
    JsonObject seen = hosted(kind, "/mcp/" + id, "get-time", "get-time");
    assertThat(seen.getString("uri")).isEqualTo("ui://get-time/mcp-app.html");
    assertThat(seen.getJsonObject("content").getString("html")).isEqualTo("html:" + id);
    assertThat(seen.getJsonObject("called").getString("get-time")).isEqualTo("time:" + id);
  }

  @ParameterizedTest
  @ValueSource(strings = {"v2-legacy", "v2-modern"})
  void an_app_of_one_server_calls_by_its_servers_own_names_through_all(String kind)
      throws Exception {
    JsonObject seen = hosted(kind, "/mcp", "map__show-map", "show-map");
    assertThat(seen.getString("uri")).isEqualTo("ui://cesium-map/mcp-app.html");
    assertThat(seen.getJsonObject("content").getString("mimeType"))
        .isEqualTo("text/html;profile=mcp-app");
    assertThat(seen.getJsonObject("called").getString("show-map"))
        .isEqualTo(seen.getString("shown"))
        .doesNotStartWith("error:");
    assertThat(seen.getJsonArray("tools")).contains("map__geocode");
  }
}
