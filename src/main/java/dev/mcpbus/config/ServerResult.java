package dev.mcpbus.config;

import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The result of reading one server's entry. Immutable.
 *
 * @param definition null if there are problems, or if the entry is disabled
 * @param problems all of them; empty if there are none
 */
public record ServerResult(@Nullable ServerDefinition definition, List<ConfigProblem> problems) {

  public ServerResult {
    problems = List.copyOf(problems);
  }

  public Optional<ServerDefinition> usable() {
    return Optional.ofNullable(definition);
  }
}
