package dev.mcpbus.bench;

import dev.mcpbus.bench.Results.Row;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Measures the core against what can be had without it. In each round all contenders take their
 * turns, in another order each time, so that whatever else the machine does hits all of them.
 */
final class CoreBench {

  private static final String HEAD =
      "%-40s %7s %10s %8s %9s %9s %9s %8s%n"
          .formatted("", "callers", "calls/s", "CPU us", "p50 us", "p99 us", "p99.9 us", "ratio");

  private static final List<Kind> IDLE =
      List.of(Kind.HTTP_BUS, Kind.HTTP_BUS_MANY, Kind.HTTP_BUS_STREAMS);

  private final Plan plan;
  private final Path directory;
  private final Results results = new Results();
  private final Map<Kind, WorkerProcess> workers = new EnumMap<>(Kind.class);
  private final PrintStream out = System.out;
  private double serverMicros;

  private CoreBench(Plan plan, Path directory) {
    this.plan = plan;
    this.directory = directory;
  }

  /** First argument: the directory of the fixtures, which gets {@code core.jsonl} too. */
  public static void main(String[] args) throws IOException, InterruptedException {
    Plan plan;
    try {
      plan = Plan.of(List.of(args).subList(1, args.length));
    } catch (IllegalArgumentException e) {
      System.err.println(e.getMessage() + "\n" + Plan.USAGE);
      System.exit(2);
      return;
    }
    new CoreBench(plan, Path.of(args[0])).run();
    // Threads of workers inside would keep the JVM alive.
    System.exit(0);
  }

  private void run() throws IOException, InterruptedException {
    try (EchoHttpServer http = new EchoHttpServer(directory.resolve("echo_http"))) {
      for (Kind kind : plan.kinds()) {
        progress("start " + kind.label);
        String program = directory.resolve("echo_stdio").toAbsolutePath().toString();
        String target = kind.isHttp() ? http.url() : program;
        // One process shows that workers can be processes.
        boolean inside = plan.isQuick() && kind != Kind.STDIO_BUS;
        workers.put(
            kind, inside ? WorkerProcess.inside(kind, target) : WorkerProcess.start(kind, target));
      }
      long connected = System.nanoTime();
      // The others first: what has idle connections is left alone until it is weighed.
      warmUp(kind -> !IDLE.contains(kind));
      if (workers.containsKey(Kind.HTTP_BUS_MANY)) {
        idle(connected);
      }
      for (Kind kind : IDLE) {
        WorkerProcess worker = workers.get(kind);
        if (worker != null) {
          progress("weigh " + kind.label);
          results.memory(kind, worker.memory());
          if (kind.isOnlyWeighed()) {
            worker.close();
            workers.remove(kind);
          }
        }
      }
      warmUp(IDLE::contains);
      for (int round = 0; round < plan.rounds(); round++) {
        round(round, http);
      }
      for (WorkerProcess worker : workers.values()) {
        if (!worker.kind().hasMany()) {
          progress("1,000 calls/s " + worker.kind().label);
          results.paced(worker.kind(), worker.paced(Plan.PER_SECOND, plan.pacedMillis()));
        }
      }
    } finally {
      workers.values().forEach(WorkerProcess::close);
    }
    report();
  }

