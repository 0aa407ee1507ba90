package dev.mcpbus.connection.tools;

import dev.mcpbus.connection.tools.ToolDefinitions.Definition;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The drift between two lists of tools of one server. Immutable.
 *
 * @param added names of new tools
 * @param removed names of tools that are gone
 * @param changed changed definitions by name
 */
record SchemaDrift(Set<String> added, Set<String> removed, Map<String, Change> changed) {

  private static final int MAX_NAMES = 100;
  private static final int MAX_CHANGES = 25;

  /**
   * A changed definition.
   *
   * @param before the earlier definition as canonical text, null where only its hash is known
   */
  record Change(String hashBefore, @Nullable String before, Definition now) {

    JsonObject toJson(String tool) {
      JsonObject json =
          new JsonObject()
              .put("tool", DefinitionDifferences.shown(tool, 200))
              .put("before", hashBefore)
              .put("hash", now.hash());
      return before == null
          ? json
          : json.put("differences", DefinitionDifferences.of(before, now.canonical()));
    }
  }

  /** The drift between two lists. */
  static SchemaDrift between(ToolDefinitions before, ToolDefinitions now) {
    Set<String> removed = new TreeSet<>(before.byName().keySet());
    removed.removeAll(now.byName().keySet());
    Set<String> added = new TreeSet<>(now.byName().keySet());
    added.removeAll(before.byName().keySet());
    Map<String, Change> changed = new LinkedHashMap<>();
    now.byName()
        .forEach(
            (name, definition) -> {
              Definition old = before.byName().get(name);
              if (old != null && !old.hash().equals(definition.hash())) {
                changed.put(name, new Change(old.hash(), old.canonical(), definition));
              }
            });
    return new SchemaDrift(added, removed, changed);
  }

  /**
   * The drift between the pins of an earlier process and the first list of this one. It contains no
   * removed tools, because a pin outlives its tool.
   */
  static SchemaDrift since(DefinitionPins pins, ToolDefinitions now) {
    Set<String> added = new TreeSet<>();
    if (pins.options().firstUse() && pins.hasPins()) {
      added.addAll(now.byName().keySet());
      added.removeIf(tool -> pins.of(tool) != null);
    }
    return new SchemaDrift(added, Set.of(), violations(pins, now));
  }

  /** The tools whose definitions differ from their pins. */
  static Map<String, Change> violations(DefinitionPins pins, ToolDefinitions now) {
    Map<String, Change> changed = new LinkedHashMap<>();
    now.byName()
        .forEach(
            (name, definition) -> {
              DefinitionPins.Pin pin = pins.of(name);
              if (pin != null && !pin.hash().equals(definition.hash())) {
                changed.put(name, new Change(pin.hash(), pin.definition(), definition));
              }
            });
    return changed;
  }

  boolean isEmpty() {
    return added.isEmpty() && removed.isEmpty() && changed.isEmpty();
  }

  /** The members of the event, with bounded lists; {@code counts} has the full numbers. */
  JsonObject toJson() {
    return new JsonObject()
        .put("added", names(added))
        .put("removed", names(removed))
        .put("changed", changes(changed))
        .put(
            "counts",
            new JsonObject()
                .put("added", added.size())
                .put("removed", removed.size())
                .put("changed", changed.size()));
  }

  static JsonArray names(Collection<String> names) {
    return new JsonArray(
        names.stream()
            .limit(MAX_NAMES)
            .map(name -> DefinitionDifferences.shown(name, 200))
            .toList());
  }

  static JsonArray changes(Map<String, Change> changed) {
    JsonArray all = new JsonArray();
    changed.entrySet().stream()
        .limit(MAX_CHANGES)
        .forEach(entry -> all.add(entry.getValue().toJson(entry.getKey())));
    return all;
  }

  /** A sentence for people: {@code 'echo' differs in description; added 'x'}. */
  String sentence() {
    List<String> parts = new ArrayList<>();
    changed.entrySet().stream()
        .limit(3)
        .forEach(
            entry -> {
              Change change = entry.getValue();
              String where =
                  change.before() == null
                      ? "its definition"
                      : DefinitionDifferences.fields(
                          DefinitionDifferences.of(change.before(), change.now().canonical()));
              parts.add(
                  "'" + DefinitionDifferences.shown(entry.getKey(), 80) + "' differs in " + where);
            });
    if (changed.size() > 3) {
      parts.add((changed.size() - 3) + " more differ");
    }
    if (!added.isEmpty()) {
      parts.add("added " + DefinitionDifferences.names(added));
    }
    if (!removed.isEmpty()) {
      parts.add("removed " + DefinitionDifferences.names(removed));
    }
    return String.join("; ", parts);
  }
}
