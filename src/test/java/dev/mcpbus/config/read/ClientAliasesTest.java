package dev.mcpbus.config.read;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.config.ConfigResult;
import dev.mcpbus.config.ServerDefinition;
import dev.mcpbus.config.ServerResult;
import dev.mcpbus.config.ServerSettings;
import dev.mcpbus.protocol.Sensitive;
import dev.mcpbus.transport.HttpOptions;
import dev.mcpbus.transport.StdioOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What other programs call differently runs, and a note names our key. */
class ClientAliasesTest {

  @TempDir Path directory;

  private ConfigResult read(String... lines) {
    ConfigResult result = Sample.in(directory).server(lines);
    assertThat(result.problems()).isEmpty();
    return result;
  }

  private static ServerDefinition only(ConfigResult result) {
    return result.usable().orElseThrow().servers().get(0);
  }

  private String note(ConfigResult result) {
    assertThat(result.notes()).hasSize(1);
    return result.notes().get(0).toString().replace(directory + "/", "");
  }

  private static List<String> launch(ConfigResult result) {
    StdioOptions stdio = (StdioOptions) only(result).transport();
    List<String> all = new java.util.ArrayList<>(List.of(stdio.command().reveal()));
    stdio.args().stream().map(Sensitive::reveal).forEach(all::add);
    return all;
  }

  @Test
  void server_url_and_http_url_are_urls() {
    ConfigResult windsurf = read("\"serverUrl\": \"http://h/sse\"");
    assertThat(only(windsurf).transport().type()).isEqualTo("sse");
    assertThat(note(windsurf))
        .isEqualTo("mcp.json:3: server \"one\": \"serverUrl\" is read as \"url\". Write \"url\"");
    ConfigResult gemini = read("\"httpUrl\": \"http://h/sse\"");
    assertThat(only(gemini).transport()).isInstanceOf(HttpOptions.class);
    assertThat(note(gemini))
        .isEqualTo("mcp.json:3: server \"one\": \"httpUrl\" is read as \"url\". Write \"url\"");
  }

  @Test
  void headers_of_request_init_are_headers() {
    ConfigResult result =
        read(
            "\"url\": \"http://h/mcp\"",
            "\"requestInit\": {\"headers\": {\"Authorization\": \"Bearer canary\"}}");
    assertThat(((HttpOptions) only(result).transport()).headers())
        .containsEntry("Authorization", Sensitive.of("Bearer canary"));
    assertThat(note(result))
        .isEqualTo(
            "mcp.json:4: server \"one\": \"requestInit.headers\" is read as \"headers\". Write"
                + " \"headers\": { ... } in place of \"requestInit\"");
  }

  @Test
  void the_options_of_streams_are_headers_and_a_back_off() {
    ConfigResult result =
        read(
            "\"url\": \"http://h/mcp\"",
            "\"eventSourceInit\": {\"headers\": {\"X-A\": \"b\"}}",
            "\"reconnectionOptions\": {\"initialReconnectionDelay\": 250,"
                + " \"maxReconnectionDelay\": 4000, \"reconnectionDelayGrowFactor\": 1.5,"
                + " \"maxRetries\": 2}");
    ServerDefinition server = only(result);
    assertThat(((HttpOptions) server.transport()).streamHeaders())
        .containsEntry("X-A", Sensitive.of("b"));
    assertThat(server.restart().backoff().initial()).hasMillis(250);
    assertThat(server.restart().backoff().max()).hasMillis(4_000);
    assertThat(server.restart().backoff().factor()).isEqualTo(1.5);
    assertThat(server.restart().intensity().restarts()).isEqualTo(2);
  }

  @Test
  void a_command_as_a_list_is_a_program_and_its_arguments() {
    ConfigResult result = read("\"command\": [\"npx\", \"-y\", \"foo\"]", "\"args\": [\"bar\"]");
    assertThat(launch(result)).containsExactly("npx", "-y", "foo", "bar");
    assertThat(note(result))
        .isEqualTo(
            "mcp.json:3: server \"one\": \"command\" is a list; it is read as a program and its"
                + " arguments. Write \"command\": \"npx\", \"args\": [\"-y\", \"foo\", \"bar\"]");
  }

