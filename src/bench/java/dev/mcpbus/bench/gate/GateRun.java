package dev.mcpbus.bench.gate;

import dev.mcpbus.bench.Kind;
import dev.mcpbus.bench.LineWorker;
import dev.mcpbus.bench.gateway.Endpoint;
import dev.mcpbus.bench.gateway.GatewayBench;
import dev.mcpbus.bench.gateway.Programs;
import dev.mcpbus.testing.FreePorts;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * One measurement of each row, by JVMs of its own. Bytes are those that the threads of the JVM
 * allocate, which the second compiler would make depend on when it compiles what: so it is off. CPU
 * is compared, in turns, with that of the least that does the same (raw pipes, a bare HTTP client,
 * a reverse proxy), because microseconds would be the budget of one machine.
 */
final class GateRun implements AutoCloseable {

  private static final List<String> FLAGS =
      List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xms256m", "-Xmx256m");

  private static final int CALLERS = 16;

  /** Longer than a pooled connection outlives the handshake. */
  private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(20);

  private static final int FEW = 50;
  private static final int MANY = 1_050;

  /** One call after another of a JVM. */
  private interface Calls {
    void make(long calls) throws IOException;
  }

  private final Path directory;
  private final boolean quick;
  private final Programs programs;
  private final String stdio;
  private final int fixture;
  private final List<LineWorker> workers = new ArrayList<>();

  GateRun(Path directory, boolean quick) throws IOException {
    this.directory = directory;
    this.quick = quick;
    this.programs = new Programs(directory);
    this.stdio = directory.resolve("echo_stdio").toAbsolutePath().toString();
    this.fixture = programs.fixture(directory.resolve("echo_http").toAbsolutePath().toString());
  }

  Map<GateRow, GateFigures> measure(Set<GateRow> rows) throws IOException, InterruptedException {
    Map<GateRow, GateFigures> figures = new EnumMap<>(GateRow.class);
    if (rows.contains(GateRow.BUS_STDIO)) {
      figures.put(GateRow.BUS_STDIO, bus(Kind.STDIO_BUS, Kind.STDIO_PIPES, stdio));
    }
    if (rows.contains(GateRow.BUS_HTTP)) {
      figures.put(GateRow.BUS_HTTP, bus(Kind.HTTP_BUS, Kind.HTTP_VERTX, url()));
    }
    doors(rows, figures);
    if (rows.contains(GateRow.IDLE)) {
      figures.put(GateRow.IDLE, idle());
    }
    return figures;
  }

  private String url() {
    return "http://127.0.0.1:" + fixture + "/mcp";
  }

  private GateFigures bus(Kind ours, Kind reference, String target) throws IOException {
    LineWorker us = caller(ours, target, 1);
    LineWorker other = caller(reference, target, 1);
    GateFigures figures = turns(us, counted(us), other, counted(other));
    close(us);
    close(other);
    return figures;
  }

  private static Calls counted(LineWorker worker) {
    return calls -> worker.ask("count " + CALLERS + " " + calls);
  }

  private void doors(Set<GateRow> rows, Map<GateRow, GateFigures> figures)
      throws IOException, InterruptedException {
    Path config = directory.resolve("gate.json");
    Files.writeString(config, GatewayBench.echoes(fixture, stdio).encode(), StandardCharsets.UTF_8);
    int port = FreePorts.one();
    LineWorker us =
        service("dev.mcpbus.Main", port, "--config", config.toString(), "--port", "" + port);
    programs.awaitReady(port);
    int between = FreePorts.one();
    LineWorker proxy =
        service(
            "dev.mcpbus.bench.gateway.BareProxy", between, "" + between, Integer.toString(fixture));
    for (GateRow row : List.of(GateRow.MCP_INITIALIZE, GateRow.MCP_DISCOVER, GateRow.REST)) {
      if (rows.contains(row)) {
        Calls ours = load(row, port);
        Calls theirs = load(row == GateRow.REST ? GateRow.MCP_INITIALIZE : row, between);
        figures.put(row, turns(us, ours, proxy, theirs));
      }
    }
    close(us);
    close(proxy);
  }

