package dev.mcpbus.config.read;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.config.ConfigProblem;
import dev.mcpbus.config.ConfigReport;
import dev.mcpbus.config.ConfigResult;
import dev.mcpbus.config.ServerDefinition;
import dev.mcpbus.config.ServerOrigin;
import dev.mcpbus.protocol.ServerId;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ServerNamesTest {

  @TempDir Path directory;

  private ConfigResult named(String... names) {
    StringBuilder text = new StringBuilder("{\"mcpServers\": {\n");
    for (String name : names) {
      text.append("\"").append(name).append("\": {\"command\": \"x\"},\n");
    }
    return Sample.in(directory).json(text.append("}}").toString());
  }

  @ParameterizedTest
  @CsvSource({
    "git, git",
    "GIT, git",
    "My Server, my-server",
    "my_server, my-server",
    "'  a  b ', a-b",
    "\uFF47\uFF49\uFF54, git",
    "a--b, a-b",
    "@scope/server-x, scope-server-x--215b4b68d373"
  })
  void a_name_becomes_an_id(String name, String id) {
    ConfigResult result = named(name);
    assertThat(result.problems()).isEmpty();
    ServerDefinition server = result.usable().orElseThrow().servers().get(0);
    assertThat(server.id().value()).isEqualTo(id);
    assertThat(server.name()).isEqualTo(name);
    assertThat(server.origin()).isNotNull().extracting(ServerOrigin::name).isEqualTo(name);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "io.github.ExampleOrg/devtools-mcp",
        "\u9ad8\u5fb7\u5730\u56fe",
        "\u041f\u043e\u0433\u043e\u0434\u0430",
        "B\u00fccher & Noten",
        "\uD83D\uDE80",
        "\uD83D\uDC68\u200D\uD83D\uDC69\u200D\uD83D\uDC67 \u2699\uFE0F",
        "..",
        "*",
        "a.tools.call",
        "tools",
        "Servers",
        "a#b",
        "C++",
        "mcp/*",
        "$(x) `y` %z% <b> 'q'",
        "x.y.z.x.y.z.x.y.z.x.y.z.x.y.z.x.y.z.x.y.z.x.y.z.x.y.z.x.y.z.x.y.z.x.y.z.x.y.z.x.y.z.x.y.z"
      })
  void any_name_that_people_can_read_runs_and_its_id_is_told_once(String name) {
    ConfigResult result = named("good", name);
    assertThat(result.problems()).isEmpty();
    ServerDefinition server = result.usable().orElseThrow().servers().get(1);
    assertThat(server.name()).isEqualTo(name);
    assertThat(server.id().value()).contains("--").isEqualTo(ServerId.of(name));
    assertThat(result.notes())
        .singleElement()
        .matches(
            note -> name.equals(note.server()) && note.message().contains(server.id().value()));
  }

  @Test
  void case_115_duplicate_names_are_all_listed_and_the_start_is_refused() {
    ConfigResult result = named("git", "GIT", "other", "git ", "\uFF47it", "g\u0456t", "gi\u200bt");
    assertThat(result.usable()).isEmpty();
    List<ConfigProblem> fatal = result.problems().stream().filter(ConfigProblem::fatal).toList();
    assertThat(fatal).hasSize(1);
    assertThat(fatal.get(0).message())
        .isEqualTo(
            "these names mean the same server \"git\": \"git\" (line 2), \"GIT\" (line 3),"
                + " \"git \" (line 5), \"\\uff47it\" (line 6), \"g\\u0456t\" (line 7),"
                + " \"gi\\u200bt\" (line 8)");
  }

  @Test
  void case_115_two_conflicts_are_two_problems() {
    ConfigResult result = named("a b", "x", "a_b", "X");
    assertThat(result.problems()).hasSize(2).allMatch(ConfigProblem::fatal);
  }

  @Test
  void case_115_the_same_key_twice_is_refused_with_both_lines() {
    Sample sample = Sample.in(directory);
    assertThat(sample.texts(named("git", "git")))
        .containsExactly(
            "mcp.json:3: the key \"git\" stands twice, on lines 2 and 3. Remove or rename one of"
                + " them");
    assertThat(sample.texts(sample.yaml("mcp_servers:\n  a: {command: x}\n  a: {command: y}\n")))
        .containsExactly(
            "mcp.yaml:3: the key \"a\" stands twice, on lines 2 and 3. Remove or rename one of"
                + " them");
    assertThat(named("git", "git").usable()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", " ", "--", "_", "a\\u0000b", "a\\u202eb", "gi\u200bt", "\uFEFFx", "\u00ADx"})
  void case_82_a_name_that_people_cannot_read_leaves_its_server_out(String name) {
    ConfigResult result = named("good", name);
    assertThat(result.problems())
        .singleElement()
        .matches(p -> !p.fatal() && p.line() == 3 && p.server() != null);
    assertThat(result.usable().orElseThrow().servers())
        .extracting(s -> s.id().value())
        .containsExactly("good");
    assertThat(ConfigReport.render(result.problems())).matches("[\\x20-\\x7e\\n]+");
  }

  @Test
  void case_82_a_name_of_10_kb_is_refused_with_a_short_message() {
    ConfigResult result = named("good", "x".repeat(10_240));
    assertThat(result.problems()).hasSize(1);
    assertThat(ConfigReport.render(result.problems())).hasSizeLessThan(1_000);
    assertThat(result.usable().orElseThrow().servers()).hasSize(1);
  }

  @Test
  void a_report_shows_the_letters_of_a_name_and_no_control_characters() {
    ConfigResult result =
        Sample.in(directory)
            .json("{\"mcpServers\": {\"\u9ad8\u5fb7\\u202e\": {\"command\": \"x\"}}}");
    assertThat(ConfigReport.render(result.problems()))
        .contains("server \"\u9ad8\u5fb7\\u202e\"", "U+202E RIGHT-TO-LEFT OVERRIDE");
  }

  @Test
  void long_names_with_one_start_are_not_taken_for_one_another() {
    ConfigResult result = named("y".repeat(400), "y".repeat(401));
    assertThat(result.problems()).isEmpty();
    assertThat(result.usable().orElseThrow().servers())
        .extracting(ServerDefinition::id)
        .doesNotHaveDuplicates();
  }
}
