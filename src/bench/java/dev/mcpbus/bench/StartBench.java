package dev.mcpbus.bench;

import io.vertx.core.json.JsonObject;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The start of the service with the embedded demo as its only server, in processes of its own: the
 * time from the start of the process to the URL and to the table in which the demo is READY, and
 * its resident memory a while later. {@code --quick} starts each way once.
 */
public final class StartBench {

  /**
   * How mcpbus is started.
   *
   * @param script by {@code src/scripts/mcpbus}, else by {@code java -jar}
   * @param variables for the script or the JVM
   */
  private record Way(String name, boolean script, Map<String, String> variables) {}

  private record Start(double urlMillis, double readyMillis, double rssMib) {}

  private static final Path JAVA_HOME = Path.of(System.getProperty("java.home"));
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final Pattern READY = Pattern.compile(" +demo +READY .*");
  private static final Pattern RSS = Pattern.compile("VmRSS:\\s+(\\d+) kB");

  private final Path out;
  private final Path jar;
  private final Path script;
  private final Path config;
  private final int runs;
  private final Duration settling;

  private StartBench(Path out, Path base, boolean quick) throws IOException {
    this.out = out;
    this.jar = base.resolve("target").resolve("mcpbus.jar").toAbsolutePath();
    this.script = base.resolve("src").resolve("scripts").resolve("mcpbus").toAbsolutePath();
    this.runs = quick ? 1 : 7;
    this.settling = Duration.ofMillis(quick ? 100 : 3_000);
    JsonObject demo = new JsonObject().put("type", "bus").put("address", "mcpbus.demo");
    this.config =
        Files.writeString(
                out.resolve("start.json"),
                new JsonObject().put("mcpServers", new JsonObject().put("demo", demo)).encode())
            .toAbsolutePath();
  }

  public static void main(String[] args) throws Exception {
    Path out = Path.of(args[0]);
    Files.createDirectories(out);
    new StartBench(out, Path.of("."), List.of(args).contains("--quick")).run();
  }

  private void run() throws Exception {
    Path archive = out.resolve("start.jsa").toAbsolutePath();
    long begin = System.nanoTime();
    archive(archive);
    long madeMillis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin);
    try (PrintWriter rows =
        new PrintWriter(Files.newBufferedWriter(out.resolve("start.jsonl")), true)) {
      long bytes = Files.size(archive);
      rows.println(
          new JsonObject().put("row", "archive").put("millis", madeMillis).put("bytes", bytes));
      System.out.printf(
          Locale.ROOT,
          "archive: %,d ms to make, %.1f MB; medians of %d starts%n",
          madeMillis,
          bytes / 1e6,
          runs);
      String file = archive.toString();
      measured(new Way("java -jar", false, Map.of()), rows);
      measured(new Way("script without archive", true, archive("off")), rows);
      Start best = measured(new Way("script", true, archive(file)), rows);
      Map<String, String> quick = archive(file);
      quick.put("JDK_JAVA_OPTIONS", "-XX:TieredStopAtLevel=1");
      measured(new Way("script, first compiler only", true, quick), rows);
      Map<String, String> plain = archive(file);
      plain.put("MCPBUS_JAVA_OPTS", "");
      measured(new Way("script, the JVM's own collector", true, plain), rows);
      target(rows, new Target("script: URL", best.urlMillis, false, 1_000, " ms"));
      target(rows, new Target("script: ready", best.readyMillis, false, 1_200, " ms"));
      target(rows, new Target("script: RSS", best.rssMib, false, 110, " MiB"));
    }
  }

  private static Map<String, String> archive(String file) {
    return new HashMap<>(Map.of("MCPBUS_ARCHIVE", file));
  }

  private static void target(PrintWriter rows, Target target) {
    rows.println(target.toJson());
    System.out.println(target);
  }

  private void archive(Path archive) throws IOException, InterruptedException {
    Files.deleteIfExists(archive);
    Process made =
        process(List.of(script.toString(), "make-archive"), archive(archive.toString()))
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    if (!made.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS) || made.exitValue() != 0) {
      made.destroyForcibly();
      throw new IllegalStateException("the archive was not made");
    }
  }

  private Start measured(Way way, PrintWriter rows) throws Exception {
    List<Start> starts = new ArrayList<>();
    for (int i = 0; i < runs; i++) {
      Start start = start(way);
      starts.add(start);
      rows.println(
          new JsonObject()
              .put("row", "start")
              .put("way", way.name)
              .put("urlMillis", start.urlMillis)
              .put("readyMillis", start.readyMillis)
              .put("rssMib", start.rssMib));
    }
    Start median =
        new Start(
            Results.median(starts.stream().mapToDouble(Start::urlMillis)),
            Results.median(starts.stream().mapToDouble(Start::readyMillis)),
            Results.median(starts.stream().mapToDouble(Start::rssMib)));
    System.out.printf(
        Locale.ROOT,
        "%-32s URL %,6.0f ms, ready %,6.0f ms, RSS %4.0f MiB%n",
        way.name,
        median.urlMillis,
        median.readyMillis,
        median.rssMib);
    return median;
  }

  private Start start(Way way) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    if (way.script) {
      command.add(script.toString());
    } else {
      command.addAll(List.of(JAVA_HOME.resolve("bin").resolve("java").toString(), "-jar"));
      command.add(jar.toString());
    }
    command.addAll(List.of("run", "--config", config.toString(), "--port", "0"));
    ProcessBuilder builder = process(command, way.variables);
    long begin = System.nanoTime();
    Process process = builder.start();
    try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
      double url = -1;
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        double millis = (System.nanoTime() - begin) / 1e6;
        if (line.startsWith("Bridge: ")) {
          url = millis;
        } else if (READY.matcher(line).matches()) {
          Thread.sleep(settling.toMillis());
          return new Start(url, millis, rssMib(process.pid()));
        }
      }
      throw new IllegalStateException(way.name + " has ended before it was ready");
    } finally {
      process.destroy();
      if (!process.waitFor(20, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    }
  }

  private ProcessBuilder process(List<String> command, Map<String, String> variables) {
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD);
    builder.environment().put("MCPBUS_JAR", jar.toString());
    builder.environment().put("JAVA_HOME", JAVA_HOME.toString());
    builder.environment().putAll(variables);
    return builder;
  }

  private static double rssMib(long pid) throws IOException {
    Matcher rss = RSS.matcher(Files.readString(Path.of("/proc/" + pid + "/status")));
    if (!rss.find()) {
      throw new IllegalStateException("no VmRSS of process " + pid);
    }
    return Long.parseLong(rss.group(1)) / 1024.0;
  }
}
