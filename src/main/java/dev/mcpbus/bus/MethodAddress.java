package dev.mcpbus.bus;

import dev.mcpbus.protocol.Methods;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The addresses that take the requests of one MCP method. Immutable.
 *
 * @param suffix the address of one server is {@code mcp.<id>.<suffix>}
 * @param all the address for all servers together; null if a request must name one server
 */
public record MethodAddress(String method, String suffix, @Nullable String all) {

  public static final List<MethodAddress> TABLE =
      List.of(
          new MethodAddress(Methods.TOOLS_LIST, Addresses.TOOLS_LIST, Addresses.ALL_TOOLS_LIST),
          new MethodAddress(Methods.TOOLS_CALL, Addresses.TOOLS_CALL, Addresses.ALL_TOOLS_CALL),
          new MethodAddress(
              Methods.RESOURCES_LIST, Addresses.RESOURCES_LIST, Addresses.ALL_RESOURCES_LIST),
          new MethodAddress(Methods.RESOURCES_TEMPLATES, Addresses.RESOURCES_TEMPLATES, null),
          new MethodAddress(Methods.RESOURCES_READ, Addresses.RESOURCES_READ, null),
          new MethodAddress(Methods.RESOURCES_SUBSCRIBE, Addresses.RESOURCES_SUBSCRIBE, null),
          new MethodAddress(Methods.RESOURCES_UNSUBSCRIBE, Addresses.RESOURCES_UNSUBSCRIBE, null),
          new MethodAddress(Methods.DIRECTORY_READ, Addresses.RESOURCES_DIRECTORY, null),
          new MethodAddress(Methods.SKILLS_LIST, Addresses.SKILLS_LIST, Addresses.ALL_SKILLS_LIST),
          new MethodAddress(Methods.SKILLS_GET, Addresses.SKILLS_GET, null),
          new MethodAddress(
              Methods.PROMPTS_LIST, Addresses.PROMPTS_LIST, Addresses.ALL_PROMPTS_LIST),
          new MethodAddress(Methods.PROMPTS_GET, Addresses.PROMPTS_GET, null),
          new MethodAddress(Methods.COMPLETE, Addresses.COMPLETION, null),
          new MethodAddress(Methods.TASKS_GET, Addresses.TASKS_GET, null),
          new MethodAddress(Methods.TASKS_RESULT, Addresses.TASKS_RESULT, null),
          new MethodAddress(Methods.TASKS_UPDATE, Addresses.TASKS_UPDATE, null),
          new MethodAddress(Methods.TASKS_CANCEL, Addresses.TASKS_CANCEL, null),
          new MethodAddress(Methods.TASKS_LIST, Addresses.TASKS_LIST, null),
          new MethodAddress(Methods.SET_LEVEL, Addresses.LOGLEVEL, null),
          new MethodAddress(Methods.PING, Addresses.PING, null));

  private static final Map<String, MethodAddress> BY_METHOD = by(MethodAddress::method);
  private static final Map<String, MethodAddress> BY_SUFFIX = by(MethodAddress::suffix);

  private static Map<String, MethodAddress> by(Function<MethodAddress, String> key) {
    return TABLE.stream().collect(Collectors.toUnmodifiableMap(key, row -> row));
  }

  /** Null if the method has no address of its own. */
  public static @Nullable MethodAddress ofMethod(String method) {
    return BY_METHOD.get(method);
  }

  /** Null if the address takes no MCP method, or takes every method. */
  public static @Nullable MethodAddress ofSuffix(String suffix) {
    return BY_SUFFIX.get(suffix);
  }
}
