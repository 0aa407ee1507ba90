package dev.mcpbus.cli;

import dev.mcpbus.cli.TableCell.CellColor;
import dev.mcpbus.protocol.ServerId;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The answer of {@code /api/servers} as a table and remarks. Immutable. */
final class StatusReport {

  private final TextTable table =
      new TextTable("CONNECTION", "STATE", "SINCE", "RESTARTS", "TOOLS", "ERA", "SERVER");
  private final List<String> remarks = new ArrayList<>();

  /**
   * @param list of {@code /api/servers}
   * @param configuration of {@code /api/config}, empty where it is not known
   */
  StatusReport(JsonObject list, JsonObject configuration, Instant now) {
    for (JsonObject server : ContentText.objects(list, "servers")) {
      table.row(row(server, now));
      remark(server, now);
    }
    for (JsonObject left : leftOut(list, configuration)) {
      String id = ContentText.text(left, "id");
      table.row(id, new TableCell("LEFT OUT", CellColor.BAD), "", "", "", "", "");
      remarks.add(id + ": left out: " + problems(left));
    }
    String broken = ContentText.text(configuration, "brokenSince");
    if (!broken.isEmpty()) {
      String file = ContentText.text(configuration, "file");
      remarks.add(
          file
              + " on disk is broken since "
              + TimeText.clock(broken, now)
              + "; what was read before stays in force. \"mcpbus check "
              + file
              + "\" says what is wrong");
    }
    for (Object problem : ContentText.array(list, "problems")) {
      remarks.add("this node should get no work: " + problem);
    }
    ContentText.array(list, "notes").forEach(note -> remarks.add("warning: " + note));
  }

  private static List<JsonObject> leftOut(JsonObject list, JsonObject configuration) {
    List<JsonObject> known = ContentText.objects(configuration, "leftOut");
    return known.isEmpty() ? ContentText.objects(list, "leftOut") : known;
  }

  TextTable table() {
    return table;
  }

  /** What a table has no room for: errors, next attempts, left-out servers, a broken file. */
  List<String> remarks() {
    return remarks;
  }

  private static @Nullable Object[] row(JsonObject server, Instant now) {
    boolean connected = server.containsKey("era");
    return new @Nullable Object[] {
      shownName(server),
      state(server),
      TimeText.since(server.getValue("since"), now),
      server.getValue("restarts"),
      connected ? server.getValue("tools") : "",
      ContentText.text(server, "era").toLowerCase(Locale.ROOT),
      serverName(server)
    };
  }

  /** The id of a server; with its name before it where that tells more. */
  static String shownName(JsonObject server) {
    String id = ContentText.text(server, "id");
    String name = ContentText.text(server, "name");
    return name.isEmpty() || !ServerId.isHashed(id) ? id : name + " (" + id + ")";
  }

  /** The state with the colour of its meaning. */
  static TableCell state(JsonObject server) {
    String state = ContentText.text(server, "state");
    return new TableCell(
        state,
        switch (state) {
          case "READY" -> CellColor.GOOD;
          case "FAILED" -> CellColor.BAD;
          case "DEGRADED", "RECONNECTING" -> CellColor.WARNING;
          default -> CellColor.NONE;
        });
  }

  private static String serverName(JsonObject status) {
    return status.getValue("server") instanceof JsonObject server
        ? (ContentText.text(server, "name") + " " + ContentText.text(server, "version")).strip()
        : "";
  }

  /** The last error of a connection that is not ready, and when it is tried again. */
  private void remark(JsonObject server, Instant now) {
    String installing = installing(server);
    if (!installing.isEmpty()) {
      remarks.add(ContentText.text(server, "id") + ": " + installing);
      return;
    }
    if ("READY".equals(server.getValue("state"))
        || !(server.getValue("lastError") instanceof JsonObject error)) {
      return;
    }
    String next = next(server, now);
    remarks.add(
        ContentText.text(server, "id")
            + ": "
            + error(error, now)
            + (next.isEmpty() ? "" : "; " + next));
  }

  /** {@code npx is installing the server, 34 s}; empty where nothing is installed. */
  static String installing(JsonObject server) {
    return server.containsKey("installing")
        ? ContentText.text(server, "installing")
            + " is installing the server, "
            + server.getLong("installingMillis", 0L) / 1_000
            + " s"
        : "";
  }

