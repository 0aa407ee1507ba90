package dev.mcpbus.connection.options;

import dev.mcpbus.protocol.Glob;
import dev.mcpbus.protocol.RawJson;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Which tools of a server exist for its callers: what the lists of its entry keep away is neither
 * listed nor sent, as if the server had never named it. {@code *} and {@code ?} in a name are
 * globs.
 *
 * @param allow lists of names; a tool must be in each of them. None: every tool
 * @param deny names that no list admits
 */
public record ToolPolicy(List<List<String>> allow, List<String> deny) {

  /** Every tool. */
  public static final ToolPolicy ALL = new ToolPolicy(List.of(), List.of());

  public ToolPolicy {
    allow = allow.stream().map(List::copyOf).toList();
    deny = List.copyOf(deny);
  }

  /** True where nothing is kept away. */
  public boolean isOpen() {
    return allow.isEmpty() && deny.isEmpty();
  }

  public boolean admits(String tool) {
    return isOpen() || (!names(deny, tool) && allow.stream().allMatch(list -> names(list, tool)));
  }

  private static boolean names(List<String> globs, String tool) {
    return globs.stream().anyMatch(glob -> Glob.matches(glob, tool));
  }

  /** The result of {@code tools/list} without what is kept away; tools without a name are, too. */
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
