package dev.mcpbus.bench.gateway;

import dev.mcpbus.bench.Paired;
import dev.mcpbus.testing.FreePorts;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Calls through {@code /mcp} and through {@code /rpc}, in this build and in an older one.
 * Arguments: the directory of the fixtures, the class path of the older build, and {@code --quick}
 * for a smoke test.
 */
final class GatewayComparison {

  private final Path directory;
  private final boolean quick;
  private final Paired paired = new Paired();

  private GatewayComparison(Path directory, boolean quick) {
    this.directory = directory;
    this.quick = quick;
  }

  public static void main(String[] args) throws Exception {
    GatewayComparison comparison =
        new GatewayComparison(Path.of(args[0]), List.of(args).contains("--quick"));
    for (int pair = 0; pair < (comparison.quick ? 1 : Paired.PAIRS); pair++) {
      comparison.pair(args[1], System.getProperty("java.class.path"));
    }
    comparison.paired.print();
  }

  private void pair(String before, String now) throws Exception {
    try (Programs programs = new Programs(directory)) {
      String echo = directory.resolve("echo_stdio").toAbsolutePath().toString();
      int fixture = programs.fixture(directory.resolve("echo_http").toAbsolutePath().toString());
      Path config = directory.resolve("compared.json");
      Files.writeString(
          config, GatewayBench.echoes(fixture, echo).encode(), StandardCharsets.UTF_8);
      Map<String, List<JsonObject>> first = new LinkedHashMap<>();
      Map<String, List<JsonObject>> second = new LinkedHashMap<>();
      Map<Endpoint, Path> older = endpoints(programs, config, before);
      Map<Endpoint, Path> newer = endpoints(programs, config, now);
      load(programs, older, quick ? 300 : 5_000);
      load(programs, newer, quick ? 300 : 5_000);
      for (int turn = 0; turn < (quick ? 2 : Paired.TURNS); turn++) {
        for (Endpoint of : older.keySet()) {
          Endpoint other = find(newer, of.label());
          boolean even = turn % 2 == 0;
          measure(programs, even ? of : other, even ? older : newer, even ? first : second);
          measure(programs, even ? other : of, even ? newer : older, even ? second : first);
        }
      }
      first.forEach(
          (label, rows) -> paired.add(label, rows, Objects.requireNonNull(second.get(label))));
    }
  }

  private Map<Endpoint, Path> endpoints(Programs programs, Path config, String classPath)
      throws IOException, InterruptedException {
    int port = FreePorts.one();
    programs.java(
        classPath,
        port,
        "dev.mcpbus.Main",
        List.of("--config", config.toString(), "--port", Integer.toString(port)));
    programs.awaitReady(port);
    Map<Endpoint, Path> all = new LinkedHashMap<>();
    put(
        all,
        new Endpoint("/mcp, 2025-11-25", programs.latest(), port, "/mcp", false, null),
        "older");
    put(
        all,
        new Endpoint("/mcp, 2026-07-28", programs.latest(), port, "/mcp", true, null),
        "newer");
    put(
        all,
        new Endpoint("/mcp, stdio server", programs.latest(), port, "/mcp", false, null),
        "pipe");
    Endpoint api = new Endpoint("/rpc", programs.latest(), port, "/rpc", false, null);
    all.put(
        api,
        api.write(
            directory,
            Map.of("Content-Type", "application/json"),
            "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\",\"serverId\":\"older\","
                + "\"params\":{\"name\":\"echo\",\"arguments\":{\"text\":\"hello, world\"}}}"));
    return all;
  }

  private void put(Map<Endpoint, Path> all, Endpoint endpoint, String server)
      throws IOException, InterruptedException {
    String tool = server + "__echo";
    String call = "\"name\":\"" + tool + "\",\"arguments\":{\"text\":\"hello, world\"}";
    all.put(endpoint, endpoint.request(directory, "tools/call", tool, call));
  }

  private static void load(Programs programs, Map<Endpoint, Path> endpoints, long millis)
      throws IOException {
    for (Map.Entry<Endpoint, Path> one : endpoints.entrySet()) {
      programs.load(one.getKey(), GatewayBench.CALLERS, 1, millis, one.getValue());
    }
  }

  private static Endpoint find(Map<Endpoint, Path> endpoints, String label) {
    return endpoints.keySet().stream()
        .filter(one -> one.label().equals(label))
        .findFirst()
        .orElseThrow();
  }

  private void measure(
      Programs programs,
      Endpoint endpoint,
      Map<Endpoint, Path> requests,
      Map<String, List<JsonObject>> rows)
      throws IOException {
    long millis = quick ? 100 : Paired.TURN_MILLIS;
    Path request = Objects.requireNonNull(requests.get(endpoint));
    JsonObject row = programs.load(endpoint, GatewayBench.CALLERS, 1, millis, request);
    if (row.getLong("wrong") > 0) {
      throw new IOException(endpoint.label() + ": " + row.encode());
    }
    rows.computeIfAbsent(endpoint.label(), first -> new ArrayList<>()).add(row);
  }
}
