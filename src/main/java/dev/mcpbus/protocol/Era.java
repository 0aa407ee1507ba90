package dev.mcpbus.protocol;

/**
 * The two families of MCP versions, named by the method that opens them.
 *
 * <p>All differences between them depend on this value: how a session is opened, what is added to
 * each request, how a call is cancelled.
 */
@PublicApi
public enum Era {
  /** 2024-11-05 to 2025-11-25: an {@code initialize} handshake, then a session. */
  INITIALIZE,
  /**
   * 2026-07-28: stateless, each request carries its own version and capabilities; {@code
   * server/discover} is optional.
   */
  DISCOVER
}
