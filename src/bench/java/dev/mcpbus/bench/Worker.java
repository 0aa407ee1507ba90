package dev.mcpbus.bench;

import io.netty.util.internal.PlatformDependent;
import io.vertx.core.json.JsonObject;
import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The JVM of one contender. Does what the lines on stdin say, one JSON line on stdout for each, and
 * ends with its stdin: {@code closed CALLERS MILLIS}, {@code paced PER_SECOND MILLIS}, {@code
 * memory}.
 */
final class Worker {

  private Worker() {}

  public static void main(String[] args) throws Exception {
    PrintStream out =
        new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8);
    System.setOut(System.err);
    serve(Kind.valueOf(args[0]).create(args[1], Kind.MANY), System.in, out);
    // Threads of the SDK would keep the JVM alive.
    System.exit(0);
  }

  /** Returns at the end of {@code in}. */
  static void serve(Contender contender, InputStream in, PrintStream out) throws Exception {
    contender.open();
    out.println(new JsonObject().put("open", true).encode());
    BufferedReader commands = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
    for (String line = commands.readLine(); line != null; line = commands.readLine()) {
      String[] words = line.split(" ");
      out.println(answer(contender, words).encode());
    }
  }

  private static JsonObject answer(Contender contender, String[] words) throws Exception {
    return switch (words[0]) {
      case "closed" ->
          json(Load.closed(contender, Integer.parseInt(words[1]), Long.parseLong(words[2])));
      case "paced" ->
          json(Load.paced(contender, Integer.parseInt(words[1]), Long.parseLong(words[2])));
      case "memory" -> memory();
      default -> throw new IllegalArgumentException("unknown command: " + words[0]);
    };
  }

  private static JsonObject json(Load.Result result) {
    return new JsonObject()
        .put("calls", result.calls())
        .put("failures", result.failures())
        .put("perSecond", Math.round(result.perSecond()))
        .put("cpuMicros", rounded(result.cpuMicros()))
        .put("p50Micros", rounded(result.p50Micros()))
        .put("p99Micros", rounded(result.p99Micros()))
        .put("p999Micros", rounded(result.p999Micros()));
  }

  private static double rounded(double value) {
    return Math.round(value * 100) / 100.0;
  }

  /** After a full collection; {@code heap} is what is in use. */
  private static JsonObject memory() throws IOException, InterruptedException {
    for (int i = 0; i < 4; i++) {
      System.gc();
      Thread.sleep(100);
    }
    long rss = 0;
    for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
      if (line.startsWith("VmRSS:")) {
        rss = 1024 * Long.parseLong(line.replaceAll("\\D", ""));
      }
    }
    return new JsonObject()
        .put("heap", ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed())
        .put("direct", PlatformDependent.usedDirectMemory())
        .put("rss", rss)
        .put("threads", ManagementFactory.getThreadMXBean().getThreadCount());
  }
}
