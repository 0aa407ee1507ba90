package dev.mcpbus.config;

import dev.mcpbus.bus.McpFailure;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
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

  /**
   * The definition.
   *
   * @throws McpFailure {@code BAD_REQUEST}, whose message names every mistake
   */
  public ServerDefinition required() {
    return usable()
        .orElseThrow(
            () ->
                McpFailure.badRequest(
                    problems.isEmpty()
                        ? "the entry is disabled: remove \"disabled\""
                        : problems.stream()
                            .map(ConfigProblem::toString)
                            .collect(Collectors.joining("; "))));
  }

  public Optional<ServerDefinition> usable() {
    return Optional.ofNullable(definition);
  }
}
