package dev.mcpbus.config.read;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** Sets of keys that {@link ConfigSchema} has, and words beside them. */
public final class ConfigKeys {

  /** With one of these keys a file is in mcpbus's own format, and its other keys are checked. */
  public static final Set<String> OURS =
      keys(ConfigSchema.TOP, name -> !Set.of("$schema", "mcpServers", "inputs").contains(name));

  public static final List<String> ROOTS = List.of("mcpServers", "servers", "mcp_servers");

  /** What a server is, how to reach it and how it behaves, without words of other programs. */
  static final Set<String> SERVER =
      keys(
          ConfigSchema.SERVER,
          name ->
              ConfigSchema.SERVER.key(name).rules().isEmpty()
                  || name.equals("enabledTools")
                  || name.equals("disabledTools"));

  /** How to reach a server and where it runs: for a transport of the program all is said. */
  static final Set<String> REACHING =
      keys(
          ConfigSchema.SERVER,
          name ->
              SERVER.contains(name)
                  && !ConfigSchema.SETTINGS.names().contains(name)
                  && !Set.of("enabled", "disabled", "enabledTools", "disabledTools")
                      .contains(name));

  /** Keys of {@code retry} in the seeds' YAML. */
  static final Set<String> RETRY = words("max_attempts delay max_delay factor");

  /**
   * Names from other programs that differ too much from ours for a comparison of letters. In order:
   * of two that are equally near, the first counts.
   */
  static final Map<String, String> HINTS =
      Collections.unmodifiableMap(
          new TreeMap<>(
              Map.of(
                  "cmd", "command",
                  "arguments", "args",
                  "environment", "env",
                  "transport", "type",
                  "transportType", "type",
                  "retry", "restart",
                  "workingDirectory", "cwd",
                  "endpoint", "url",
                  "requestInit", "headers")));

  private ConfigKeys() {}

  public static Set<String> words(String words) {
    return Set.of(words.strip().split("\\s+"));
  }

  private static Set<String> keys(ConfigSchema schema, Predicate<String> which) {
    return schema.names().stream().filter(which).collect(Collectors.toUnmodifiableSet());
  }
}
