package dev.mcpbus;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.Timers;
import dev.mcpbus.cli.AdminTokenPublisher;
import dev.mcpbus.cli.StartTable;
import dev.mcpbus.config.McpBusConfig;
import dev.mcpbus.security.AuthOptions;
import dev.mcpbus.security.SignInOptions;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.PrintStream;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Prints the report of the start: at once the URL of the bridge and two commands to try, then the
 * table of the connections. The table comes when all have settled, or after 3 s with what is known
 * by then; in that case it comes once more, when all have settled or after 15 s, if it differs. The
 * first part is printed on the caller's thread, the tables on contexts of Vert.x.
 */
final class StartReport {

  static final long FIRST_TABLE_MILLIS = 3_000;
  static final long LAST_TABLE_MILLIS = 15_000;

  /** A start without trouble takes less than a second, and its table should not wait. */
  private static final long CHECK_MILLIS = 50;

  /** A start with trouble takes seconds, and each check asks every connection. */
  private static final long SLOW_CHECK_MILLIS = 500;

  /** A check may take the tenth part of the time: thousands of connections have to start. */
  private static final long REST = 10;

  /** Other nodes serve the same addresses. */
  private static final DeliveryOptions THIS_NODE = new DeliveryOptions().setLocalOnly(true);

  private final Supplier<Future<JsonArray>> statuses;
  private final Supplier<Future<JsonArray>> nodes;
  private final Timers timers;
  private final LongSupplier millis;
  private final McpBusConfig config;
  private final PrintStream out;
  private long begin;
  private String first = "";

  StartReport(Vertx vertx, McpBusConfig config, PrintStream out) {
    this(
        () -> list(vertx, Addresses.SERVERS_LIST, "servers"),
        () -> list(vertx, Addresses.SERVERS_NODES, "nodes"),
        Timers.of(vertx),
        () -> System.nanoTime() / 1_000_000,
        config,
        out);
  }

  private static Future<JsonArray> list(Vertx vertx, String address, String member) {
    return vertx
        .eventBus()
        .<JsonObject>request(address, new JsonObject(), THIS_NODE)
        .map(Message::body)
        .map(reply -> reply.getJsonArray(member));
  }

  /**
   * @param statuses the statuses of all connections, as {@code mcp.servers.list} replies them
   * @param nodes of the cluster, as {@code mcp.servers.nodes} replies them
   * @param millis a monotonic clock
   */
  StartReport(
      Supplier<Future<JsonArray>> statuses,
      Supplier<Future<JsonArray>> nodes,
      Timers timers,
      LongSupplier millis,
      McpBusConfig config,
      PrintStream out) {
    this.statuses = statuses;
    this.nodes = nodes;
    this.timers = timers;
    this.millis = millis;
    this.config = config;
    this.out = out;
  }

  /**
   * @param port on which the bridge listens
   * @param admin where the admin token is
   */
  void print(int port, AdminTokenPublisher admin) {
    begin = millis.getAsLong();
    show(addresses(port, admin));
    check();
  }

  private void check() {
    long asked = millis.getAsLong();
    statuses
        .get()
        .compose(
            servers ->
                nodes
                    .get()
                    .onSuccess(members -> known(servers, members, millis.getAsLong() - asked)))
        .onFailure(silent -> checkAgain());
  }

  /** A part of mcpbus that is busy with its start has not answered. */
  private void checkAgain() {
    if (millis.getAsLong() - begin < LAST_TABLE_MILLIS) {
      timers.set(SLOW_CHECK_MILLIS, this::check);
    }
  }

  /**
   * @param took how long the answers took, in milliseconds
   */
  private void known(JsonArray servers, JsonArray members, long took) {
    long elapsed = millis.getAsLong() - begin;
    StartTable table = new StartTable(servers, members, config.problems());
    boolean complete = table.waiting() == 0;
    boolean last = complete || elapsed >= LAST_TABLE_MILLIS;
    if (last && !table.rows().equals(first)) {
      show("\n" + table.rows() + (complete ? "" : table.unsettled()) + "\n");
    } else if (!last && first.isEmpty() && elapsed >= FIRST_TABLE_MILLIS) {
      first = table.rows();
      show("\n" + first + table.follows() + "\n");
    }
    if (!last) {
      long due = first.isEmpty() ? FIRST_TABLE_MILLIS : LAST_TABLE_MILLIS;
      long pause = Math.max(first.isEmpty() ? CHECK_MILLIS : SLOW_CHECK_MILLIS, REST * took);
      timers.set(Math.max(1, Math.min(pause, due - elapsed)), this::check);
    }
  }

  private void show(String text) {
    out.print(text);
    out.flush();
  }

  private String addresses(int port, AdminTokenPublisher admin) {
    String base = config.bridge().scheme() + "://" + config.host() + ":" + port;
    boolean demo = config.servers().stream().anyMatch(server -> server.id().value().equals("demo"));
    return "\nBridge: "
        + base
        + "\nMCP:    "
        + base
        + "/mcp for agents and editors\n"
        + (config.bridge().console() ? "Web:    " + base + "/ for people, in a browser\n" : "")
        + admin.line(base, AdminTokenPublisher.isTerminal())
        + "Try:\n"
        + tries(base, demo);
  }

  private String tries(String base, boolean demo) {
    AuthOptions auth = config.auth();
    SignInOptions signIn = auth.signIn();
    if (signIn != null && auth.apiKeys().isEmpty() && auth.issuers().isEmpty()) {
      String at = " --url " + (signIn.url() == null ? base : signIn.url()) + "\n";
      return "  mcpbus login" + at + "  mcpbus " + (demo ? "call demo.add a=2 b=3" : "tools") + at;
    }
    String curl =
        "  curl -s " + (auth.isRequired() ? "-H \"Authorization: Bearer $KEY\" " : "") + base;
    String call =
        demo
            ? "/api/servers/demo/tools/add -d '{\"a\":2,\"b\":3}'; echo" // a result ends where the
            // server ends it
            : "/rpc -d '{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}'";
    return curl + "/api/servers\n" + curl + call + "\n";
  }
}
