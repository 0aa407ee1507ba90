package dev.mcpbus.config.read;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.config.ConfigProblem;
import dev.mcpbus.config.ConfigReport;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ConfigReportTest {

  private static ConfigProblem problem(String file, int line, String server, String message) {
    return new ConfigProblem(file, line, server, message, "Do this", false);
  }

  @Test
  void problems_are_grouped_by_file_and_sorted_by_line_and_counted() {
    ConfigProblem fatal = new ConfigProblem("b.json", 0, null, "no", "Yes", true);
    assertThat(
            ConfigReport.render(
                List.of(problem("a.json", 9, "y", "two"), fatal, problem("a.json", 2, "x", "one"))))
        .isEqualTo(
            """
            a.json:2: server "x": one
                Do this
            a.json:9: server "y": two
                Do this
            b.json: fatal: no
                Yes
            3 problems: 1 is fatal, so nothing is started.
            """);
  }

  @Test
  void without_a_fatal_problem_the_servers_that_are_left_out_are_counted() {
    assertThat(ConfigReport.render(List.of(problem("a", 1, "x", "1"), problem("a", 2, "x", "2"))))
        .endsWith("2 problems: 1 server is left out.\n");
    assertThat(ConfigReport.render(List.of(problem("a", 1, "x", "1"), problem("a", 2, "y", "2"))))
        .endsWith("2 problems: 2 servers are left out.\n");
    assertThat(ConfigReport.render(List.of(problem("a", 1, "x", "1"))))
        .endsWith("1 problem: 1 server is left out.\n");
    assertThat(ConfigReport.render(List.of())).isEqualTo("No problems.\n");
  }

  @Test
  void a_start_that_goes_on_shows_the_first_of_many_problems() {
    List<ConfigProblem> many =
        IntStream.range(0, 53).mapToObj(i -> problem("a", i + 1, "x" + i, "no")).toList();
    assertThat(ConfigReport.first(ConfigReport.render(many), 10).lines())
        .hasSize(22)
        .contains("a:10: server \"x9\": no", "and 43 more: mcpbus check")
        .endsWith("53 problems: 53 servers are left out.");
    assertThat(ConfigReport.first(ConfigReport.notes(many), 10).lines())
        .hasSize(21)
        .endsWith("and 43 more: mcpbus check");
    String few = ConfigReport.render(many.subList(0, 10));
    assertThat(ConfigReport.first(few, 10)).isEqualTo(few);
  }

  @Test
  void control_characters_and_non_ascii_are_escaped() {
    String text =
        ConfigReport.render(
            List.of(problem("a\u001b[31m", 1, "x\n\u202e", "\u0007\u00e9 \uD83D\uDE80")));
    assertThat(text).matches("[\\x20-\\x7e\\n]+").contains("\\u001b[31m").contains("\\u202e");
    assertThat(text.lines()).hasSize(3);
  }
}
