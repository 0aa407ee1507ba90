package dev.mcpbus.connection.tools;

import dev.mcpbus.protocol.CanonicalJson;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.protocol.Sha256;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The definitions of one list of tools, each with a hash. The hash covers every member but {@code
 * icons} and {@code _meta}, in canonical form, so that the order of members and of tools makes no
 * difference. Immutable; slow to make of a large list, which a worker does.
 */
final class ToolDefinitions {

  /**
   * Members that are not hashed: they do not say what a tool does, and servers change them often.
   */
  private static final List<String> IGNORED = List.of("icons", "_meta");

  private static final String ALGORITHM = "sha256-";

  /**
   * One tool.
   *
   * @param hash the hash of {@link #canonical}, such as {@code sha256-9f86...}
   * @param raw the tool as the server sent it; an array if the server listed the name several times
   */
  record Definition(String hash, RawJson raw) {

    /** The text of the hash. */
    String canonical() {
      return ToolDefinitions.canonical(raw);
    }
  }

  private final Map<String, Definition> byName;
  private final Set<String> invisible;
  private final String hash;

  private ToolDefinitions(Map<String, Definition> byName, Set<String> invisible) {
    this.invisible = Collections.unmodifiableSet(invisible);
    this.byName = Collections.unmodifiableMap(byName);
    StringBuilder all = new StringBuilder();
    new TreeMap<>(byName)
        .forEach(
            (name, tool) ->
                all.append(CanonicalJson.of(RawJson.string(name))).append(tool.hash()).append(','));
    this.hash = hash(all.toString());
  }

  /**
   * @param list the result of {@code tools/list}, all pages
   */
  static ToolDefinitions of(RawJson list) {
    Map<String, RawJson> raw = new LinkedHashMap<>();
    RawJson tools = list.member("tools");
    for (RawJson tool : tools == null ? List.<RawJson>of() : tools.elements()) {
      RawJson name = tool.member("name");
      if (name != null && name.isString()) {
        raw.merge(name.asString(), tool, ToolDefinitions::joined);
      }
    }
    Map<String, Definition> all = new LinkedHashMap<>();
    Set<String> invisible = new TreeSet<>();
    raw.forEach(
        (name, tool) -> {
          String text = canonical(tool);
          all.put(name, new Definition(hash(text), tool));
          if (DefinitionDifferences.hides(text)) {
            invisible.add(name);
          }
        });
    return new ToolDefinitions(all, invisible);
  }

  /** Joins two tools of one name: only the server knows which one it runs, so both are hashed. */
  private static RawJson joined(RawJson one, RawJson other) {
    String first = one.toString();
    String inner = one.isArray() ? first.substring(1, first.length() - 1) : first;
    return RawJson.of("[" + inner + "," + other + "]");
  }

  private static String canonical(RawJson tool) {
    RawJson counted = tool;
    if (tool.isObject()) {
      for (String member : IGNORED) {
        counted = counted.without(member);
      }
    }
    return CanonicalJson.of(counted);
  }

  private static String hash(String text) {
    return ALGORITHM + Sha256.hex(text);
  }

  /** The definitions by name, in the order of the list. */
  Map<String, Definition> byName() {
    return byName;
  }

  /** The tools whose definitions have characters that a model reads and people do not see. */
  Set<String> invisible() {
    return invisible;
  }

  /** The hash of all names with their hashes. */
  String hash() {
    return hash;
  }
}
