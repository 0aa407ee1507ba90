package dev.mcpbus.config;

import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What the watcher found when a file had changed: either a difference to apply, or the problems
 * because of which nothing is applied.
 *
 * @param diff null where there are problems
 * @param result what reading the file gave; its configuration is the live one from now on where
 *     {@code diff} is not null
 */
public record ConfigChange(@Nullable ConfigDiff diff, ConfigResult result) {

  /** The difference to apply; empty where the file has problems. */
  public Optional<ConfigDiff> applicable() {
    return Optional.ofNullable(diff);
  }

  public List<ConfigProblem> problems() {
    return result.problems();
  }
}
