package dev.mcpbus.protocol;

/**
 * Receives every JSON-RPC message of one connection, on the owner context. Must not block and must
 * not change the bytes. The RPC log uses it; if the log is off, there is no tap, so that it costs
 * nothing.
 */
@FunctionalInterface
public interface MessageTap {

  /** The direction seen from mcpbus: SENT goes to the server. */
  enum Direction {
    SENT,
    RECEIVED
  }

  void message(Direction direction, RawJson message);
}
