package dev.mcpbus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A short set of the cluster's faults; {@code src/scripts/cluster-faults} runs the long ones. */
class ClusterFaultsIT {

  @TempDir private Path directory;

  @Test
  void a_killed_owner_and_three_schedules_of_faults_break_no_promise() throws Exception {
    assumeTrue(isOnPath("gcc"), "gcc is missing: it compiles the servers that write down calls");
    String base = System.getProperty("mcpbus.basedir", ".");
    Path log = directory.resolve("out.txt");
    ProcessBuilder builder =
        new ProcessBuilder(
                ("sh src/scripts/cluster-faults --lenient --only kill,random"
                        + " --runs 1 --schedules 3 --seed 105")
                    .split(" "))
            .directory(new File(base))
            .redirectErrorStream(true)
            .redirectOutput(log.toFile());
    builder.environment().put("BENCH_CLASSPATH", System.getProperty("java.class.path"));
    builder.environment().put("MCPBUS_JAR", System.getProperty("mcpbus.jar", "target/mcpbus.jar"));
    Process process = builder.start();
    try {
      assertThat(process.waitFor(4, TimeUnit.MINUTES)).as("ends within 4 minutes").isTrue();
    } finally {
      // The nodes too: without namespaces nothing else would end them.
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
    }
    String said = Files.readString(log);
    assertThat(process.exitValue()).as(said).isZero();
    assertThat(said)
        .contains("kill -9 1 of", "seed 105: ", "seed 106: ", "seed 107: ")
        .contains("checked: 4 runs", "; all held")
        .doesNotContain("VIOLATION", "FAILED");
  }

  private static boolean isOnPath(String program) {
    String path = System.getenv().getOrDefault("PATH", "");
    return Arrays.stream(path.split(File.pathSeparator))
        .anyMatch(directory -> Files.isExecutable(Path.of(directory, program)));
  }
}
