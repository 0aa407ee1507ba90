package dev.mcpbus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.vertx.core.json.JsonObject;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The benchmark runs; what it measures in so short a time is not looked at. */
class BenchIT {

  @TempDir private Path directory;

  @Test
  void the_quick_benchmark_of_the_core_gives_every_row() throws Exception {
    assumeTrue(isOnPath("gcc"), "gcc is missing: it compiles the echo servers");
    Path base = Path.of(System.getProperty("mcpbus.basedir", "."));
    Path log = directory.resolve("out.txt");
    ProcessBuilder builder =
        new ProcessBuilder("sh", "src/scripts/bench", "core", "--quick")
            .directory(base.toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile());
    builder.environment().put("BENCH_CLASSPATH", System.getProperty("java.class.path"));
    Process process = builder.start();
    try {
      assertThat(process.waitFor(3, TimeUnit.MINUTES)).as("ends within 3 minutes").isTrue();
    } finally {
      process.destroy();
    }
    assertThat(process.exitValue()).as(Files.readString(log)).isZero();
    assertThat(Files.readString(log))
        .contains("stdio: raw pipes", "http: bare Vert.x HttpClient")
        .doesNotContain("FAILED");
    List<JsonObject> rows =
        Files.readAllLines(base.resolve("target/bench/core.jsonl")).stream()
            .map(JsonObject::new)
            .toList();
    assertThat(count(rows, "closed")).isEqualTo(4 * 14);
    assertThat(count(rows, "paced")).isEqualTo(12);
    assertThat(count(rows, "target")).isEqualTo(17);
    assertThat(rows)
        .filteredOn(row -> "closed".equals(row.getString("row")))
        .allSatisfy(row -> assertThat(row.getLong("perSecond")).isPositive());
  }

  private static long count(List<JsonObject> rows, String kind) {
    return rows.stream().filter(row -> kind.equals(row.getString("row"))).count();
  }

  private static boolean isOnPath(String program) {
    String path = System.getenv().getOrDefault("PATH", "");
    return Arrays.stream(path.split(File.pathSeparator))
        .anyMatch(directory -> Files.isExecutable(Path.of(directory, program)));
  }
}
