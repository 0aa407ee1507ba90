package dev.mcpbus.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.cli.Terminal;
import dev.mcpbus.doctor.DoctorCause;
import dev.mcpbus.doctor.DoctorStep;
import dev.mcpbus.doctor.Finding;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ReportTextTest {

  private static final Terminal WIDE = new Terminal(true, true, 100, true, true, true);
  private static final Terminal USUAL = new Terminal(true, true, 80, true, true, true);
  private static final Terminal NO_COLOR = new Terminal(true, true, 80, false, true, true);
  private static final Terminal LANG_C = new Terminal(true, true, 80, true, false, true);

  private static final String LONG = "a sentence of many words that has to be broken ".repeat(4);

  private static final DoctorReport BROKEN =
      new DoctorReport(
          "git",
          "uvx mcp-server-git",
          List.of(
              DoctorStep.ok("entry", -1, "mcp.json:4"),
              DoctorStep.note(
                  "first words",
                  -1,
                  "other lines",
                  Finding.of(DoctorCause.STDOUT_JUNK, "Other lines", "Let it log elsewhere")),
              DoctorStep.failed(
                  "started",
                  1234,
                  Finding.of(
                          DoctorCause.CRASHED, "It \u2018fails\u2019: " + LONG, "Do this: " + LONG)
                      .with(List.of("Error: \u001b[31mred\u001b[0m \u202eback", LONG))),
              DoctorStep.skipped("ping", "not tried")),
          "http://127.0.0.1:8790: READY since 2026-01-01T00:00:00Z, 0 restarts");

  private static final DoctorReport WELL =
      new DoctorReport(
          "files",
          "node files.js",
          List.of(
              DoctorStep.ok("entry", -1, "mcp.json:2"),
              DoctorStep.ok("era", -1, "initialize 2025-11-25; server/discover was tried first"),
              DoctorStep.ok("handshake", 40, "files 1.0"),
              DoctorStep.ok("lists", 2, "3 tools")),
          null);

  @Test
  void fits_the_columns_of_the_terminal() {
    Map.of(WIDE, 100, USUAL, 80, Terminal.NONE, 80)
        .forEach(
            (terminal, most) -> {
              assertThat(ReportText.whole(BROKEN, terminal)).allMatch(line -> fits(line, most));
              assertThat(ReportText.all(List.of(BROKEN, WELL), terminal))
                  .allMatch(line -> fits(line, most));
            });
  }

  private static boolean fits(String line, int most) {
    return line.length() <= most;
  }

  @Test
  void a_terminal_gets_marks_and_all_else_ascii() {
    assertThat(ReportText.whole(WELL, USUAL)).anyMatch(line -> line.startsWith("  \u2714 entry"));
    assertThat(ReportText.whole(BROKEN, USUAL)).anyMatch(line -> line.startsWith("  \u2718 "));
    for (Terminal plain : List.of(NO_COLOR, LANG_C, Terminal.NONE)) {
      assertThat(ReportText.whole(BROKEN, plain))
          .allMatch(line -> line.chars().allMatch(c -> c >= 0x20 && c < 0x7F))
          .anyMatch(line -> line.startsWith("  FAIL started"));
    }
  }

  @Test
  void words_of_a_server_cannot_control_the_terminal() {
    assertThat(String.join("\n", ReportText.whole(BROKEN, USUAL)))
        .doesNotContain("\u001b", "\u202e")
        .contains("\\u001b[31mred");
  }

  @Test
  void the_end_says_what_to_do_and_what_a_running_mcpbus_says() {
    String text = String.join("\n", ReportText.whole(BROKEN, WIDE));
    assertThat(text)
        .contains("  - not tried: ping")
        .contains("The running mcpbus at http://127.0.0.1:8790: READY since")
        .contains("What to do: Do this: a sentence")
        .endsWith("[CRASHED]")
        .doesNotContain("Let it log elsewhere");
  }

  @Test
  void all_servers_have_a_short_block_and_a_summary() {
    List<String> lines = ReportText.all(List.of(WELL, BROKEN), USUAL);
    assertThat(lines)
        .contains(
            "\u2714 files: node files.js",
            "  initialize 2025-11-25; files 1.0 in 40 ms; 3 tools",
            "\u2718 git: uvx mcp-server-git",
            "2 servers: 1 works, 1 does not: git (CRASHED)");
    assertThat(ReportText.all(List.of(WELL), USUAL)).last().isEqualTo("1 server: works.");
    assertThat(ReportText.all(List.of(), USUAL)).last().isEqualTo("0 servers.");
  }
}