  /** Waits until what was connected at {@code since} has been idle for long enough. */
  private void idle(long since) throws InterruptedException {
    long done = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - since);
    Thread.sleep(Math.max(0, plan.idleMillis() - done));
  }

  private void warmUp(Predicate<Kind> which) throws IOException {
    for (WorkerProcess worker : workers.values()) {
      if (which.test(worker.kind())) {
        progress("warm up " + worker.kind().label);
        worker.closed(Plan.JUDGED, plan.warmup(worker.kind()));
      }
    }
  }

  private void round(int round, EchoHttpServer http) throws IOException {
    List<WorkerProcess> order = new ArrayList<>(workers.values());
    Collections.rotate(order, round);
    for (int callers : plan.callers()) {
      progress("round " + (round + 1) + " of " + plan.rounds() + ", " + callers + " callers");
      for (WorkerProcess worker : order) {
        Duration before = http.cpu();
        JsonObject measured = worker.closed(callers, plan.roundMillis());
        results.closed(worker.kind(), callers, measured);
        if (worker.kind() == Kind.HTTP_VERTX) {
          double micros = http.cpu().minus(before).toNanos() / 1e3;
          serverMicros = micros / measured.getLong("calls");
        }
      }
    }
  }

  private static void progress(String what) {
    System.err.println("bench: " + what);
  }

  private void report() throws IOException {
    List<JsonObject> lines = new ArrayList<>();
    out.printf(
        "%nOn %d cores, JVM %s, medians of %d rounds of %d ms.%n%n",
        Runtime.getRuntime().availableProcessors(),
        System.getProperty("java.version"),
        plan.rounds(),
        plan.roundMillis());
    out.print(HEAD);
    for (int callers : plan.callers()) {
      for (Kind kind : plan.kinds()) {
        line(lines, "closed", kind, callers, results.row(kind, callers), ours(kind, callers));
      }
    }
    out.println();
    for (Kind kind : plan.kinds()) {
      line(lines, "paced", kind, 0, results.paced(kind), null);
    }
    out.println();
    memory(lines, "idleConnection", Kind.HTTP_BUS_MANY);
    memory(lines, "idleConnectionWithStream", Kind.HTTP_BUS_STREAMS);
    if (serverMicros > 0) {
      out.printf(
          Locale.ROOT,
          "http server: %.1f us CPU per call, so up to %,.0f calls/s%n",
          serverMicros,
          1e6 / serverMicros);
      lines.add(new JsonObject().put("row", "httpServer").put("cpuMicros", serverMicros));
    }
    out.println();
    for (Target target : Targets.judge(results)) {
      out.println(target);
      lines.add(target.toJson());
    }
    Path file = directory.resolve("core.jsonl");
    Files.write(file, lines.stream().map(JsonObject::encode).toList(), StandardCharsets.UTF_8);
    out.printf("%nAs JSON lines: %s%n", file);
  }

  /** The bus on the same kind of server, to which the others are compared. */
  private @Nullable Row ours(Kind kind, int callers) {
    return results.row(kind.isHttp() ? Kind.HTTP_BUS : Kind.STDIO_BUS, callers);
  }

  private void line(
      List<JsonObject> lines,
      String type,
      Kind kind,
      int callers,
      @Nullable Row row,
      @Nullable Row ours) {
    if (row == null) {
      return;
    }
    double ratio = ours == null ? 0 : (double) ours.perSecond() / row.perSecond();
    out.printf(
        Locale.ROOT,
        "%-40s %7s %,10d %8.1f %9.0f %9.0f %9.0f %8s%s%n",
        kind.label,
        callers == 0 ? "paced" : callers,
        row.perSecond(),
        row.cpuMicros(),
        row.p50Micros(),
        row.p99Micros(),
        row.p999Micros(),
        ours == null ? "" : String.format(Locale.ROOT, "%.2fx", ratio),
        row.failures() == 0 ? "" : "   " + row.failures() + " FAILED");
    JsonObject json =
        new JsonObject()
            .put("row", type)
            .put("contender", kind.name())
            .put("label", kind.label)
            .put("callers", callers)
            .put("perSecond", row.perSecond())
            .put("cpuMicros", row.cpuMicros())
            .put("p50Micros", row.p50Micros())
            .put("p99Micros", row.p99Micros())
            .put("p999Micros", row.p999Micros())
            .put("failures", row.failures());
    if (ours != null) {
      json.put("busOverThis", Math.round(ratio * 1_000) / 1_000.0);
    }
    lines.add(json);
  }

  private void memory(List<JsonObject> lines, String row, Kind kind) {
    JsonObject one = results.memory(Kind.HTTP_BUS);
    JsonObject many = results.memory(kind);
    if (one == null || many == null) {
      return;
    }
    JsonObject each = new JsonObject().put("row", row);
    for (String name : List.of("heap", "direct", "rss", "threads")) {
      each.put(name, Math.round(Targets.growth(one, many, name) * 1_000) / 1_000.0);
    }
    out.println("one more idle HTTP connection, bytes: " + each.encode());
    lines.add(each);
  }
}
