package dev.mcpbus;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** {@code runbook.md} has a place for each alert that wakes a person. */
class RunbookTest {

  private static final Path ALERTS = Path.of("conf/examples/prometheus/alerts.yml");

  @Test
  void each_alert_has_a_section() throws IOException {
    List<String> alerts =
        Pattern.compile("alert: (\\w+)")
            .matcher(Files.readString(ALERTS))
            .results()
            .map(found -> found.group(1))
            .toList();
    assertThat(alerts).hasSizeGreaterThan(10);
    assertThat(Files.readString(Path.of("src/docs/runbook.md"))).contains(alerts);
  }
}
