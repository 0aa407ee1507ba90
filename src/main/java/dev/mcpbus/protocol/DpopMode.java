package dev.mcpbus.protocol;

/** Whether access tokens are bound to a key of the client (DPoP, RFC 9449; SEP-1932). */
public enum DpopMode {
  /** Bound where the MCP server's challenge or metadata names DPoP. */
  AUTO,
  /** Bound always: a token that is not bound is not used. */
  REQUIRED,
  NEVER
}
