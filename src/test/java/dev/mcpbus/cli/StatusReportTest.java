package dev.mcpbus.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonObject;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** What a person reads about the servers. */
class StatusReportTest {

  private static final Instant NOW = Instant.parse("2026-01-01T12:00:00Z");

  private static StatusReport report(String list, String configuration) {
    return new StatusReport(new JsonObject(list), new JsonObject(configuration), NOW);
  }

  @Test
  void a_ready_server_is_a_row_and_needs_no_remark() {
    StatusReport report =
        report(
            """
            {"servers": [{"id": "git", "state": "READY", "era": "INITIALIZE", "tools": 3,
              "restarts": 1, "since": "2026-01-01T11:57:00Z",
              "server": {"name": "g", "version": "2"}, "lastError": {"code": "X"}}]}
            """,
            "{}");
    assertThat(report.table().lines(Terminal.NONE).get(1))
        .isEqualTo("git         READY  3 min  1         3      initialize  g 2");
    assertThat(report.remarks()).isEmpty();
  }

  @Test
  void a_server_that_is_down_has_its_error_and_its_next_attempt() {
    StatusReport report =
        report(
            """
            {"servers": [{"id": "git", "state": "RECONNECTING", "restarts": 4, "attempt": 5,
              "nextAttempt": "2026-01-01T12:00:30Z",
              "lastError": {"code": "START_FAILED", "message": "no such command",
                "time": "2026-01-01T11:59:50Z"}}]}
            """,
            "{}");
    assertThat(report.remarks())
        .containsExactly(
            "git: START_FAILED (10 s ago): no such command; next attempt in 30 s (number 5)");
  }

  @Test
  void a_left_out_server_and_a_broken_file_are_told_with_the_place() {
    StatusReport report =
        report(
            "{\"servers\": []}",
            """
            {"file": "/conf/mcpbus.json", "brokenSince": "2026-01-01T11:00:00Z",
             "leftOut": [{"id": "typo", "problems": [
               {"file": "a.json", "line": 7, "message": "unknown key", "remedy": "Remove it"},
               {"file": "a.json", "line": 0, "message": "no command", "remedy": ""}]}]}
            """);
    assertThat(report.table().lines(Terminal.NONE).get(1)).startsWith("typo        LEFT OUT");
    assertThat(report.remarks().get(0))
        .isEqualTo("typo: left out: a.json:7: unknown key. Remove it; a.json: no command");
    assertThat(report.remarks().get(1))
        .contains("/conf/mcpbus.json on disk is broken since", "mcpbus check");
  }

  @Test
  void progress_is_a_count_and_a_message() {
    assertThat(ProgressFeed.describe(new JsonObject("{\"progress\": 3, \"total\": 5.0}")))
        .isEqualTo("3 of 5");
    assertThat(
            ProgressFeed.describe(new JsonObject("{\"progress\": 0.5, \"message\": \"halfway\"}")))
        .isEqualTo("0.50, halfway");
  }

  @Test
  void a_server_of_callers_says_so_and_how_many_it_has() {
    JsonObject status =
        new JsonObject("{\"id\": \"crm\", \"identity\": \"caller\", \"callers\": 0}");
    assertThat(StatusReport.details(status, NOW))
        .containsEntry("identity", "caller")
        .containsEntry("callers", "0");
    assertThat(StatusReport.details(new JsonObject("{\"id\": \"git\"}"), NOW))
        .doesNotContainKeys("identity", "callers");
  }
}