  /** So many calls by 16 clients of the endpoint. */
  private Calls load(GateRow row, int port) throws IOException, InterruptedException {
    boolean rest = row == GateRow.REST;
    boolean modern = row == GateRow.MCP_DISCOVER;
    Endpoint endpoint =
        new Endpoint(
            row.key(),
            ProcessHandle.current(),
            port,
            rest ? "/api/servers/older/tools/echo" : "/mcp",
            modern,
            null);
    String text = "\"text\":\"hello, world\"";
    String tool = modern ? "newer__echo" : "older__echo";
    Path request =
        rest
            ? endpoint.write(
                directory, Map.of("Content-Type", "application/json"), "{" + text + "}")
            : endpoint.request(
                directory,
                "tools/call",
                tool,
                "\"name\":\"" + tool + "\",\"arguments\":{" + text + "}");
    return calls -> {
      JsonObject answered = programs.load(endpoint, CALLERS, 0, -calls, request);
      if (answered.getLong("wrong") > 0) {
        throw new IOException(row.key() + ": " + answered.encode());
      }
    };
  }

  private GateFigures turns(LineWorker us, Calls ours, LineWorker other, Calls theirs)
      throws IOException {
    long calls = quick ? 100 : 10_000;
    for (int i = 0; i < (quick ? 1 : 3); i++) {
      ours.make(calls);
      theirs.make(calls);
    }
    int turns = quick ? 1 : 9;
    double[] bytes = new double[turns];
    double[] cpu = new double[turns];
    for (int turn = 0; turn < turns; turn++) {
      JsonObject mine = cost(us, ours, calls);
      JsonObject reference = cost(other, theirs, calls);
      bytes[turn] = mine.getDouble("bytes") / calls;
      cpu[turn] = mine.getDouble("cpu") / reference.getDouble("cpu");
    }
    return new GateFigures(Map.of("bytes", middle(bytes), "cpu", middle(cpu)));
  }

  private static JsonObject cost(LineWorker worker, Calls made, long calls) throws IOException {
    worker.ask("mark");
    made.make(calls);
    return worker.ask("mark");
  }

  private static double middle(double[] values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    return sorted[sorted.length / 2];
  }

  /** Heap of a connection, by the difference of 1,050 and 50. */
  private GateFigures idle() throws IOException, InterruptedException {
    LineWorker few = caller(Kind.HTTP_BUS_MANY, url(), FEW);
    LineWorker many = caller(Kind.HTTP_BUS_MANY, url(), MANY);
    if (!quick) {
      TimeUnit.NANOSECONDS.sleep(IDLE_NANOS);
    }
    double grown = many.ask("weigh").getDouble("heap") - few.ask("weigh").getDouble("heap");
    close(few);
    close(many);
    return new GateFigures(Map.of("heap", grown / (MANY - FEW)));
  }

  private LineWorker caller(Kind kind, String target, int connections) throws IOException {
    LineWorker worker =
        start(kind.name(), List.of("call", kind.name(), target, Integer.toString(connections)));
    worker.answer();
    return worker;
  }

  private LineWorker service(String main, int port, String... args) throws IOException {
    List<String> all = new ArrayList<>(List.of("run", main));
    all.addAll(List.of(args));
    LineWorker worker = start(main, all);
    worker.answer();
    if (!Programs.awaitOpen(port, () -> true)) {
      throw new IOException(main + " does not listen; its stderr says why");
    }
    return worker;
  }

  private LineWorker start(String label, List<String> args) throws IOException {
    LineWorker worker =
        LineWorker.start(
            label, FLAGS, System.getProperty("java.class.path"), GateWorker.class, args);
    workers.add(worker);
    return worker;
  }

  private void close(LineWorker worker) {
    workers.remove(worker);
    worker.close();
  }

  @Override
  public void close() {
    List.copyOf(workers).forEach(this::close);
    programs.close();
  }
}
