package dev.mcpbus.ai;

import dev.mcpbus.bus.RoutingName;
import dev.mcpbus.bus.ToolName;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * Routing names of many tools, in the order of the tools. Immutable. Tools whose names collide have
 * none here: a call must never reach the wrong one.
 */
public final class RoutingTable {

  private final Map<String, ToolName> tools;
  private final Map<String, List<ToolName>> collisions;

  private RoutingTable(Map<String, ToolName> tools, Map<String, List<ToolName>> collisions) {
    this.tools = tools;
    this.collisions = collisions;
  }

  /** A tool that stands twice counts once. */
  public static RoutingTable of(Collection<ToolName> tools) {
    return of(tools, RoutingName::of);
  }

  public static RoutingTable of(Collection<ToolName> tools, Function<ToolName, String> naming) {
    Map<String, List<ToolName>> all = new LinkedHashMap<>();
    for (ToolName tool : tools) {
      List<ToolName> same = all.computeIfAbsent(naming.apply(tool), name -> new ArrayList<>());
      if (!same.contains(tool)) {
        same.add(tool);
      }
    }
    Map<String, ToolName> unique = new LinkedHashMap<>();
    Map<String, List<ToolName>> collisions = new LinkedHashMap<>();
    all.forEach(
        (name, same) -> {
          if (same.size() == 1) {
            unique.put(name, same.get(0));
          } else {
            collisions.put(name, List.copyOf(same));
          }
        });
    return new RoutingTable(
        Collections.unmodifiableMap(unique), Collections.unmodifiableMap(collisions));
  }

  /** Empty for a name that nobody has, and for one that several would have. */
  public Optional<ToolName> tool(String name) {
    return Optional.ofNullable(tools.get(name));
  }

  /** By routing name, in order. */
  public Map<String, ToolName> tools() {
    return tools;
  }

  /** Names that route nowhere, with the tools that share them. */
  public Map<String, List<ToolName>> collisions() {
    return collisions;
  }
}
