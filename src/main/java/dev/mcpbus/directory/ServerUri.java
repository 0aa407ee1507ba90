package dev.mcpbus.directory;

import dev.mcpbus.bus.ConnectionId;
import org.jspecify.annotations.Nullable;

/**
 * The name of a URI that several servers list, {@code mcp+<server>:<uri>}, and the way back.
 * Stateless.
 */
final class ServerUri {

  private static final String PREFIX = "mcp+";

  private ServerUri() {}

  static String of(String server, String uri) {
    return PREFIX + server + ":" + uri;
  }

  /** The server that {@code uri} names; null if it names none. */
  static @Nullable String server(String uri) {
    int colon = uri.indexOf(':');
    if (!uri.startsWith(PREFIX) || colon < 0) {
      return null;
    }
    String id = uri.substring(PREFIX.length(), colon);
    return ConnectionId.problem(id) == null ? id : null;
  }

  /** The server's own URI in a name that {@link #server} accepts. */
  static String own(String uri) {
    return uri.substring(uri.indexOf(':') + 1);
  }
}
