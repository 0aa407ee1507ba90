package dev.mcpbus.config;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What reading a file gave.
 *
 * @param config null where a problem is fatal; else everything that is right, single bad servers
 *     left out
 * @param problems all of them, by line
 * @param notes of what is not obeyed although nothing is wrong with it, by line
 * @param defaults of the file, for servers that are added at run time
 * @param files that the configuration was read from: the file itself, then every {@code envFile}
 */
public record ConfigResult(
    @Nullable McpBusConfig config,
    List<ConfigProblem> problems,
    List<ConfigProblem> notes,
    ServerSettings defaults,
    List<Path> files) {

  public ConfigResult {
    problems = List.copyOf(problems);
    notes = List.copyOf(notes);
    files = List.copyOf(files);
  }

  /** The configuration, where it can be used at all. */
  public Optional<McpBusConfig> usable() {
    return Optional.ofNullable(config);
  }
}
