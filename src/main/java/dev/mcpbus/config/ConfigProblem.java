package dev.mcpbus.config;

import org.jspecify.annotations.Nullable;

/**
 * One mistake in a configuration.
 *
 * @param file as the user named it
 * @param line 1-based, 0 where it cannot be known
 * @param server the key of the server it belongs to, null where it concerns the whole file
 * @param message what is wrong, without secrets
 * @param remedy what to do
 * @param fatal true where nothing of the file may be used: broken syntax, conflict of names
 */
public record ConfigProblem(
    String file, int line, @Nullable String server, String message, String remedy, boolean fatal) {

  /** {@code file:line: server "x": message. remedy} */
  @Override
  public String toString() {
    return file
        + (line > 0 ? ":" + line : "")
        + ": "
        + (server == null ? "" : "server \"" + server + "\": ")
        + message
        + ". "
        + remedy;
  }
}