  @Test
  void a_command_with_its_arguments_is_split_at_blanks_and_shows_no_secret() {
    ConfigResult result = read("\"command\": \"npx -y foo --token sk-canary1\"");
    assertThat(launch(result)).containsExactly("npx", "-y", "foo", "--token", "sk-canary1");
    assertThat(note(result))
        .isEqualTo(
            "mcp.json:3: server \"one\": \"command\" holds arguments; it is read as a program and"
                + " its arguments. Write \"command\": \"npx\", \"args\": [\"-y\", \"foo\","
                + " \"--token\", \"***\"]");
    assertThat(only(result).view().encode()).doesNotContain("canary");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "'command': 'x', 'headers': {'a': 'b'}|'headers' is not used: it has no meaning for a server of"
            + " type 'stdio'. Remove it; a program takes 'env' and 'args'",
        "'command': 'x', 'tls': {'caFile': 'b'}|'tls' is not used: it has no meaning for a server of type"
            + " 'stdio'. Remove it, or set another 'type'",
        "'url': 'tcp://h:1', 'proxy': 'none'|'proxy' is not used",
        "'url': 'http://h/', 'args': ['a']|'args' is not used",
        "'address': 'a.b', 'headers': {'a': 'b'}|'headers' is not used"
      },
      quoteCharacter = '~')
  void a_key_of_another_type_is_told_and_costs_no_server(String entry, String note) {
    ConfigResult result = read(entry.replace('\'', '"'));
    assertThat(only(result).name()).isNotEmpty();
    assertThat(note(result)).contains(note.replace('\'', '"'));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"/opt/My App/run", "sh -c 'a b'", "a | b", "x; rm y", "a && b", "x $HOME", "a *"})
  void a_command_with_a_path_or_anything_for_a_shell_stays_as_it_is(String command) {
    ConfigResult result = read("\"command\": \"" + command + "\"");
    assertThat(launch(result)).containsExactly(command);
    assertThat(result.notes()).isEmpty();
  }

  @Test
  void a_command_as_an_object_is_program_arguments_and_environment() {
    ConfigResult result =
        read("\"command\": {\"path\": \"node\", \"args\": [\"x.js\"], \"env\": {\"A\": \"b\"}}");
    assertThat(launch(result)).containsExactly("node", "x.js");
    assertThat(note(result))
        .startsWith("mcp.json:3: server \"one\": \"command\" is an object; its");
  }

  @Test
  void what_means_two_things_is_a_problem() {
    Sample sample = Sample.in(directory);
    assertThat(sample.texts(sample.server("\"url\": \"http://h/\"", "\"httpUrl\": \"http://h/\"")))
        .containsExactly(
            "mcp.json:4: server \"one\": \"url\" and \"httpUrl\" mean the same. Keep one of them");
    assertThat(sample.texts(sample.server("\"command\": [[1]]")))
        .containsExactly(
            "mcp.json:3: server \"one\": \"command\" must be a string, not a list. Put it in"
                + " quotes");
  }

  @Test
  void an_entry_that_is_added_at_run_time_is_read_in_the_same_way() {
    ServerResult result =
        ConfigReader.readServer(
            "x",
            new io.vertx.core.json.JsonObject().put("serverUrl", "http://h/mcp"),
            Sample.in(directory).environment(),
            directory,
            ServerSettings.DEFAULT);
    assertThat(result.usable().orElseThrow().transport()).isInstanceOf(HttpOptions.class);
  }

  @Test
  void a_timeout_that_looks_like_seconds_is_a_note_that_shows_what_to_write() {
    ConfigResult result = read("\"command\": \"x\"", "\"timeout\": 60");
    assertThat(only(result).connection().requestTimeout()).isEqualTo(Duration.ofMillis(60));
    assertThat(note(result))
        .isEqualTo(
            "mcp.json:4: server \"one\": \"timeout\" counts milliseconds here, so calls end after"
                + " 60 ms. Write \"60s\" if seconds are meant, as in Cline and Roo");
  }
}
