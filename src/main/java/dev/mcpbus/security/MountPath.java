package dev.mcpbus.security;

/**
 * The path prefixes that are not routes of the bridge's table. Each stands for itself and for
 * everything below it. Immutable.
 */
public enum MountPath {
  /** The gateway. */
  MCP("/mcp"),
  /** The gateway's HTTP+SSE transport. */
  SSE("/sse"),
  /** SockJS and WebSockets, on the bridge's router. */
  EVENT_BUS("/eventbus"),
  /** The files of the console, answered without authentication. */
  CONSOLE("/console"),
  /** Pages by which principals log in at servers of callers, answered without authentication. */
  LOGIN("/login"),
  /** Protected resource metadata (RFC 9728), answered without authentication. */
  PROTECTED_RESOURCE("/.well-known/oauth-protected-resource"),
  /**
   * Where {@code auth.signIn} is set: the authorization server, answered without authentication.
   */
  SIGN_IN("/oauth"),
  /** The metadata of the authorization server (RFC 8414), likewise. */
  AUTHORIZATION_SERVER("/.well-known/oauth-authorization-server"),
  /** The same metadata for clients of OpenID Connect Discovery, likewise. */
  OPENID_CONFIGURATION("/.well-known/openid-configuration");

  private final String root;

  MountPath(String root) {
    this.root = root;
  }

  /** Without a slash at the end. */
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