  /** One line about a server or about one that is left out. */
  static String inShort(JsonObject server) {
    String id = ContentText.text(server, "id");
    if (!server.containsKey("state")) {
      return id + ": left out: " + problems(server);
    }
    String state = id + ": " + ContentText.text(server, "state");
    return server.getValue("lastError") instanceof JsonObject error
        ? state + ": " + ContentText.text(error, "message")
        : state;
  }

  private static String error(JsonObject error, Instant now) {
    String ago = TimeText.since(error.getValue("time"), now);
    return ContentText.text(error, "code")
        + (ago.isEmpty() ? "" : " (" + ago + " ago)")
        + ": "
        + ContentText.text(error, "message");
  }

  private static String quirk(JsonObject quirk) {
    return ContentText.text(quirk, "says") + " (" + quirk.getValue("count") + " times)";
  }

  private static String next(JsonObject server, Instant now) {
    Instant next = TimeText.instant(server.getValue("nextAttempt"));
    if (next == null) {
      return "";
    }
    Object attempt = server.getValue("attempt");
    return "next attempt in "
        + TimeText.span(Duration.between(now, next))
        + (attempt instanceof Integer number && number > 0 ? " (number " + number + ")" : "");
  }

  private static String problems(JsonObject left) {
    return String.join(
        "; ",
        ContentText.array(left, "problems").stream()
            .map(
                problem ->
                    problem instanceof JsonObject json ? problem(json) : String.valueOf(problem))
            .toList());
  }

  private static String problem(JsonObject problem) {
    boolean known = problem.getValue("line") instanceof Integer line && line > 0;
    String file = ContentText.text(problem, "file");
    String place = file + (known ? ":" + problem.getValue("line") : "");
    String remedy = ContentText.text(problem, "remedy");
    return (place.isEmpty() ? "" : place + ": ")
        + ContentText.text(problem, "message")
        + (remedy.isEmpty() ? "" : ". " + remedy);
  }

  /** All about one server, in the order for people; without what it does not have. */
  static Map<String, String> details(JsonObject server, Instant now) {
    Map<String, String> details = new LinkedHashMap<>();
    put(details, "id", server.getValue("id"));
    put(details, "name", server.getValue("name"));
    put(details, "state", server.getValue("state"));
    put(details, "installs", installing(server));
    Instant since = TimeText.instant(server.getValue("since"));
    put(
        details,
        "since",
        since == null
            ? null
            : TimeText.clock(server.getValue("since"), now)
                + ", "
                + TimeText.since(server.getValue("since"), now)
                + " ago");
    put(details, "identity", server.getValue("identity"));
    put(details, "callers", server.getValue("callers"));
    put(details, "server", serverName(server));
    put(details, "era", ContentText.text(server, "era").toLowerCase(Locale.ROOT));
    put(details, "version", server.getValue("protocolVersion"));
    put(details, "tools", server.getValue("tools"));
    put(details, "restarts", server.getValue("restarts"));
    if (server.getValue("lastError") instanceof JsonObject error) {
      put(details, "last error", error(error, now));
    }
    put(details, "next", next(server, now));
    if (server.getValue("leftOutTools") instanceof JsonObject tools) {
      put(details, "left out", tools.encode());
    }
    for (Object quirk : ContentText.array(server, "quirks")) {
      if (quirk instanceof JsonObject one) {
        details.merge("tolerated", quirk(one), (before, more) -> before + "; " + more);
      }
    }
    put(details, "node", server.getValue("node"));
    transport(details, server);
    put(details, "source", server.getValue("source"));
    if (server.getValue("config") instanceof JsonObject config) {
      put(details, "config", config.encode());
    }
    return details;
  }

  private static void transport(Map<String, String> details, JsonObject server) {
    if (server.getValue("transport") instanceof JsonObject transport) {
      put(details, "transport", transport.getValue("type"));
      put(details, "target", transport.getValue("target"));
      put(details, "pid", transport.getValue("pid"));
    }
  }

  private static void put(Map<String, String> details, String name, @Nullable Object value) {
    String text = Objects.toString(value, "");
    if (!text.isEmpty()) {
      details.put(name, text);
    }
  }
}
