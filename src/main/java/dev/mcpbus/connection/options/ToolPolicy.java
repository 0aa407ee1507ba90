package dev.mcpbus.connection.options;

import dev.mcpbus.protocol.Glob;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.protocol.UriForms;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Which tools of a server exist for callers, as its entry in the configuration says. The connection
 * neither lists nor calls any other tool. {@code *} and {@code ?} in a name are globs. Immutable.
 *
 * @param allow lists of names; a tool must be in each of them. Without a list every tool is in
 * @param deny names of tools that are left out in any case
 */
public record ToolPolicy(List<List<String>> allow, List<String> deny) {

  /** Characters: the time of a comparison grows with the name. */
  private static final int MAX_NAME = 4_096;

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

  /**
   * Whether a message that MCP does not define may name what its params name: the server may take
   * it for a tool. A tool that is left out must not be named in any form, such as another letter
   * case, nor by a value that is no text, in which a lenient server may find a name.
   */
  public boolean mayName(RawJson params) {
    if (isOpen() || !params.isObject()) {
      return true;
    }
    RawJson ref = params.member("ref");
    return mayBe(params.member("name"))
        && (ref == null || !ref.isObject() || mayBe(ref.member("name")));
  }

  private boolean mayBe(@Nullable RawJson name) {
    if (name == null) {
      return true;
    }
    return name.isString() && admits(name.asString()) && !deniesForm(name.asString());
  }

  private boolean deniesForm(String name) {
    if (deny.isEmpty()) {
      return false;
    }
    if (name.length() > MAX_NAME) {
      return true;
    }
    UriForms forms = UriForms.of(name);
    return deny.stream().anyMatch(glob -> forms.matches(UriForms.pattern(glob)));
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
