package dev.mcpbus.connection.options;

import dev.mcpbus.protocol.Glob;
import dev.mcpbus.protocol.PublicApi;
import dev.mcpbus.protocol.RawJson;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Which tools of a server exist for callers, as its entry in the configuration says. The connection
 * neither lists nor calls any other tool. {@code *} and {@code ?} in a name are globs. Immutable.
 *
 * @param allow lists of names; a tool must be in each of them. Without a list every tool is in
 * @param deny names of tools that are left out in any case
 */
@PublicApi
public record ToolPolicy(List<List<String>> allow, List<String> deny) {

  /** Every tool. */
  public static final ToolPolicy ALL = new ToolPolicy(List.of(), List.of());

  public ToolPolicy {
    allow = allow.stream().map(List::copyOf).toList();
    deny = List.copyOf(deny);
  }

  /** True where every tool exists. */
  public boolean isOpen() {
    return allow.isEmpty() && deny.isEmpty();
  }

  public boolean admits(String tool) {
    return isOpen() || (!names(deny, tool) && allow.stream().allMatch(list -> names(list, tool)));
  }

  private static boolean names(List<String> globs, String tool) {
    return globs.stream().anyMatch(glob -> Glob.matches(glob, tool));
  }

  /**
   * The result of {@code tools/list} without the tools left out, and without those that have no
   * name.
   */
  public RawJson restrict(RawJson list) {
    RawJson tools = list.member("tools");
    if (isOpen() || tools == null || !tools.isArray()) {
      return list;
    }
    String kept =
        tools.elements().stream()
            .filter(
                tool -> {
                  RawJson name = tool.isObject() ? tool.member("name") : null;
                  return name != null && name.isString() && admits(name.asString());
                })
            .map(RawJson::toString)
            .collect(Collectors.joining(",", "[", "]"));
    return list.with("tools", RawJson.of(kept));
  }
}
