package dev.mcpbus.gateway;

import dev.mcpbus.bus.RoutingName;
import dev.mcpbus.bus.ToolName;
import dev.mcpbus.security.Glob;
import java.util.List;
import java.util.Map;

/**
 * What the clients of one path may see, and by which names.
 *
 * @param name the path behind {@code /mcp/}, empty for {@code /mcp} itself
 * @param server true where {@code name} is the one server of this view, with its own names
 */
record View(String name, boolean server, ViewOptions options) {

  private static final ViewOptions EVERYTHING =
      new ViewOptions(List.of(), List.of(), List.of(), Map.of(), false);

  static final View ALL = new View("", false, EVERYTHING);

  static View ofServer(String id) {
    return new View(id, true, new ViewOptions(List.of(id), List.of(), List.of(), Map.of(), false));
  }

  boolean includes(String id) {
    return options.servers().isEmpty() || options.servers().contains(id);
  }

  /** True for a tool, a prompt or a URI of one of its servers that clients may use. */
  boolean admits(String id, String key) {
    if (!includes(id)) {
      return false;
    }
    if (options.allow().isEmpty() && options.deny().isEmpty()) {
      return true;
    }
    String text = id + "." + key;
    return (options.allow().isEmpty()
            || options.allow().stream().anyMatch(glob -> Glob.matches(glob, text)))
        && options.deny().stream().noneMatch(glob -> Glob.matches(glob, text));
  }

  /** The name that clients call a tool or a prompt by. */
  String nameOf(String id, String key) {
    if (server) {
      return key;
    }
    ToolName own = new ToolName(id, key);
    String renamed = options.rename().get(own.toString());
    return renamed == null ? RoutingName.of(own) : renamed;
  }
}
