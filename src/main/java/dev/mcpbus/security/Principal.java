package dev.mcpbus.security;

/**
 * Who calls.
 *
 * @param name as the edge found it out; what is kept for one name is never shown to another
 */
public record Principal(String name) {

  /** Whoever may open a loopback connection. */
  public static final Principal LOCAL = new Principal("local");
}
