package dev.mcpbus.connection.tools;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.Events;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.connection.tools.ToolDefinitions.Definition;
import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Compares every complete list of tools with the last one, also across sessions; publishes the
 * drift, and refuses calls of pinned tools that have drifted. {@link SessionTools} passes each list
 * to it, and {@code mcp.<id>.tools.drift} and {@code .approve} read and approve. Owner: the
 * connection's context.
 */
public final class DriftWatch {

  private static final Logger LOG = LoggerFactory.getLogger(DriftWatch.class);
  private static final Set<String> APPROVAL = Set.of("tool", "hash");

  private final ConnectionId id;
  private final DefinitionPins pins;
  private final BiConsumer<String, JsonObject> publisher;
  private @Nullable ToolDefinitions last;
  private @Nullable JsonObject lastDrift;
  private boolean unannounced;

  /**
   * @param publisher publishes an event: its type and its members
   */
  public DriftWatch(
      ConnectionId id, DefinitionPins pins, BiConsumer<String, JsonObject> publisher) {
    this.id = id;
    this.pins = pins;
    this.publisher = publisher;
  }

  public DefinitionPins pins() {
    return pins;
  }

  /**
   * Takes a complete list; publishes {@code schemaDrift} if it differs from the last one.
   *
   * @param announced whether the server has said that its list has changed
   */
  void seen(ToolDefinitions now, boolean announced) {
    ToolDefinitions before = last;
    last = now;
    if (before != null && before.hash().equals(now.hash())) {
      return;
    }
    SchemaDrift drift =
        before == null ? SchemaDrift.since(pins, now) : SchemaDrift.between(before, now);
    pins.pinNew(now);
    if (!drift.isEmpty()) {
      publishDrift(drift, now, announced);
    }
    warnOfUnmatchedPins(now);
    if (!now.invisible().isEmpty()) {
      LOG.warn(
          "connection {}: definitions with invisible characters: {}; read them at {} before a"
              + " model does",
          id,
          DefinitionDifferences.names(now.invisible()),
          Addresses.of(id, Addresses.TOOLS_DRIFT));
    }
  }

  /** A change that the server announces is its daily work, unless a pin does not admit it. */
  private void publishDrift(SchemaDrift drift, ToolDefinitions now, boolean announced) {
    Set<String> quarantined = new TreeSet<>(pins.quarantined(now));
    String message =
        "the tools have changed: "
            + drift.sentence()
            + (quarantined.isEmpty()
                ? ""
                : "; quarantined until approved: " + DefinitionDifferences.names(quarantined));
    lastDrift = new JsonObject().put("time", Instant.now().toString()).put("message", message);
    unannounced = true;
    Level level = announced && quarantined.isEmpty() ? Level.INFO : Level.WARN;
    LOG.atLevel(level).log("connection {}: {}", id, message);
    publisher.accept(
        Events.SCHEMA_DRIFT,
        drift
            .toJson()
            .put("hash", now.hash())
            .put("quarantined", SchemaDrift.names(quarantined))
            .put("message", message));
  }

  /** Warns of configured pins that match no tool: their names are perhaps misspelt. */
  private void warnOfUnmatchedPins(ToolDefinitions now) {
    Set<String> missing = new TreeSet<>(pins.options().hashes().keySet());
    missing.removeAll(now.byName().keySet());
    if (!missing.isEmpty()) {
      LOG.warn(
          "connection {}: pinned, but not offered: {}; compare the names in \"pin\" with {}",
          id,
          DefinitionDifferences.names(missing),
          Addresses.of(id, Addresses.TOOLS_LIST));
    }
  }

  /** Publishes that the list has changed, unless that was published since the last drift. */
  void announceDrift(ToolTable table) {
    if (unannounced) {
      announce(table);
    }
  }

  public void announce(ToolTable table) {
    unannounced = false;
    publisher.accept(Events.TOOLS_CHANGED, table.summary());
  }

  /**
   * The failure if the tool must not be called, else null.
   *
   * @param list the list of the present session, null where the server has not listed its tools
   */
  @Nullable McpFailure refusal(String tool, @Nullable ToolDefinitions list) {
    if (!pins.covers(tool)) {
      return null;
    }
    Definition now = list == null ? null : list.byName().get(tool);
    if (list != null && (now == null || pins.admits(tool, now))) {
      return null; // the pipeline refuses a tool that is not listed as unknown
    }
    String name = "tool '" + DefinitionDifferences.shown(tool, 200) + "'";
    if (now == null) {
      return McpFailure.notSent(
          FailureCode.FORBIDDEN,
          name + " is pinned, and its definition cannot be checked: the server lists no tools");
    }
    DefinitionPins.Pin pin = pins.of(tool);
    JsonObject data = new JsonObject().put("tool", tool).put("hash", now.hash());
    String why;
    if (pin == null) {
      why = "cannot be pinned, " + (pins.problem() == null ? "too many are" : pins.problem());
    } else {
      data.put("pinned", pin.hash());
      String before = pin.definition();
      why =
          "has drifted from its pinned definition"
              + (before == null
                  ? ""
                  : " in "
                      + DefinitionDifferences.fields(
                          DefinitionDifferences.of(before, now.canonical())));
    }
    return new McpFailure(
        FailureCode.FORBIDDEN,
        McpFailure.Sent.NO,
        name
            + " is quarantined: it "
            + why
            + ". Compare it at "
            + Addresses.of(id, Addresses.TOOLS_DRIFT)
            + " and approve it at "
            + Addresses.of(id, Addresses.TOOLS_APPROVE),
        -1,
        data);
  }

