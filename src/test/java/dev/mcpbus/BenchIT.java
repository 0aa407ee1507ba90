package dev.mcpbus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.vertx.core.json.JsonObject;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The benchmark runs; what it measures in so short a time is not looked at. */
@Tag("release")
class BenchIT {

  private static final Path BASE = Path.of(System.getProperty("mcpbus.basedir", "."));

  @TempDir private Path directory;

  @Test
  void the_quick_benchmark_of_the_core_gives_every_row() throws Exception {
    assertThat(bench("core", 3))
        .contains("stdio: raw pipes", "http: bare Vert.x HttpClient")
        .doesNotContain("FAILED");
    List<JsonObject> rows = rows("core");
    assertThat(count(rows, "closed")).isEqualTo(4 * 14);
    assertThat(count(rows, "paced")).isEqualTo(12);
    assertThat(count(rows, "target")).isEqualTo(19);
    assertThat(rows)
        .filteredOn(row -> "closed".equals(row.getString("row")))
        .allSatisfy(row -> assertThat(row.getLong("perSecond")).isPositive());
  }

  @Test
  void the_quick_benchmark_of_the_gateway_gives_every_row() throws Exception {
    assertThat(bench("gateway", 5)).contains("of proxy").doesNotContain("WRONG");
    List<JsonObject> rows = rows("gateway");
    // Gateways of npm are measured where they are installed.
    assertThat(count(rows, "calls")).isBetween(16L, 20L);
    assertThat(count(rows, "list")).isEqualTo(4);
    assertThat(count(rows, "heap")).isEqualTo(4);
    assertThat(count(rows, "target")).isBetween(16L, 17L);
    assertThat(rows)
        .filteredOn(row -> "calls".equals(row.getString("row")))
        .allSatisfy(row -> assertThat(row.getLong("answers")).isPositive())
        .allSatisfy(row -> assertThat(row.getLong("wrong")).isZero());
  }

  @Test
  void the_quick_benchmark_of_the_cluster_gives_every_row() throws Exception {
    assertThat(bench("cluster", 5)).contains("of bare").doesNotContain("FAILED");
    List<JsonObject> rows = rows("cluster");
    assertThat(count(rows, "hop")).isEqualTo(2 * 5);
    assertThat(count(rows, "registrations")).isEqualTo(1);
    assertThat(count(rows, "connections")).isEqualTo(1);
    assertThat(count(rows, "routine")).isEqualTo(1);
    assertThat(count(rows, "target")).isEqualTo(10);
    assertThat(rows)
        .filteredOn(row -> "change".equals(row.getString("row")))
        .hasSize(4)
        .allSatisfy(row -> assertThat(row.getInteger("astray")).isZero());
  }

  @Test
  void the_quick_benchmark_of_the_start_gives_every_row() throws Exception {
    assertThat(bench("start", 3)).contains("script: ready", "script: RSS");
    List<JsonObject> rows = rows("start");
    assertThat(count(rows, "archive")).isEqualTo(1);
    assertThat(count(rows, "start")).isEqualTo(5);
    assertThat(count(rows, "target")).isEqualTo(3);
    assertThat(rows)
        .filteredOn(row -> "start".equals(row.getString("row")))
        .allSatisfy(row -> assertThat(row.getDouble("urlMillis")).isPositive())
        .allSatisfy(row -> assertThat(row.getDouble("rssMib")).isGreaterThan(20));
  }

  private String bench(String what, int minutes) throws Exception {
    assumeTrue(isOnPath("gcc"), "gcc is missing: it compiles the programs in src/bench/c");
    Path log = directory.resolve("out.txt");
    ProcessBuilder builder =
        new ProcessBuilder("sh", "src/scripts/bench", what, "--quick")
            .directory(BASE.toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile());
    builder.environment().put("BENCH_CLASSPATH", System.getProperty("java.class.path"));
    // A dozen processes that each end before the second compiler pays.
    builder.environment().put("JAVA_TOOL_OPTIONS", "-XX:TieredStopAtLevel=1");
    Process process = builder.start();
    try {
      assertThat(process.waitFor(minutes, TimeUnit.MINUTES)).as("ends in time").isTrue();
    } finally {
      process.destroy();
    }
    assertThat(process.exitValue()).as(Files.readString(log)).isZero();
    return Files.readString(log);
  }

  private static List<JsonObject> rows(String what) throws IOException {
    return Files.readAllLines(BASE.resolve("target/bench/" + what + ".jsonl")).stream()
        .map(JsonObject::new)
        .toList();
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
