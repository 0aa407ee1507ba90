package dev.mcpbus.bus;

import java.util.Optional;

/**
 * An address of one server: {@code mcp.<id>.<suffix>}. {@link Addresses#of} writes it. Immutable.
 */
public record ServerAddress(ConnectionId server, String suffix) {

  /** Empty for an address of all servers, and for one that is not of mcpbus. */
  public static Optional<ServerAddress> parse(String address) {
    int id = Addresses.OURS.length();
    int end = address.indexOf('.', id);
    if (!address.startsWith(Addresses.OURS) || end < 0) {
      return Optional.empty();
    }
    return ConnectionId.parse(address.substring(id, end))
        .map(server -> new ServerAddress(server, address.substring(end + 1)));
  }
}
