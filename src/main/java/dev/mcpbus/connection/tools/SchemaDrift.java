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
 * What has changed between two lists of tools.
 *
 * @param added names
 * @param removed names
 * @param changed by name
 */
record SchemaDrift(Set<String> added, Set<String> removed, Map<String, Change> changed) {

  private static final int MAX_NAMES = 100;
  private static final int MAX_CHANGES = 25;

  /**
   * One tool.
   *
   * @param before canonical text, null where only the hash is known
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

  /** Between two lists of one server. */
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
   * Between what an earlier process remembered and its first list now. What was removed meanwhile
   * is not told: a pin outlives its tool.
   */
  static SchemaDrift since(DefinitionPins pins, ToolDefinitions now) {
    Set<String> added = new TreeSet<>();
    if (pins.options().firstUse() && pins.remembers()) {
      added.addAll(now.byName().keySet());
      added.removeIf(tool -> pins.of(tool) != null);
    }
    return new SchemaDrift(added, Set.of(), violations(pins, now));
  }

  /** The tools that are not what their pins say. */
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

  /** Bounded: names and changes beyond a number are only counted. */
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

  /** For a person: {@code 'echo' differs in description; added 'x'}. */
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
