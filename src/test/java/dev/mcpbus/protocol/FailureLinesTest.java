package dev.mcpbus.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class FailureLinesTest {

  private static final String NODE =
      """
      node:internal/modules/cjs/loader:1228
        throw err;
        ^

      Error: Cannot find module '/srv/missing.js'
          at Module._resolveFilename (node:internal/modules/cjs/loader:1225:15)
          at Module._load (node:internal/modules/cjs/loader:1051:27) {
        code: 'MODULE_NOT_FOUND',
        requireStack: []
      }

      Node.js v20.11.0
      """;

  @Test
  void the_error_of_node_stands_above_its_stack_and_is_kept() {
    assertThat(FailureLines.tail(NODE, 5))
        .isEqualTo(
            """
            Error: Cannot find module '/srv/missing.js'
            ...
            }

            Node.js v20.11.0\
            """);
    assertThat(FailureLines.remedy(NODE))
        .isEqualTo("install the server's packages, or correct the path in \"args\"");
  }

  @Test
  void a_line_that_ends_the_output_is_not_repeated() {
    String python =
        """
        Traceback (most recent call last):
          File "/srv/a.py", line 1, in <module>
        ModuleNotFoundError: No module named 'mcp'
        """;
    assertThat(FailureLines.tail(python, 5)).isEqualTo(python.strip());
    assertThat(FailureLines.remedy(python))
        .isEqualTo(
            "install the Python package, or name the python of its environment in \"command\"");
  }

  @Test
  void the_most_specific_line_wins_over_a_later_one() {
    String npm =
        """
        npm error code E404
        npm error 404  '@acme/nothing@*' is not in this registry.
        npm error 404 Note that you can also install from a
        npm error 404 tarball, folder, http url, or git folder.
        npm error A complete log of this run can be found in: /root/.npm/_logs/x.log
        Error: npm failed
        """;
    assertThat(FailureLines.find(npm))
        .contains("npm error 404  '@acme/nothing@*' is not in this registry.");
    assertThat(FailureLines.remedy(npm))
        .isEqualTo("npm knows no such package: correct its name in \"args\"");
  }

  @Test
  void a_variable_that_the_program_misses_is_named_with_the_place_to_set_it() {
    String remedy = "set the variable in \"env\": a server does not get the variables of mcpbus";
    assertThat(FailureLines.remedy("GITHUB_TOKEN environment variable is required\nusage: x"))
        .isEqualTo(remedy);
    assertThat(FailureLines.remedy("Please set BRAVE_API_KEY")).isEqualTo(remedy);
  }

  @Test
  void other_errors_are_found_without_a_remedy() {
    assertThat(FailureLines.find("java.lang.IllegalStateException: no\n\tat x\n\tat y"))
        .contains("java.lang.IllegalStateException: no");
    assertThat(FailureLines.remedy("TypeError [ERR_X]: no")).isEmpty();
    assertThat(FailureLines.find("all is well\nready")).isEmpty();
  }

  @Test
  void few_lines_stay_and_long_ones_are_cut() {
    assertThat(FailureLines.tail("1\n2\n", 5)).isEqualTo("1\n2");
    assertThat(FailureLines.tail("", 5)).isEmpty();
    assertThat(FailureLines.tail("x".repeat(301), 5)).isEqualTo("x".repeat(300) + "...");
    assertThat(FailureLines.head("1\n2\n3\n4", 3)).isEqualTo("1\n2\n3");
  }
}
