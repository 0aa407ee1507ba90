package dev.mcpbus;

import dev.mcpbus.config.ServerDefinition;
import io.vertx.core.json.JsonObject;

/** Reads the entry of a server that a caller adds, with the same checks as a file. */
@FunctionalInterface
public interface ServerEntryReader {

  /**
   * Reads one entry.
   *
   * @param name as it would stand as a key in a file
   * @param entry as it would stand under that key
   * @throws dev.mcpbus.bus.McpFailure {@code BAD_REQUEST} that names every mistake
   */
  ServerDefinition read(String name, JsonObject entry);
}
