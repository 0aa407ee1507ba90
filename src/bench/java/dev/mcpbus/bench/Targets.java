package dev.mcpbus.bench;

import dev.mcpbus.bench.Results.Row;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** What the core is to reach, and whether it does. Only what was measured is judged. */
final class Targets {

  /** Equal, as far as two rows of one run can tell on a machine that does other things too. */
  private static final double SAME = 0.9;

  private final Results results;
  private final List<Target> all = new ArrayList<>();

  private Targets(Results results) {
    this.results = results;
  }

  static List<Target> judge(Results results) {
    Targets targets = new Targets(results);
    targets.rates();
    targets.others();
    return targets.all;
  }

  private void rates() {
    ToDoubleFunction<Row> rate = Row::perSecond;
    ToDoubleFunction<Row> cpu = Row::cpuMicros;
    ratio("http, 64: calls/s of SDK (parallelism=2)", Kind.HTTP_BUS, Kind.HTTP_SDK, rate, true, 4);
    ratio(
        "http, 64: calls/s of bare HttpClient, one event loop each",
        Kind.HTTP_BUS_ONE_LOOP,
        Kind.HTTP_VERTX,
        rate,
        true,
        0.8);
    ratio(
        "http, 64: calls/s of bare HttpClient, caller on another event loop",
        Kind.HTTP_BUS,
        Kind.HTTP_VERTX,
        rate,
        true,
        0.8);
    ratio("http, 64: JsonObject of Buffer", Kind.HTTP_BUS_JSON, Kind.HTTP_BUS, rate, true, 0.7);
    ratio("http, 64: CPU per call of SDK", Kind.HTTP_BUS, Kind.HTTP_SDK, cpu, false, 1);
    ratio("stdio, 64: calls/s of SDK", Kind.STDIO_BUS, Kind.STDIO_SDK, rate, true, 2);
    ratio("stdio, 64: calls/s of raw pipes", Kind.STDIO_BUS, Kind.STDIO_PIPES, rate, true, 0.45);
    ratio("stdio, 64: JsonObject of Buffer", Kind.STDIO_BUS_JSON, Kind.STDIO_BUS, rate, true, 0.7);
    ratio("stdio, 64: CPU per call of SDK", Kind.STDIO_BUS, Kind.STDIO_SDK, cpu, false, 1);
    ratio(
        "stdio, 64: calls/s, 2026-07-28 of 2025-11-25",
        Kind.STDIO_BUS_MODERN,
        Kind.STDIO_BUS,
        rate,
        true,
        SAME);
    ratio(
        "http, 64: calls/s, 2026-07-28 of 2025-11-25",
        Kind.HTTP_BUS_MODERN,
        Kind.HTTP_BUS,
        rate,
        true,
        SAME);
    ratio(
        "http, 64: CPU per call, one among 1,000",
        Kind.HTTP_BUS_AMONG,
        Kind.HTTP_BUS,
        cpu,
        false,
        1.1);
    ratio(
        "http, 64: CPU per call, spread over 1,000",
        Kind.HTTP_BUS_MANY,
        Kind.HTTP_BUS,
        cpu,
        false,
        1.1);
  }

  private void ratio(
      String name, Kind ours, Kind theirs, ToDoubleFunction<Row> of, boolean atLeast, double goal) {
    Row mine = results.row(ours, Plan.JUDGED);
    Row other = results.row(theirs, Plan.JUDGED);
    if (mine != null && other != null) {
      double value = of.applyAsDouble(mine) / of.applyAsDouble(other);
      all.add(new Target(name, value, atLeast, goal, "x"));
    }
  }

  private void others() {
    for (Kind kind : List.of(Kind.STDIO_BUS, Kind.HTTP_BUS)) {
      Row paced = results.paced(kind);
      if (paced != null) {
        String name = kind.label + ": p99 at 1,000 calls/s";
        all.add(new Target(name, paced.p99Micros() / 1_000, false, 5, " ms"));
      }
    }
    JsonObject one = results.memory(Kind.HTTP_BUS);
    idle("idle HTTP connection", one, results.memory(Kind.HTTP_BUS_MANY));
    idle("idle HTTP connection with a GET stream", one, results.memory(Kind.HTTP_BUS_STREAMS));
  }

  private void idle(String name, @Nullable JsonObject one, @Nullable JsonObject many) {
    if (one != null && many != null) {
      double kilobytes = (growth(one, many, "heap") + growth(one, many, "direct")) / 1_024;
      all.add(new Target(name + ": heap and direct", kilobytes, false, 40, " KiB"));
      all.add(new Target(name + ": threads", growth(one, many, "threads"), false, 0, ""));
    }
  }

  /** Of each connection beyond the first. */
  static double growth(@Nullable JsonObject one, @Nullable JsonObject many, String name) {
    if (one == null || many == null) {
      return 0;
    }
    return (many.getDouble(name) - one.getDouble(name)) / (Kind.MANY - 1);
  }
}
