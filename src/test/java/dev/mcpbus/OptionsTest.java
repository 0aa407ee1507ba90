package dev.mcpbus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mcpbus.bridge.options.BridgeOptions;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.config.ServerDefinition;
import dev.mcpbus.security.AuthOptions;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The ways to make {@link McpBus.Options}. */
class OptionsTest {

  private static final JsonObject CAT = new JsonObject().put("command", "cat");

  @TempDir Path folder;

  @Test
  void a_file_gives_its_servers_and_settings() throws IOException {
    McpBus.Options options =
        McpBus.Options.of(
            file(
                """
                {
                  // Comments are fine.
                  "mcpServers": {"cat": {"command": "cat"}, "docs": {"url": "http://127.0.0.1:1/mcp"}},
                  "catalog": {"search": true},
                  "supervisor": {"startConcurrency": 3}
                }
                """));

    assertThat(ids(options)).containsExactly("cat", "docs");
    assertThat(options.search()).isTrue();
    assertThat(options.supervisor().startConcurrency()).isEqualTo(3);
    assertThat(options.bridge()).isNull();
    assertThat(options.problems()).isEmpty();
  }

  @Test
  void a_server_with_a_mistake_is_left_out_and_the_problems_name_it() throws IOException {
    McpBus.Options options =
        McpBus.Options.of(
            file("{\"mcpServers\": {\"cat\": {\"command\": \"cat\"}, \"none\": {\"args\": []}}}"));

    assertThat(ids(options)).containsExactly("cat");
    assertThat(options.problems())
        .isNotEmpty()
        .allSatisfy(problem -> assertThat(problem.server()).isEqualTo("none"));
  }

  @Test
  void a_file_that_cannot_be_used_is_refused_with_its_mistakes() throws IOException {
    Path broken = file("{\"mcpServers\": ");

    assertThatThrownBy(() -> McpBus.Options.of(broken))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("mcp.json:1");
    assertThatThrownBy(() -> McpBus.Options.of(folder.resolve("missing.json")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("does not exist");
  }

  @Test
  void a_document_is_read_like_a_file() {
    JsonObject servers = new JsonObject().put("cat", CAT);

    McpBus.Options silent = McpBus.Options.of(new JsonObject().put("mcpServers", servers));
    McpBus.Options served =
        McpBus.Options.of(
            new JsonObject()
                .put("mcpServers", servers)
                .put("bridge", new JsonObject().put("port", 0)));

    assertThat(ids(silent)).containsExactly("cat");
    assertThat(silent.bridge()).isNull();
    assertThat(served.bridge()).isEqualTo(BridgeOptions.DEFAULT.withPort(0));
  }

  @Test
  void a_document_may_be_without_servers_but_not_with_a_misspelt_key() {
    assertThat(McpBus.Options.of(new JsonObject()).servers()).isEmpty();
    assertThat(
            McpBus.Options.of(new JsonObject().put("bridge", new JsonObject().put("port", 0)))
                .bridge())
        .isNotNull();
    assertThatThrownBy(() -> McpBus.Options.of(new JsonObject().put("mcpServer", new JsonObject())))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("mcpServers");
  }

  @Test
  void entries_are_added_one_by_one() {
    McpBus.Options options =
        McpBus.Options.of()
            .withServer("cat", CAT)
            .withServer("docs", new JsonObject().put("url", "http://127.0.0.1:1/mcp"))
            .withPort(0);

    assertThat(ids(options)).containsExactly("cat", "docs");
    assertThat(options.bridge()).isEqualTo(BridgeOptions.DEFAULT.withPort(0));
    assertThatThrownBy(() -> options.withServer("none", new JsonObject()))
        .isInstanceOf(McpFailure.class)
        .hasMessageContaining("command");
  }

  @Test
  void a_bridge_beyond_loopback_needs_a_login_whatever_comes_first() {
    BridgeOptions open =
        BridgeOptions.DEFAULT
            .withAllowed(Set.of("mcp.example.com"), Set.of())
            .withRemote(true)
            .withHost("0.0.0.0");

    assertThatThrownBy(() -> McpBus.Options.of().withBridge(open))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("without a login");
    McpBus.Options locked =
        McpBus.Options.of()
            .withAuth(
                AuthOptions.ofKeys(
                    List.of(
                        new AuthOptions.ApiKey(
                            "ada", "sha256:" + "0".repeat(64), Set.of(), false, null, null))))
            .withBridge(open);
    assertThatThrownBy(() -> locked.withAuth(AuthOptions.NONE))
        .isInstanceOf(IllegalArgumentException.class);
  }

  private static List<String> ids(McpBus.Options options) {
    return options.servers().stream().map(ServerDefinition::name).toList();
  }

  private Path file(String text) throws IOException {
    return Files.writeString(folder.resolve("mcp.json"), text);
  }
}
