package dev.mcpbus.directory;

import dev.mcpbus.bus.RoutingName;
import dev.mcpbus.bus.ToolName;
import dev.mcpbus.protocol.Glob;
import dev.mcpbus.security.AccessPolicy;
import dev.mcpbus.security.Action;
import dev.mcpbus.security.Operation;
import dev.mcpbus.security.Rights;
import java.util.List;
import java.util.Map;

/**
 * What the clients of one path may see, and by which names.
 *
 * @param name the path behind {@code /mcp/}, empty for {@code /mcp} itself
 * @param server true where {@code name} is the one server of this view, with its own names
 * @param rights of who looks: what he may not use is not there
 */
public record DirectoryView(String name, boolean server, ViewOptions options, Rights rights) {

  private static final ViewOptions EVERYTHING =
      new ViewOptions(List.of(), List.of(), List.of(), Map.of(), false);

  static DirectoryView all(Rights rights) {
    return new DirectoryView("", false, EVERYTHING, rights);
  }

  static DirectoryView ofServer(String id, Rights rights) {
    return new DirectoryView(
        id, true, new ViewOptions(List.of(id), List.of(), List.of(), Map.of(), false), rights);
  }

  /** The same without regard to who looks: to find out what he does not see, never to show it. */
  public DirectoryView whole() {
    return new DirectoryView(name, server, options, AccessPolicy.WHOLE);
  }

  /** True where its list has the tools to search with, in place of its own. */
  public boolean searches() {
    return options.search();
  }

  public boolean includes(String id) {
    return (options.servers().isEmpty() || options.servers().contains(id)) && rights.sees(id);
  }

  /** True for a tool, a prompt or a URI of one of its servers that clients may use. */
  public boolean admits(ListKind kind, String id, String key) {
    if (!includes(id) || !PolicyFilter.shows(rights, kind, id, key)) {
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

  /**
   * Whether the client may subscribe to a resource.
   *
   * @param uri the server's own
   */
  public boolean maySubscribe(String id, String uri) {
    return rights.permits(Operation.of(Action.SUBSCRIBE, id, uri));
  }

  /** The name that clients call a tool or a prompt by. */
  public String nameOf(String id, String key) {
    if (server) {
      return key;
    }
    ToolName own = new ToolName(id, key);
    String renamed = options.rename().get(own.toString());
    return renamed == null ? RoutingName.of(own) : renamed;
  }
}
