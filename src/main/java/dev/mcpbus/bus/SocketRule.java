package dev.mcpbus.bus;

/** What {@code /eventbus} asks of who sends to an address that is of no single server. */
public enum SocketRule {
  /** Nobody may. */
  CLOSED,
  /** The right to list everything: nothing of the answer is left out. */
  WHOLE,
  /** The right to what the body names. */
  AS_ASKED
}
