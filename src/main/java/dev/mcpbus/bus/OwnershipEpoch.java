package dev.mcpbus.bus;

import org.jspecify.annotations.Nullable;

/**
 * The ownership under which a connection answers: the value of {@link Headers#EPOCH}. The number
 * rises with each owner of the replica. The sessions of an owner have epochs too, which events and
 * status show: each owner has {@value #SESSIONS} of them, so those of a later owner are higher.
 * Immutable.
 *
 * @param number the epoch of the owner's claim
 */
public record OwnershipEpoch(ReplicaId replica, long number) {

  /** More sessions than one owner opens. */
  private static final long SESSIONS = 1_000_000;

  private static final char SEPARATOR = ' ';

  /** The epoch of the owner whose session has this epoch. */
  public static long ofSession(long session) {
    return session / SESSIONS;
  }

  /** The epochs of this owner's sessions are greater than this one. */
  public long sessions() {
    return number * SESSIONS;
  }

  /**
   * {@code "<number> <replica>"}, or {@code "<number>"} of a server's only connection.
   *
   * @param several whether the server has several replicas
   */
  public String text(boolean several) {
    return several ? number + String.valueOf(SEPARATOR) + replica.number() : Long.toString(number);
  }

  /** Reads {@link #text}; null for null and for a text that no owner writes. */
  public static @Nullable OwnershipEpoch parse(ConnectionId server, @Nullable String text) {
    if (text == null) {
      return null;
    }
    int end = text.indexOf(SEPARATOR);
    try {
      int replica = end < 0 ? 0 : Integer.parseInt(text, end + 1, text.length(), 10);
      long number = Long.parseLong(text, 0, end < 0 ? text.length() : end, 10);
      return new OwnershipEpoch(new ReplicaId(server, replica), number);
    } catch (NumberFormatException e) {
      return null;
    }
  }
}
