package dev.mcpbus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The soak finds what is left behind. That mcpbus leaves nothing, the soak itself shows: in its
 * short form in each run of .ci/run, in its long one in src/docs/soak.md.
 */
@Tag("release")
class SoakIT {

  private static final Path BASE = Path.of(System.getProperty("mcpbus.basedir", "."));

  @TempDir private Path directory;

  private record Outcome(int code, String text) {}

  @Test
  void streams_that_are_never_closed_are_named_by_the_class_that_grows() throws Exception {
    Outcome outcome = soak("streams-kept", 200);
    assertThat(outcome.text())
        .contains("streams-kept leaves", "dev.mcpbus.bridge.EventFeed", "handles:", "FAILED")
        .doesNotContain("ended otherwise");
    assertThat(outcome.code()).isEqualTo(1);
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
