package dev.mcpbus.config;

import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What reading one server's entry gave.
 *
 * @param definition null where there are problems, or where the entry is disabled
 * @param problems all of them; empty where all is well
 */
public record ServerResult(@Nullable ServerDefinition definition, List<ConfigProblem> problems) {

  public ServerResult {
    problems = List.copyOf(problems);
  }

  public Optional<ServerDefinition> usable() {
    return Optional.ofNullable(definition);
  }
}
