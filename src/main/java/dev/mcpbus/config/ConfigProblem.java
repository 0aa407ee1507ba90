package dev.mcpbus.config;

import dev.mcpbus.internals.RecordCopy;
import dev.mcpbus.protocol.PublicApi;
import dev.mcpbus.protocol.ServerId;
import org.jspecify.annotations.Nullable;

/**
 * One mistake in a configuration. Immutable.
 *
 * @param file as the user named it; empty for an entry that a program gives
 * @param line 1-based, 0 if unknown
 * @param column 1-based, 0 if unknown
 * @param server the key of the server to which it belongs, null for the whole file
 * @param message what is wrong, without secrets
 * @param remedy how to correct it
 * @param excerpt the line and a caret below the place, without values; empty for none
 * @param fatal true if nothing of the file may be used: wrong syntax, conflicting names
 */
@PublicApi
public record ConfigProblem(
    String file,
    int line,
    int column,
    @Nullable String server,
    String message,
    String remedy,
    String excerpt,
    boolean fatal) {

  /** A mistake at a line, without column and excerpt. */
  public ConfigProblem(
      String file,
      int line,
      @Nullable String server,
      String message,
      String remedy,
      boolean fatal) {
    this(file, line, 0, server, message, remedy, "", fatal);
  }

  /** {@code file:line:column}, as far as they are known: a form that editors understand. */
  public String place() {
    return file + (line > 0 ? ":" + line + (column > 0 ? ":" + column : "") : "");
  }

  /** The id that the server has, or would have; empty for a problem of the whole file. */
  public String serverId() {
    return server == null ? "" : ServerId.of(server);
  }

  ConfigProblem withMessage(String other) {
    return RecordCopy.with(this, "message", other);
  }

  /** {@code file:line: server "x": message. remedy}; without a file it begins with the server. */
  @Override
  public String toString() {
    return (file.isEmpty() ? "" : place() + ": ")
        + (server == null ? "" : "server " + MessageTexts.name(server) + ": ")
        + message
        + ". "
        + remedy;
  }
}
