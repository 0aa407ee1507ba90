package dev.mcpbus.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * What all tests share. JUnit finds it by {@code META-INF/services}. Awaitility looks at once and
 * every 10 ms; its own 100 ms, before the first look too, would be what most tests wait for. No
 * class of tests may end while a server that it started still runs.
 */
public final class TestDefaults implements BeforeAllCallback, AfterAllCallback {

  /** What every child of this process has in its environment, and what that child starts. */
  private static final String OWN = "-" + ProcessHandle.current().pid() + "-";

  private static final String MARK = "MCPBUS_RUN=";

  @Override
  public void beforeAll(ExtensionContext context) {
    Awaitility.setDefaultPollDelay(Duration.ZERO);
    Awaitility.setDefaultPollInterval(Duration.ofMillis(10));
    // What does not happen at all fails the test; how long it takes is not tested.
    Awaitility.setDefaultTimeout(Duration.ofSeconds(60));
  }

  @Override
  public void afterAll(ExtensionContext context) {
    Awaitility.await(context.getDisplayName() + " ends its servers")
        .untilAsserted(() -> assertThat(servers()).isEmpty());
  }

  private static List<String> servers() {
    return ProcessHandle.allProcesses()
        .filter(TestDefaults::isOwn)
        .map(TestDefaults::told)
        .toList();
  }

  private static boolean isOwn(ProcessHandle process) {
    String all = read(process, "environ");
    int mark = all.indexOf(MARK);
    int own = all.indexOf(OWN, mark);
    return mark >= 0 && own > 0 && all.substring(mark + MARK.length(), own).matches("\\d+");
  }

  private static String told(ProcessHandle process) {
    String status = read(process, "stat").replaceFirst("^.*\\) (\\S+ \\S+).*$", "$1").strip();
    return process.pid() + " (state and parent " + status + "): " + read(process, "cmdline");
  }

  private static String read(ProcessHandle process, String file) {
    try {
      return Files.readString(
              Path.of("/proc", Long.toString(process.pid()), file), StandardCharsets.ISO_8859_1)
          .replace('\0', ' ');
    } catch (IOException e) {
      return "";
    }
  }
}
