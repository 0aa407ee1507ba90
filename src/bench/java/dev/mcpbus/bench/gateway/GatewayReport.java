package dev.mcpbus.bench.gateway;

import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What was measured, and what was to be reached. */
final class GatewayReport {

  static final String PROXY_OLD = "bare Vert.x proxy, 2025-11-25";
  static final String PROXY_NEW = "bare Vert.x proxy, 2026-07-28";
  static final String STDIO_OLD = "mcpbus, client 2025, stdio server 2025";
  static final String NPM = "npm: ";
  static final String WHOLE = "all 5,000 tools";

  private static final double MIB = 1024.0 * 1024;

  private final Map<Endpoint, List<JsonObject>> calls = new LinkedHashMap<>();
  private final Map<Endpoint, JsonObject> lists = new LinkedHashMap<>();
  private final Map<Endpoint, JsonObject> heaps = new LinkedHashMap<>();
  private final List<String> lines = new ArrayList<>();

  void add(Endpoint endpoint, JsonObject row) {
    calls.computeIfAbsent(endpoint, first -> new ArrayList<>()).add(row);
  }

  void list(Endpoint endpoint, JsonObject row) {
    lists.put(endpoint, row);
  }

  void heap(Endpoint endpoint, JsonObject row, long bytes, int samples) {
    heaps.put(endpoint, row.put("heapAboveIdle", bytes).put("samples", samples));
  }

  void write(Path file) throws IOException {
    System.out.printf(
        Locale.ROOT,
        "%nOn %d cores, JVM %s, %d callers, medians of %d rounds.%n%n%-46s %9s %7s %8s %8s %9s%n",
        Runtime.getRuntime().availableProcessors(),
        System.getProperty("java.version"),
        GatewayBench.CALLERS,
        calls.values().iterator().next().size(),
        "",
        "calls/s",
        "CPU us",
        "p50 us",
        "p99 us",
        "of proxy");
    calls.keySet().forEach(this::printCalls);
    System.out.println();
    lists.forEach(
        (endpoint, row) -> {
          long each = row.getLong("bytes") / Math.max(1, row.getLong("answers"));
          System.out.printf(
              Locale.ROOT,
              "%-46s %,9.0f %7.1f %8.0f %8.0f   %,d bytes each%s%n",
              endpoint.label(),
              row.getDouble("perSecond"),
              row.getDouble("cpuMicros"),
              row.getDouble("p50"),
              row.getDouble("p99"),
              each,
              wrong(row));
          line("list", endpoint.label(), row);
        });
    System.out.println();
    heaps.forEach(
        (endpoint, row) -> {
          System.out.printf(
              Locale.ROOT,
              "%-46s %9.1f /s   at most %.1f MiB of heap above idle in %d samples%s%n",
              endpoint.label(),
              row.getDouble("perSecond"),
              row.getLong("heapAboveIdle") / MIB,
              row.getInteger("samples"),
              wrong(row));
          line("heap", endpoint.label(), row);
        });
    System.out.println();
    verdicts();
    Files.write(file, lines, StandardCharsets.UTF_8);
    System.out.printf("%nAs JSON lines: %s%n", file);
  }

  private void printCalls(Endpoint endpoint) {
    JsonObject row = median(endpoint);
    double ratio = row.getDouble("perSecond") / proxy(endpoint).getDouble("perSecond");
    System.out.printf(
        Locale.ROOT,
        "%-46s %,9.0f %7.1f %8.0f %8.0f %8.2fx%s%n",
        endpoint.label(),
        row.getDouble("perSecond"),
        row.getDouble("cpuMicros"),
        row.getDouble("p50"),
        row.getDouble("p99"),
        ratio,
        wrong(row));
    line("calls", endpoint.label(), row.copy().put("ofProxy", ratio));
  }

  private static String wrong(JsonObject row) {
    return row.getLong("wrong") == 0 ? "" : "   " + row.getLong("wrong") + " WRONG";
  }

  private void line(String kind, String label, JsonObject row) {
    lines.add(new JsonObject().put("row", kind).put("label", label).mergeIn(row).encode());
  }

  // ---- verdicts

  private void verdicts() {
    for (Endpoint endpoint : calls.keySet()) {
      if (endpoint.label().startsWith("mcpbus, client") && !endpoint.label().contains("stdio")) {
        JsonObject own = median(endpoint);
        JsonObject proxy = proxy(endpoint);
        String what = endpoint.label().substring("mcpbus, ".length());
        verdict(what + ": calls/s of the proxy's", ratio(own, proxy, "perSecond"), 0.7, true);
        verdict(what + ": p99 of the proxy's", ratio(own, proxy, "p99"), 2, false);
      }
    }
    JsonObject best = bestOfNpm();
    Endpoint stdio = find(STDIO_OLD);
    if (best != null && stdio != null) {
      double times = ratio(median(stdio), best, "perSecond");
      verdict("stdio server: calls/s of the best of npm", times, 10, true);
    }
    heaps.forEach(
        (endpoint, row) ->
            verdict(
                endpoint.label() + ": MiB above idle",
                row.getLong("heapAboveIdle") / MIB,
                32,
                false));
    lists.forEach(
        (endpoint, row) -> verdict(endpoint.label(), row.getDouble("perSecond"), 2_000, true));
  }

  private void verdict(String what, double value, double wanted, boolean atLeast) {
    boolean pass = atLeast ? value >= wanted : value <= wanted;
    System.out.printf(
        Locale.ROOT,
        "%s %-62s %9.2f  (%s %s)%n",
        pass ? "PASS" : "FAIL",
        what,
        value,
        atLeast ? "at least" : "at most",
        wanted);
    lines.add(
        new JsonObject()
            .put("row", "target")
            .put("what", what)
            .put("value", value)
            .put("wanted", wanted)
            .put("atLeast", atLeast)
            .put("pass", pass)
            .encode());
  }

  private static double ratio(JsonObject own, JsonObject other, String member) {
    return own.getDouble(member) / other.getDouble(member);
  }

  private @Nullable JsonObject bestOfNpm() {
    return calls.keySet().stream()
        .filter(endpoint -> endpoint.label().startsWith(NPM))
        .map(this::median)
        .max(Comparator.comparingDouble(row -> row.getDouble("perSecond")))
        .orElse(null);
  }

  /** The proxy, spoken to as this endpoint is. */
  private JsonObject proxy(Endpoint endpoint) {
    Endpoint proxy = find(endpoint.modern() ? PROXY_NEW : PROXY_OLD);
    if (proxy == null) {
      throw new IllegalStateException("the proxy was not measured");
    }
    return median(proxy);
  }

  private @Nullable Endpoint find(String label) {
    return calls.keySet().stream()
        .filter(endpoint -> endpoint.label().equals(label))
        .findFirst()
        .orElse(null);
  }

  private JsonObject median(Endpoint endpoint) {
    List<JsonObject> rows = new ArrayList<>(calls.get(endpoint));
    rows.sort(Comparator.comparingDouble(row -> row.getDouble("perSecond")));
    JsonObject median = rows.get(rows.size() / 2).copy();
    long wrong = rows.stream().mapToLong(row -> row.getLong("wrong")).sum();
    rows.sort(Comparator.comparingDouble(row -> row.getDouble("p99")));
    return median.put("wrong", wrong).put("p99", rows.get(rows.size() / 2).getDouble("p99"));
  }
}
