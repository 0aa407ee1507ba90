package dev.mcpbus.config;

import dev.mcpbus.bus.McpFailure;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The result of reading one server's entry. Immutable.
 *
 * @param definition null if there are problems, or if the entry is disabled
 * @param problems all of them; empty if there are none
 * @param notes settings that are ignored although they are no mistakes
 */
public record ServerResult(
    @Nullable ServerDefinition definition,
    List<ConfigProblem> problems,
    List<ConfigProblem> notes) {

  private static final Logger LOG = LoggerFactory.getLogger(ServerResult.class);

  public ServerResult {
    problems = List.copyOf(problems);
    notes = List.copyOf(notes);
  }

  /**
   * The definition; the log has the notes.
   *
   * @throws McpFailure {@code BAD_REQUEST}, whose message names every mistake
   */
  public ServerDefinition required() {
    notes.forEach(note -> LOG.warn("{}", note));
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
