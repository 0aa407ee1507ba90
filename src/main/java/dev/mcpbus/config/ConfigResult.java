package dev.mcpbus.config;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The result of reading a file. Immutable.
 *
 * @param config null if a problem is fatal; otherwise everything that is right, without the servers
 *     that have problems
 * @param problems all of them, sorted by line
 * @param notes settings that are ignored although they are no mistakes, sorted by line
 * @param defaults of the file, for servers that are added at run time
 * @param files that were read: the file itself, then every {@code envFile}
 * @param digest of the file's text as it was read; empty where it could not be
 */
public record ConfigResult(
    @Nullable McpBusConfig config,
    List<ConfigProblem> problems,
    List<ConfigProblem> notes,
    ServerSettings defaults,
    List<Path> files,
    String digest) {

  public ConfigResult {
    problems = List.copyOf(problems);
    notes = List.copyOf(notes);
    files = List.copyOf(files);
  }

  /** The configuration, if it can be used. */
  public Optional<McpBusConfig> usable() {
    return Optional.ofNullable(config);
  }
}
