package dev.mcpbus.bus;

import java.util.Optional;

/**
 * One connection of a server that may have several in a cluster, on one node each.
 *
 * @param number from 0; a server of one connection has this one
 */
public record ReplicaId(ConnectionId server, int number) {

  private static final char MARK = '#';

  /** Its name among the claims: the server's own for the first. */
  public String key() {
    return number == 0 ? server.value() : server.value() + MARK + number;
  }

  public static Optional<ReplicaId> parse(String key) {
    int mark = key.indexOf(MARK);
    if (mark < 0) {
      return ConnectionId.parse(key).map(id -> new ReplicaId(id, 0));
    }
    try {
      int number = Integer.parseInt(key, mark + 1, key.length(), 10);
      return ConnectionId.parse(key.substring(0, mark)).map(id -> new ReplicaId(id, number));
    } catch (NumberFormatException e) {
      return Optional.empty();
    }
  }

  /** Where this one alone receives, what for by {@link Headers#TO}. */
  public String address() {
    return Addresses.of(server, "replica." + number);
  }
}
