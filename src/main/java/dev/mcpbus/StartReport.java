package dev.mcpbus;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.config.McpBusConfig;
import dev.mcpbus.protocol.Printable;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.Message;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * Prints the report after the start: a table of the connections once they have settled, or after 15
 * s, then the URL of the bridge and two commands to try. Runs on contexts of Vert.x.
 */
final class StartReport {

  private static final Set<String> SETTLED = Set.of("READY", "DEGRADED", "FAILED", "IDLE");
  private static final List<String> HEADINGS =
      List.of("CONNECTION", "STATE", "ERA", "SERVER", "TOOLS", "TOOK");
  private static final int MAX_NAME = 60;
  private static final long CHECK_MILLIS = 50;
  private static final long MAX_WAIT_MILLIS = 15_000;

  private final Vertx vertx;
  private final McpBus bus;
  private final McpBusConfig config;
  private final AdminTokenPublisher admin;
  private final PrintStream out;

  StartReport(
      Vertx vertx, McpBus bus, McpBusConfig config, AdminTokenPublisher admin, PrintStream out) {
    this.vertx = vertx;
    this.bus = bus;
    this.config = config;
    this.admin = admin;
    this.out = out;
  }

  void print() {
    check(System.nanoTime() + MAX_WAIT_MILLIS * 1_000_000);
  }

  private void check(long until) {
    vertx
        .eventBus()
        .<JsonObject>request(Addresses.SERVERS_LIST, new JsonObject())
        .map(Message::body)
        .onSuccess(
            list -> {
              JsonArray servers = list.getJsonArray("servers");
              if (servers.stream().allMatch(StartReport::isSettled)
                  || System.nanoTime() - until > 0) {
                out.print(render(servers));
                out.flush();
              } else {
                vertx.setTimer(CHECK_MILLIS, again -> check(until));
              }
            });
  }

  /** A settled server has also listed its tools, where it has any. */
  private static boolean isSettled(Object status) {
    JsonObject server = (JsonObject) status;
    boolean counting =
        server.getJsonObject("capabilities", new JsonObject()).containsKey("tools")
            && !server.containsKey("toolsListed");
    return SETTLED.contains(server.getString("state")) && !counting;
  }

  private String render(JsonArray servers) {
    List<List<String>> rows = new ArrayList<>();
    rows.add(HEADINGS);
    List<String> errors = new ArrayList<>();
    for (Object status : servers) {
      JsonObject server = (JsonObject) status;
      rows.add(row(server));
      JsonObject error = server.getJsonObject("lastError");
      if (error != null) {
        errors.add(
            "  "
                + server.getString("id")
                + ": "
                + error.getString("code")
                + ": "
                + Printable.line(error.getString("message").replaceAll("\\s*\\R\\s*", " | ")));
      }
    }
    StringBuilder text = new StringBuilder("\n");
    append(text, rows);
    if (!errors.isEmpty()) {
      text.append('\n');
    }
    errors.forEach(line -> text.append(line).append('\n'));
    if (!config.problems().isEmpty()) {
      text.append("  left out: ")
          .append(config.problems().size())
          .append(config.problems().size() == 1 ? " problem" : " problems")
          .append(" in the configuration, see above\n");
    }
    return text.append(tryIt(servers)).toString();
  }

  private static List<String> row(JsonObject status) {
    JsonObject server = status.getJsonObject("server", new JsonObject());
    String name = (server.getString("name", "") + " " + server.getString("version", "")).trim();
    boolean connected = status.containsKey("era");
    return List.of(
        status.getString("id"),
        status.getString("state"),
        connected ? status.getString("era").toLowerCase(Locale.ROOT) : "-",
        name.isEmpty() ? "-" : cut(Printable.line(name)),
        connected ? String.valueOf(status.getInteger("tools")) : "-",
        connected ? status.getLong("connectMillis") + " ms" : "-");
  }

  /** Cuts the name that a server gives itself, which may have any length. */
  private static String cut(String name) {
    return name.length() > MAX_NAME ? name.substring(0, MAX_NAME) + "..." : name;
  }

  private static void append(StringBuilder text, List<List<String>> rows) {
    List<Integer> widths = new ArrayList<>(Collections.nCopies(HEADINGS.size(), 0));
    for (List<String> row : rows) {
      for (int i = 0; i < row.size(); i++) {
        widths.set(i, Math.max(widths.get(i), row.get(i).length()));
      }
    }
    for (List<String> row : rows) {
      StringBuilder line = new StringBuilder("  ");
      for (int i = 0; i < row.size(); i++) {
        line.append(row.get(i)).append(" ".repeat(widths.get(i) - row.get(i).length() + 2));
      }
      text.append(line.toString().stripTrailing()).append('\n');
    }
  }

  private String tryIt(JsonArray servers) {
    String base = config.bridge().scheme() + "://" + config.host() + ":" + bus.port();
    boolean demo =
        servers.stream().anyMatch(server -> "demo".equals(((JsonObject) server).getString("id")));
    String curl =
        "  curl -s "
            + (config.auth().isRequired() ? "-H \"Authorization: Bearer $KEY\" " : "")
            + base;
    String call =
        demo
            ? "/api/servers/demo/tools/add -d '{\"a\":2,\"b\":3}'"
            : "/rpc -d '{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}'";
    return "\nBridge: "
        + base
        + "\nMCP:    "
        + base
        + "/mcp for agents and editors\n"
        + admin.line(base, AdminTokenPublisher.isTerminal())
        + "Try:\n"
        + curl
        + "/api/servers\n"
        + curl
        + call
        + "\n\n";
  }
}
