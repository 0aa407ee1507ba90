package dev.mcpbus.bus;

import dev.mcpbus.protocol.PublicApi;
import java.util.Optional;

/**
 * A tool's name among the tools of all servers, {@code server.tool} or {@code server:tool}, split
 * at the first separator. An id contains neither character, so two pairs never share a name; the
 * tool's own name may contain both. Immutable.
 *
 * @param server the part before the separator, which may be no valid id
 * @param tool the name that the server itself uses, never empty
 */
@PublicApi
public record ToolName(String server, String tool) {

  /** Empty if there is no separator, or no text before or after it. */
  public static Optional<ToolName> parse(String name) {
    for (int i = 0; i < name.length(); i++) {
      char c = name.charAt(i);
      if (c == '.' || c == ':') {
        return i == 0 || i == name.length() - 1
            ? Optional.empty()
            : Optional.of(new ToolName(name.substring(0, i), name.substring(i + 1)));
      }
    }
    return Optional.empty();
  }

  /** {@code server.tool}. */
  @Override
  public String toString() {
    return server + "." + tool;
  }
}
