package dev.mcpbus.cli;

import dev.mcpbus.config.ConfigProblem;
import dev.mcpbus.protocol.Printable;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * The table of the connections at the start, as text of at most one page: a row of at most 100
 * characters for each server, first the servers that work, then those that do not, with the reason
 * in one line, then those that the configuration leaves out; in a cluster the nodes below. Text of
 * servers is {@link Printable}. Immutable.
 */
public final class StartTable {

  private static final Set<String> SETTLED = Set.of("READY", "DEGRADED", "FAILED", "IDLE");
  private static final List<String> HEADINGS =
      List.of("CONNECTION", "STATE", "ERA", "SERVER", "TOOLS", "TOOK");

  /** The columns of a row with a reason: the reason takes the place of the others. */
  private static final int REASON = 2;

  private static final int MAX_WIDTH = 100;
  private static final int MAX_ID = 40;
  private static final int MAX_NODES = 16;
  private static final int MAX_LINE = 1_000;
  private static final int NAME = 3;
  private static final int MAX_NAME = 60;
  private static final int MIN_NAME = 12;
  private static final int MAX_WORKING = 40;
  private static final int MAX_TROUBLE = 20;

  private final String rows;
  private final int waiting;
  private final int servers;

  /**
   * @param statuses as {@code mcp.servers.list} replies them
   * @param nodes as {@code mcp.servers.nodes} replies them; only in a cluster they have an id
   * @param problems of the configuration, each with its server
   */
  public StartTable(JsonArray statuses, JsonArray nodes, Collection<ConfigProblem> problems) {
    String self = names(nodes, true).stream().findFirst().orElse("");
    List<List<String>> working = new ArrayList<>();
    List<List<String>> trouble = new ArrayList<>();
    int unsettled = 0;
    for (Object one : statuses) {
      JsonObject status = (JsonObject) one;
      unsettled += isSettled(status) ? 0 : 1;
      if (status.getString("state").equals("READY")) {
        working.add(connected(status));
      } else {
        trouble.add(List.of(id(status), place(status, self), reason(status)));
      }
    }
    leftOut(problems).forEach((id, why) -> trouble.add(List.of(cut(id, MAX_ID), "LEFT OUT", why)));
    this.servers = statuses.size();
    this.waiting = unsettled;
    this.rows = text(working, trouble) + members(self, names(nodes, false));
  }

  /** The table with its headings; ends with a line break. */
  public String rows() {
    return rows;
  }

  /** The number of connections that have neither become ready nor failed for good. */
  public int waiting() {
    return waiting;
  }

  /** The line below a table after which another one comes. */
  public String follows() {
    return "  " + waiting + " of " + count() + " not settled yet: the table follows again.\n";
  }

  /** The line below the last table, where not all have settled. */
  public String unsettled() {
    return "  " + waiting + " of " + count() + " not settled yet: mcpbus status\n";
  }

  private String count() {
    return servers + (servers == 1 ? " connection" : " connections");
  }

  /** A settled server has also listed its tools, where it has any. */
  private static boolean isSettled(JsonObject status) {
    boolean counting =
        status.getJsonObject("capabilities", new JsonObject()).containsKey("tools")
            && !status.containsKey("toolsListed");
    return SETTLED.contains(status.getString("state")) && !counting;
  }

  private static String id(JsonObject status) {
    return cut(StatusReport.shownName(status), MAX_ID);
  }

  private static List<String> connected(JsonObject status) {
    JsonObject server = status.getJsonObject("server", new JsonObject());
    String name = (server.getString("name", "") + " " + server.getString("version", "")).trim();
    return List.of(
        id(status),
        status.getString("state"),
        status.getString("era", "-").toLowerCase(Locale.ROOT),
        name.isEmpty() ? "-" : cut(name, MAX_NAME),
        isSettled(status) ? String.valueOf(status.getInteger("tools")) : "...",
        status.getLong("connectMillis") + " ms");
  }

  /** The state; for a server that waits at another node, that node. */
  private static String place(JsonObject status, String self) {
    String node = status.getString("node", "");
    boolean elsewhere = !self.isEmpty() && !node.isEmpty() && !node.equals(self);
    return elsewhere && status.getString("state").equals("IDLE")
        ? cut("at " + node, MAX_NAME)
        : status.getString("state");
  }

