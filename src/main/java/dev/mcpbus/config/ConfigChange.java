package dev.mcpbus.config;

import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What {@code ConfigWatcher} reports after a file has changed: a difference to apply, or the
 * problems that prevent it.
 *
 * @param diff null if there are problems
 * @param result of reading the file; if {@code diff} is not null, its configuration is the live one
 *     from now on
 */
public record ConfigChange(@Nullable ConfigDiff diff, ConfigResult result) {

  /** The difference to apply; empty if the file has problems. */
  public Optional<ConfigDiff> applicable() {
    return Optional.ofNullable(diff);
  }

  public List<ConfigProblem> problems() {
    return result.problems();
  }
}
