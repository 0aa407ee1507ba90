package dev.mcpbus.config.read;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.config.ConfigProblem;
import dev.mcpbus.config.ConfigResult;
import dev.mcpbus.config.McpBusConfig;
import dev.mcpbus.config.RpcLogMode;
import dev.mcpbus.config.ServerDefinition;
import dev.mcpbus.config.ServerResult;
import dev.mcpbus.config.ServerSettings;
import dev.mcpbus.connection.options.ConnectionOptions.Validation;
import dev.mcpbus.connection.options.ConnectionOptions.WhenUnavailable;
import dev.mcpbus.protocol.Sensitive;
import dev.mcpbus.supervisor.RestartStrategy;
import dev.mcpbus.supervisor.RestartType;
import dev.mcpbus.transport.BusOptions;
import dev.mcpbus.transport.HttpOptions;
import dev.mcpbus.transport.StdioOptions;
import io.vertx.core.json.JsonObject;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConfigFilesTest {

  private static final Path CONF = Path.of("conf");

  @TempDir Path directory;

  private McpBusConfig conf(String file, Map<String, String> variables) {
    ConfigResult result =
        ConfigReader.read(CONF.resolve(file), Sample.in(directory).with(variables).environment());
    assertThat(result.problems()).isEmpty();
    return result.usable().orElseThrow();
  }

  private static ServerDefinition server(McpBusConfig config, String id) {
    return config.servers().stream()
        .filter(server -> server.id().value().equals(id))
        .findFirst()
        .orElseThrow();
  }

  private static StdioOptions stdio(McpBusConfig config, String id) {
    return (StdioOptions) server(config, id).transport();
  }

  @Test
  void the_default_configuration_has_the_two_demo_servers() {
    McpBusConfig config = conf("mcpbus.json", Map.of());
    assertThat(config.host()).isEqualTo("127.0.0.1");
    assertThat(config.port()).isEqualTo(8790);
    assertThat(config.strategy()).isEqualTo(RestartStrategy.ONE_FOR_ONE);
    assertThat(config.startConcurrency()).isEqualTo(16);
    assertThat(server(config, "demo").transport()).isEqualTo(new BusOptions("mcpbus.demo"));
    StdioOptions stdio = stdio(config, "demo-stdio");
    assertThat(stdio.command().reveal()).isEqualTo("/jdk/bin/java");
    assertThat(stdio.args())
        .extracting(Sensitive::reveal)
        .containsExactly("-cp", "/opt/mcpbus.jar", "dev.mcpbus.demo.DemoServer");
  }

  @Test
  void a_claude_desktop_file_runs_as_it_is() {
    McpBusConfig config = conf("examples/claude_desktop_config.json", Map.of());
    assertThat(config.servers())
        .extracting(s -> s.id().value())
        .containsExactly("filesystem", "github");
    assertThat(stdio(config, "filesystem").args())
        .extracting(Sensitive::reveal)
        .contains("/home/ada/Documents");
    assertThat(stdio(config, "github").env())
        .containsEntry("GITHUB_PERSONAL_ACCESS_TOKEN", Sensitive.of("put-your-token-here"));
    assertThat(server(config, "github").connection().requestTimeout())
        .isEqualTo(Duration.ofSeconds(60));
  }

  @Test
  void a_vs_code_file_with_comments_and_inputs_runs_as_it_is() {
    McpBusConfig config = conf("examples/vscode/mcp.json", Map.of("MCPBUS_INPUT_SEARCH_KEY", "k"));
    HttpOptions http = (HttpOptions) server(config, "search").transport();
    assertThat(http.headers()).containsEntry("Authorization", Sensitive.of("Bearer k"));
    Path folder = CONF.resolve("examples/vscode").toAbsolutePath();
    assertThat(stdio(config, "playwright").cwd()).isEqualTo(Sensitive.of(folder.toString()));
    assertThat(stdio(config, "playwright").args())
        .extracting(Sensitive::reveal)
        .contains(folder + "/out");
    assertThat(stdio(config, "playwright").env()).isEmpty();
  }

  @Test
  void a_vs_code_file_without_its_input_names_the_input_and_its_description() {
    ConfigResult result =
        ConfigReader.read(
            CONF.resolve("examples/vscode/mcp.json"), Sample.in(directory).environment());
    assertThat(result.problems())
        .extracting(ConfigProblem::toString)
        .containsExactly(
            "conf/examples/vscode/mcp.json:15: server \"search\": the input \"search-key\" (API key"
                + " of the search service) has no value. Set the variable"
                + " MCPBUS_INPUT_SEARCH_KEY");
    assertThat(result.usable().orElseThrow().servers()).hasSize(1);
  }

  @Test
  void the_workspace_is_the_folder_above_an_editors_own_folder() {
    for (String folder : List.of(".vscode/mcp.json", ".cursor/mcp.json", ".mcp.json")) {
      ConfigResult result =
          Sample.in(directory)
              .read(folder, "{\"servers\": {\"a\": {\"command\": \"${workspaceFolder}/x\"}}}");
      assertThat(stdio(result.usable().orElseThrow(), "a").command().reveal())
          .isEqualTo(directory + "/x");
    }
  }

  @Test
  void a_cursor_file_runs_as_it_is() {
    McpBusConfig config = conf("examples/cursor/mcp.json", Map.of());
    assertThat(stdio(config, "local-notes").env())
        .containsEntry("NOTES_HOME", Sensitive.of("/var/notes"));
    assertThat(stdio(config, "local-notes").args())
        .extracting(Sensitive::reveal)
        .containsExactly(
            CONF.resolve("examples/cursor/notes/server.js").toAbsolutePath().toString());
    assertThat(server(config, "remote-docs").name()).isEqualTo("remote docs");
    assertThat(server(config, "remote-docs").view().getString("url"))
        .isEqualTo("https://docs.example/mcp?***");
  }

  @Test
  void the_seeds_yaml_runs_as_it_is_and_counts_seconds() {
    McpBusConfig config = conf("examples/servers.yaml", Map.of());
    ServerDefinition files = server(config, "files");
    assertThat(files.connection().requestTimeout()).isEqualTo(Duration.ofSeconds(30));
    assertThat(files.restart().intensity().restarts()).isEqualTo(3);
    assertThat(files.restart().backoff().initial()).isEqualTo(Duration.ofMillis(500));
    assertThat(files.restart().backoff().max()).isEqualTo(Duration.ofSeconds(10));
    assertThat(stdio(config, "memory").env())
        .containsEntry("MEMORY_LIMIT", Sensitive.of("100"))
        .containsEntry("VERBOSE", Sensitive.of("true"));
    assertThat(server(config, "memory").connection().lazy()).isTrue();
    assertThat(server(config, "memory").connection().idleStop()).isEqualTo(Duration.ofMinutes(5));
  }

  @Test
  void a_retry_may_be_a_number_or_false() {
    ConfigResult result =
        Sample.in(directory)
            .yaml("mcp_servers:\n  a: {command: x, retry: 2}\n  b: {command: x, retry: false}\n");
    assertThat(result.problems()).isEmpty();
    assertThat(result.usable().orElseThrow().servers())
        .extracting(s -> s.restart().intensity().restarts())
        .containsExactly(2, 0);
  }

  @Test
  void every_key_of_our_own_file_is_read() {
    String all =
        """
        "command": "x", "requestTimeout": "20s", "handshakeTimeout": 1500, "maxCallDuration": "1h",
        "lazy": true, "idleStop": "2m", "toolsOnly": true,
        "renewable": true, "validate": "always", "rpcLog": "bus",
        "whenUnavailable": "refuse", "maxPending": 7, "maxStash": 8, "maxPages": 9,
        "limits": {"maxMessageBytes": 2048, "maxDepth": 64, "maxNumberLength": 99},
        "ping": {"interval": 0, "timeout": "3s", "threshold": 5},
        "healthCheck": {"interval": "2m"},
        "pin": {"echo": "SHA256-A85008edb2a361a39358ef9a40ccff45a3a4938fd90bb7d55450a050284e4723"},
        "restart": {"type": "transient", "intensity": {"restarts": 1, "period": "10s"},
          "backoff": {"initial": 5, "max": "6s", "factor": 1.5, "jitter": 0.5},
          "reprobe": 0, "quietPeriod": "3m"},
        "closeGrace": "4s", "drain": "6s"
        """;
    ServerDefinition one = Sample.in(directory).good(all);
    assertThat(one.connection().requestTimeout()).isEqualTo(Duration.ofSeconds(20));
    assertThat(one.connection().handshakeTimeout()).isEqualTo(Duration.ofMillis(1500));
    assertThat(one.connection().maxCallDuration()).isEqualTo(Duration.ofHours(1));
    assertThat(one.connection().lazy()).isTrue();
    assertThat(one.connection().idleStop()).isEqualTo(Duration.ofMinutes(2));
    assertThat(one.connection().toolsOnly()).isTrue();
    assertThat(one.connection().renewable()).isTrue();
    assertThat(one.connection().validation()).isEqualTo(Validation.ALWAYS);
    assertThat(one.connection().whenUnavailable()).isEqualTo(WhenUnavailable.REFUSE);
    assertThat(one.connection().maxPending()).isEqualTo(7);
    assertThat(one.connection().maxStash()).isEqualTo(8);
    assertThat(one.connection().maxPages()).isEqualTo(9);
    assertThat(one.connection().limits().maxBytes()).isEqualTo(2048);
    assertThat(one.connection().limits().maxDepth()).isEqualTo(64);
    assertThat(one.connection().limits().maxNumberLength()).isEqualTo(99);
    assertThat(one.connection().healthInterval()).isEqualTo(Duration.ofMinutes(2));
    assertThat(one.connection().pin().firstUse()).isFalse();
    assertThat(one.connection().pin().hashes())
        .containsExactly(
            Map.entry(
                "echo", "sha256-a85008edb2a361a39358ef9a40ccff45a3a4938fd90bb7d55450a050284e4723"));
    assertThat(one.connection().pingInterval()).isZero();
    assertThat(one.connection().pingTimeout()).isEqualTo(Duration.ofSeconds(3));
    assertThat(one.connection().pingThreshold()).isEqualTo(5);
    assertThat(one.restart().type()).isEqualTo(RestartType.TRANSIENT);
    assertThat(one.restart().intensity().restarts()).isEqualTo(1);
    assertThat(one.restart().intensity().period()).isEqualTo(Duration.ofSeconds(10));
    assertThat(one.restart().backoff().initial()).isEqualTo(Duration.ofMillis(5));
    assertThat(one.restart().backoff().max()).isEqualTo(Duration.ofSeconds(6));
    assertThat(one.restart().backoff().factor()).isEqualTo(1.5);
    assertThat(one.restart().backoff().jitter()).isEqualTo(0.5);
    assertThat(one.restart().reprobe()).isZero();
    assertThat(one.restart().quietPeriod()).isEqualTo(Duration.ofMinutes(3));
    assertThat(one.rpcLog()).isEqualTo(RpcLogMode.BUS);
    assertThat(one.drain()).isEqualTo(Duration.ofSeconds(6));
    StdioOptions stdio = (StdioOptions) one.transport();
    assertThat(stdio.closeGrace()).isEqualTo(Duration.ofSeconds(4));
    assertThat(stdio.limits().maxBytes()).isEqualTo(2048);
  }

  @Test
  void defaults_hold_for_every_server_that_does_not_say_otherwise() {
    ConfigResult result =
        Sample.in(directory)
            .json(
                """
                {"rpcLog": true, "bridge": {"host": "localhost", "port": 0},
                 "supervisor": {"strategy": "rest-for-one", "startConcurrency": 4},
                 "defaults": {"requestTimeout": "9s", "restart": {"backoff": {"max": "7s"}}},
                 "mcpServers": {
                  "a": {"url": "http://127.0.0.1:1/mcp", "connectTimeout": 77, "listen": false},
                  "b": {"command": "x", "requestTimeout": 5, "rpcLog": "off",
                        "restart": {"backoff": {"initial": "1s"}}}}}
                """);
    assertThat(result.problems()).isEmpty();
    McpBusConfig config = result.usable().orElseThrow();
    assertThat(config.host()).isEqualTo("localhost");
    assertThat(config.port()).isZero();
    assertThat(config.strategy()).isEqualTo(RestartStrategy.REST_FOR_ONE);
    assertThat(config.startConcurrency()).isEqualTo(4);
    ServerDefinition a = server(config, "a");
    assertThat(a.connection().requestTimeout()).isEqualTo(Duration.ofSeconds(9));
    assertThat(a.rpcLog()).isEqualTo(RpcLogMode.ON);
    assertThat(((HttpOptions) a.transport()).connectTimeout()).isEqualTo(Duration.ofMillis(77));
    assertThat(((HttpOptions) a.transport()).listen()).isFalse();
    ServerDefinition b = server(config, "b");
    assertThat(b.connection().requestTimeout()).isEqualTo(Duration.ofMillis(5));
    assertThat(b.rpcLog()).isEqualTo(RpcLogMode.OFF);
    assertThat(b.restart().backoff().initial()).isEqualTo(Duration.ofSeconds(1));
    assertThat(b.restart().backoff().max()).isEqualTo(Duration.ofSeconds(7));
    assertThat(result.defaults().connection().requestTimeout()).isEqualTo(Duration.ofSeconds(9));
  }

  @Test
  void types_are_understood_by_all_their_names_and_inferred() {
    Sample sample = Sample.in(directory);
    for (String type : List.of("http", "streamable-http", "streamableHttp")) {
      assertThat(
              sample.good("\"type\": \"" + type + "\"", "\"url\": \"https://h/mcp\"").transport())
          .isInstanceOf(HttpOptions.class);
    }
    assertThat(sample.good("\"url\": \"https://h/mcp\"").transport())
        .isInstanceOf(HttpOptions.class);
    assertThat(sample.good("\"command\": \"x\"").transport()).isInstanceOf(StdioOptions.class);
    assertThat(sample.good("\"address\": \"a\"").transport()).isInstanceOf(BusOptions.class);
  }

  @Test
  void a_disabled_server_is_skipped_with_all_its_mistakes() {
    ConfigResult result =
        Sample.in(directory)
            .json(
                """
                {"mcpServers": {"a.b": {"command": "${NOT_SET}", "disabled": true},
                 "c": {"type": "sse", "url": "u", "enabled": false}, "d": {"command": "x"}}}
                """);
    assertThat(result.problems()).isEmpty();
    assertThat(result.usable().orElseThrow().servers()).hasSize(1);
  }

  @Test
  void an_entry_at_run_time_is_read_by_the_same_rules() {
    Sample sample = Sample.in(directory);
    ServerResult good =
        ConfigReader.readServer(
            "My Server",
            new JsonObject().put("command", "x").put("timeout", 5).put("cwd", "sub"),
            sample.environment(),
            directory,
            ServerSettings.DEFAULT);
    assertThat(good.problems()).isEmpty();
    ServerDefinition definition = good.usable().orElseThrow();
    assertThat(definition.id().value()).isEqualTo("my-server");
    assertThat(definition.connection().requestTimeout()).isEqualTo(Duration.ofMillis(5));
    assertThat(((StdioOptions) definition.transport()).cwd())
        .isEqualTo(Sensitive.of(directory.resolve("sub").toString()));

    ServerResult bad =
        ConfigReader.readServer(
            "a\u200b",
            new JsonObject().put("comand", "x").put("env", new JsonObject().put("A", "${NOPE}")),
            sample.environment(),
            directory,
            ServerSettings.DEFAULT);
    assertThat(bad.usable()).isEmpty();
    assertThat(bad.problems()).hasSize(2).allMatch(p -> !p.fatal() && p.line() == 0);
  }
}
