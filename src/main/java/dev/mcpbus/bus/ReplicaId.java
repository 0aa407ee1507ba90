package dev.mcpbus.bus;

import java.util.Optional;

/**
 * The id of a replica: one of several connections of a server. Immutable.
 *
 * @param number from 0; a server with one connection has only number 0
 */
public record ReplicaId(ConnectionId server, int number) {

  private static final char MARK = '#';

  /** The key of the replica's claim; for number 0 it is the server's id. */
  public String key() {
    return number == 0 ? server.value() : server.value() + MARK + number;
  }

  /** Reads {@link #key}; empty for any other text. */
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

  /** Where its supervisor commands it, on its own node. */
  public String control() {
    return number == 0 ? Addresses.of(server, Addresses.CONTROL) : address() + ".control";
  }

  /** The address of this replica alone; {@link Headers#TO} names the operation. */
  public String address() {
    return Addresses.of(server, "replica." + number);
  }
}
