package dev.mcpbus;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.config.ConfigEnvironment;
import dev.mcpbus.config.ConfigResult;
import dev.mcpbus.config.McpBusConfig;
import dev.mcpbus.config.read.ConfigReader;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine.ParseResult;

/** What people copy into the files of their editors: it can be read, and mcpbus understands it. */
class EditorSnippetsTest {

  private static final Path BASE = Path.of(System.getProperty("mcpbus.basedir", "."));
  private static final Path PAGE = BASE.resolve("src/docs/editors.md");
  private static final Path EXAMPLES = BASE.resolve("conf/examples/editors");
  private static final Pattern BLOCK = Pattern.compile("```json\n(.*?)```", Pattern.DOTALL);
  private static final Pattern SHELL = Pattern.compile("```sh\n(.*?)```", Pattern.DOTALL);

  @TempDir private Path folder;

  static Stream<String> texts() throws IOException {
    try (Stream<Path> files = Files.list(EXAMPLES)) {
      List<String> examples = files.sorted().map(EditorSnippetsTest::text).toList();
      assertThat(examples).hasSize(4);
      List<String> blocks =
          BLOCK.matcher(text(PAGE)).results().map(block -> block.group(1)).toList();
      assertThat(blocks).hasSize(4);
      return Stream.concat(examples.stream(), blocks.stream());
    }
  }

  private static String text(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @ParameterizedTest
  @MethodSource("texts")
  void each_snippet_is_a_configuration_with_a_server_that_mcpbus_serves(String text)
      throws IOException {
    Path file = Files.writeString(folder.resolve("snippet.json"), text);
    ConfigResult result =
        ConfigReader.read(
            file,
            ConfigEnvironment.system()
                .withVariables(
                    Map.of(
                        "MCP_GATEWAY_KEY", "k", "MCPBUS_INPUT_MCPBUS_KEY", "k", "PATH", "/bin")));
    assertThat(result.problems()).isEmpty();
    McpBusConfig config = result.usable().orElseThrow();
    assertThat(config.servers()).isNotEmpty();

    JsonObject json = new JsonObject(text);
    JsonObject servers = json.getJsonObject("mcpServers", json.getJsonObject("servers"));
    for (String name : servers.fieldNames()) {
      JsonObject server = servers.getJsonObject(name);
      if (server.containsKey("command")) {
        assertThat(server.getString("command")).isEqualTo("java");
        understands(server.getJsonArray("args").stream().map(String::valueOf).toList());
      } else {
        assertThat(server.getString("url")).isEqualTo("http://127.0.0.1:8790/mcp");
      }
    }
  }

  @Test
  void each_command_of_the_page_is_understood() {
    Matcher matcher = SHELL.matcher(text(PAGE));
    assertThat(matcher.find()).isTrue();
    List<String> lines = matcher.group(1).lines().toList();
    assertThat(lines).isNotEmpty();
    for (String line : lines) {
      int start = line.indexOf(" -- java ");
      if (start >= 0) {
        understands(List.of(line.substring(start + " -- java ".length()).split(" ")));
      } else {
        assertThat(line).endsWith("http://127.0.0.1:8790/mcp");
      }
    }
  }

  /** Without {@code java}: the jar, and then what {@code --stdio} takes. */
  private static void understands(List<String> arguments) {
    assertThat(arguments).startsWith("-jar", "/opt/mcpbus/mcpbus.jar");
    ParseResult parsed =
        Main.commandLine().parseArgs(arguments.subList(2, arguments.size()).toArray(String[]::new));
    assertThat(parsed.subcommand().commandSpec().name()).isEqualTo("--stdio");
    assertThat(new JsonArray(parsed.subcommand().originalArgs())).isNotEmpty();
  }
}
