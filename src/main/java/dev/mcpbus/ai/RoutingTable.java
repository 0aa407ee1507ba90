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
 * The routing names of many tools, in the order of the tools. Tools whose names collide get no
 * routing name, so that a call never reaches the wrong tool. Immutable.
 */
public record RoutingTable(Map<String, ToolName> tools, Map<String, List<ToolName>> collisions) {

  /** A tool that is listed twice counts once. */
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

  /** Empty for an unknown name and for a name that several tools would share. */
  public Optional<ToolName> tool(String name) {
    return Optional.ofNullable(tools.get(name));
  }
}
