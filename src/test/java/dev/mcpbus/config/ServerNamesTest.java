package dev.mcpbus.config;

import static org.assertj.core.api.Assertions.assertThat;

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
    "git, git", "GIT, git", "My Server, my-server", "my_server, my-server",
    "'  a  b ', a-b", "@scope/server-x, scope-server-x", "\uFF47\uFF49\uFF54, git", "a--b, a-b"
  })
  void a_name_becomes_an_id(String name, String id) {
    ConfigResult result = named(name);
    assertThat(result.problems()).isEmpty();
    assertThat(result.usable().orElseThrow().servers().get(0).id().value()).isEqualTo(id);
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
      strings = {
        "",
        " ",
        "..",
        "*",
        "a.tools.call",
        "a.b",
        "tools",
        "Servers",
        "--",
        "a#b",
        "caf\u00e9",
        "\u0433\u0456\u0442",
        "\uD83D\uDE80",
        "a\\u0000b",
        "mcp/*"
      })
  void case_82_a_name_that_cannot_be_an_id_leaves_its_server_out(String name) {
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
  void a_look_alike_letter_is_named() {
    Sample sample = Sample.in(directory);
    assertThat(sample.texts(named("g\u0456t")).get(0))
        .contains("U+0456 CYRILLIC SMALL LETTER BYELORUSSIAN-UKRAINIAN I that looks like 'i'");
  }

  @Test
  void long_names_with_one_start_are_not_taken_for_one_another() {
    ConfigResult result = named("y".repeat(400), "y".repeat(401));
    assertThat(result.problems()).hasSize(2).noneMatch(ConfigProblem::fatal);
  }
}