  /** The names of this node, or of the other nodes; empty without a cluster. */
  private static List<String> names(JsonArray nodes, boolean self) {
    return nodes.stream()
        .map(JsonObject.class::cast)
        .filter(node -> node.containsKey("id") && node.getBoolean("self", false) == self)
        .map(node -> node.getString("name"))
        .toList();
  }

  private static String members(String self, List<String> others) {
    if (self.isEmpty()) {
      return "";
    }
    List<String> shown = others.subList(0, Math.min(MAX_NODES, others.size()));
    String more = others.size() > MAX_NODES ? " and " + (others.size() - MAX_NODES) + " more" : "";
    String line =
        "Cluster: this node is "
            + self
            + (others.isEmpty()
                ? "; no other node has joined yet"
                : ", with " + String.join(", ", shown) + more);
    return "  " + cut(line, MAX_LINE) + "\n";
  }

  private static String reason(JsonObject status) {
    JsonObject error = status.getJsonObject("lastError");
    if (error != null) {
      return error.getString("code") + ": " + error.getString("message");
    }
    String installing = StatusReport.installing(status);
    if (!installing.isEmpty()) {
      return installing;
    }
    return switch (status.getString("state")) {
      case "CONNECTING" -> "waiting for the handshake";
      case "IDLE" -> "starts with the first call";
      case "CLOSED" -> "gives no status";
      case "DEGRADED" -> "its health check fails";
      default -> "-";
    };
  }

  /** The first problem of each server, in the order of the file. */
  private static Map<String, String> leftOut(Collection<ConfigProblem> problems) {
    Map<String, String> reasons = new LinkedHashMap<>();
    for (ConfigProblem problem : problems) {
      String server = problem.server();
      if (server != null) {
        String place = problem.line() > 0 ? "line " + problem.line() + ": " : "";
        reasons.putIfAbsent(server, place + problem.message());
      }
    }
    return reasons;
  }

  private static String text(List<List<String>> working, List<List<String>> trouble) {
    List<List<String>> shown = new ArrayList<>();
    shown.add(HEADINGS);
    shown.addAll(working.subList(0, Math.min(MAX_WORKING, working.size())));
    int troubleAt = shown.size();
    shown.addAll(trouble.subList(0, Math.min(MAX_TROUBLE, trouble.size())));
    int[] widths = widths(shown);
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < shown.size(); i++) {
      if (i == troubleAt) {
        more(text, working.size() - MAX_WORKING, " are READY");
      }
      text.append(line(shown.get(i), widths)).append('\n');
    }
    if (troubleAt == shown.size()) {
      more(text, working.size() - MAX_WORKING, " are READY");
    }
    more(text, trouble.size() - MAX_TROUBLE, "");
    return text.toString();
  }

  private static void more(StringBuilder text, int hidden, String state) {
    if (hidden > 0) {
      text.append("  and ")
          .append(hidden)
          .append(" more")
          .append(state)
          .append(": mcpbus status\n");
    }
  }

  private static int[] widths(List<List<String>> rows) {
    int[] widths = new int[HEADINGS.size()];
    for (List<String> row : rows) {
      int columns = row.size() == HEADINGS.size() ? row.size() : REASON;
      for (int i = 0; i < columns; i++) {
        widths[i] = Math.max(widths[i], row.get(i).length());
      }
    }
    int others = 2 * widths.length - widths[NAME];
    for (int width : widths) {
      others += width;
    }
    widths[NAME] = Math.min(widths[NAME], Math.max(MIN_NAME, MAX_WIDTH - others));
    return widths;
  }

  private static String line(List<String> row, int[] widths) {
    StringBuilder line = new StringBuilder("  ");
    for (int i = 0; i < row.size() - 1; i++) {
      String cell = cut(row.get(i), widths[i]);
      line.append(cell).append(" ".repeat(widths[i] - cell.length() + 2));
    }
    line.append(cut(row.get(row.size() - 1), MAX_WIDTH - line.length()));
    return line.toString().stripTrailing();
  }

  /** One printable line of at most {@code most} characters; line breaks become {@code |}. */
  private static String cut(String text, int most) {
    String line = Printable.line(Printable.joined(text, " | "));
    return line.length() <= most ? line : line.substring(0, Math.max(0, most - 3)) + "...";
  }
}
