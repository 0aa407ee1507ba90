package dev.mcpbus.config;

import org.jspecify.annotations.Nullable;

/**
 * One mistake in a configuration. Immutable.
 *
 * @param file as the user named it
 * @param line 1-based, 0 if unknown
 * @param server the key of the server to which it belongs, null for the whole file
 * @param message what is wrong, without secrets
 * @param remedy how to correct it
 * @param fatal true if nothing of the file may be used: wrong syntax, conflicting names
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
