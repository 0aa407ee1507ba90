package dev.mcpbus.protocol;

/**
 * Sees every JSON-RPC message of one connection, on the owner context. Must not block and must not
 * change the bytes. Used by the RPC log; absent where the log is off, so that it costs nothing.
 */
@FunctionalInterface
public interface MessageTap {

  /** Seen from us: SENT goes to the server. */
  enum Direction {
    SENT,
    RECEIVED
  }

  void message(Direction direction, RawJson message);
}
