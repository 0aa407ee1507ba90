package dev.mcpbus.security;

/**
 * The paths that are no routes of the bridge's table: whoever mounts them and whoever tries them
 * reads them here. Each stands for itself and all that is below it.
 */
public enum MountPath {
  /** The gateway. */
  MCP("/mcp"),
  /** The gateway's older transport. */
  SSE("/sse"),
  /** SockJS and WebSockets, on the bridge's router. */
  EVENT_BUS("/eventbus"),
  /** Where a token comes from; answered before anybody is asked who he is. */
  PROTECTED_RESOURCE("/.well-known/oauth-protected-resource");

  private final String root;

  MountPath(String root) {
    this.root = root;
  }

  /** Without a slash at its end. */
  public String root() {
    return root;
  }

  /**
   * @param path in its normal form
   */
  public boolean owns(String path) {
    return path.startsWith(root)
        && (path.length() == root.length() || path.charAt(root.length()) == '/');
  }
}
