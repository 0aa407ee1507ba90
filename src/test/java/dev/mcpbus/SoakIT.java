package dev.mcpbus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What the soak finds is there, and it finds it; src/docs/soak.md has what it found in long runs.
 */
class SoakIT {

  private static final Path BASE = Path.of(System.getProperty("mcpbus.basedir", "."));

  @TempDir private Path directory;

  private record Outcome(int code, String text) {}

  @Test
  void streams_that_nobody_closes_are_named_by_the_class_that_grows() throws Exception {
    Outcome outcome = soak("streams-kept", 200);
    assertThat(outcome.text())
        .contains("streams-kept leaves", "dev.mcpbus.bridge.EventFeed", "handles:", "FAILED")
        .doesNotContain("ended otherwise");
    assertThat(outcome.code()).isEqualTo(1);
  }

  @Test
  void sessions_sockets_and_connections_that_come_and_go_leave_nothing() throws Exception {
    Outcome outcome =
        soak("session-initialize-delete,websocket-polite,fresh-connection,modern-call", 300);
    assertThat(outcome.text()).contains("nothing grew, every call ended");
    assertThat(outcome.code()).isZero();
  }

  private Outcome soak(String kinds, int times) throws Exception {
    for (String tool : List.of("gcc", "openssl", "jcmd")) {
      assumeTrue(isOnPath(tool), tool + " is missing");
    }
    Path log = directory.resolve("out.txt");
    ProcessBuilder builder =
        new ProcessBuilder("sh", "src/scripts/soak")
            .directory(BASE.toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile());
    builder.command().addAll(List.of("--churn", kinds, "--times", Integer.toString(times)));
    String jar = System.getProperty("mcpbus.jar");
    if (jar != null) {
      builder.command().addAll(List.of("--jar", jar));
    }
    builder.environment().put("SOAK_OUT", directory.resolve("soak").toString());
    Process process = builder.start();
    try {
      assertThat(process.waitFor(8, TimeUnit.MINUTES)).as("ends in time").isTrue();
    } finally {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
    }
    return new Outcome(process.exitValue(), Files.readString(log));
  }

  private static boolean isOnPath(String program) {
    return Arrays.stream(System.getenv("PATH").split(File.pathSeparator))
        .anyMatch(folder -> Files.isExecutable(Path.of(folder, program)));
  }
}