  /** The members for {@code status}: the hash of the list, quarantined tools, problems. */
  public JsonObject status() {
    JsonObject json = new JsonObject();
    ToolDefinitions now = last;
    if (now != null) {
      json.put("toolsHash", now.hash());
      Set<String> quarantined = pins.quarantined(now);
      if (!quarantined.isEmpty()) {
        json.put("quarantined", SchemaDrift.names(quarantined));
      }
    }
    if (lastDrift != null) {
      json.put("lastDrift", lastDrift.copy());
    }
    String problem = pins.problem();
    return problem == null ? json : json.put("pinProblem", problem);
  }

  /**
   * The answer of {@code mcp.<id>.tools.drift}: {@code {pin, hash, tools: {name: {hash, state}},
   * pending: [{tool, before, hash, ...}], invisible: [name], ...}}.
   */
  public JsonObject toJson() {
    JsonObject json = new JsonObject().put("pin", pins.mode());
    ToolDefinitions now = last;
    JsonObject tools = new JsonObject();
    JsonArray pending = new JsonArray();
    if (now != null) {
      json.put("hash", now.hash());
      now.byName()
          .forEach(
              (name, definition) ->
                  tools.put(
                      name,
                      new JsonObject()
                          .put("hash", definition.hash())
                          .put("state", state(name, definition))));
      pending = SchemaDrift.changes(SchemaDrift.violations(pins, now));
      Set<String> missing = new TreeSet<>(pins.options().hashes().keySet());
      missing.removeAll(now.byName().keySet());
      json.put("missing", SchemaDrift.names(missing))
          .put("invisible", SchemaDrift.names(now.invisible()));
    }
    json.put("tools", tools).put("pending", pending);
    JsonObject status = status();
    status.remove("toolsHash");
    return json.mergeIn(status);
  }

  private String state(String name, Definition definition) {
    if (!pins.covers(name)) {
      return "free";
    }
    return pins.admits(name, definition) ? "pinned" : "quarantined";
  }

  /**
   * Pins quarantined tools to their present definitions: {@code {tool?, hash?}}, one tool or all of
   * them, if the tool (without one: the whole list) still has that hash.
   *
   * @return {@code {approved: {name: hash}, quarantined: [name], remembered}}
   * @throws McpFailure {@code BAD_REQUEST}, {@code UNKNOWN_TOOL} or {@code UNAVAILABLE}
   */
  public Future<JsonObject> approve(JsonObject body) {
    Object tool = body.getValue("tool");
    Object hash = body.getValue("hash");
    if (!APPROVAL.containsAll(body.fieldNames())
        || !(tool == null || tool instanceof String)
        || !(hash == null || hash instanceof String)) {
      throw McpFailure.badRequest(
          "the body must be {\"tool\": string or absent, \"hash\": string or absent}");
    }
    ToolDefinitions now = last;
    if (!pins.isActive()) {
      throw McpFailure.badRequest(
          "no tool of server '" + id + "' is pinned; set \"pin\" in its configuration");
    }
    if (now == null) {
      throw McpFailure.notSent(
          FailureCode.UNAVAILABLE, "the server has not listed its tools yet; connect it first");
    }
    Map<String, Definition> approved = wanted(now, (String) tool, (String) hash);
    if (approved.isEmpty()) {
      return Future.succeededFuture(answer(approved, now).put("remembered", true));
    }
    Future<Boolean> saved = pins.approve(approved);
    JsonObject answer = answer(approved, now);
    LOG.info(
        "connection {}: approved as they are now: {}",
        id,
        DefinitionDifferences.names(approved.keySet()));
    publisher.accept(Events.SCHEMA_APPROVED, answer.copy());
    publisher.accept(Events.TOOLS_CHANGED, new JsonObject().put("tools", now.byName().size()));
    return saved.map(remembered -> answer.put("remembered", remembered));
  }

  private Map<String, Definition> wanted(
      ToolDefinitions now, @Nullable String tool, @Nullable String hash) {
    Map<String, Definition> wanted = new LinkedHashMap<>();
    Set<String> names = new LinkedHashSet<>(pins.quarantined(now));
    String current = now.hash();
    if (tool != null) {
      Definition definition = now.byName().get(tool);
      String name = "'" + DefinitionDifferences.shown(tool, 200) + "'";
      if (definition == null) {
        throw McpFailure.notSent(
            FailureCode.UNKNOWN_TOOL, "the server offers no tool " + name + " now");
      }
      if (!pins.covers(tool)) {
        throw McpFailure.badRequest(
            "tool " + name + " is not pinned; name it in \"pin\" of the configuration");
      }
      current = definition.hash();
      names.retainAll(Set.of(tool));
    }
    if (hash != null && !hash.equals(current)) {
      throw McpFailure.badRequest(
          "that hash is stale, it has changed again: now it is "
              + current
              + "; compare at "
              + Addresses.of(id, Addresses.TOOLS_DRIFT));
    }
    names.forEach(name -> wanted.put(name, now.byName().get(name)));
    return wanted;
  }

  private JsonObject answer(Map<String, Definition> approved, ToolDefinitions now) {
    JsonObject hashes = new JsonObject();
    approved.forEach((name, definition) -> hashes.put(name, definition.hash()));
    return new JsonObject()
        .put("approved", hashes)
        .put("quarantined", SchemaDrift.names(pins.quarantined(now)));
  }
}
