package dev.mcpbus.config.paste;

import dev.mcpbus.config.read.ConfigNode;
import org.jspecify.annotations.Nullable;

/**
 * One server in a text that a person has pasted. Immutable.
 *
 * @param name as the text has it; null where it has none
 * @param entry in a form that {@code mcp.servers.add} takes
 * @param line of the server's name, or where the entry begins
 */
record PastedServer(@Nullable String name, ConfigNode entry, int line) {

  /** Without the entry, which may hold secrets. */
  @Override
  public String toString() {
    return "pasted server in line " + line;
  }
}
