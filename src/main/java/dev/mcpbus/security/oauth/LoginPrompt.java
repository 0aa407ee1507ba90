package dev.mcpbus.security.oauth;

import java.net.URI;
import java.time.Duration;

/** Tells a person to log in. Nothing is opened by itself. */
@FunctionalInterface
public interface LoginPrompt {

  /**
   * Shows a URL to whoever may log in; must not block.
   *
   * @param server the MCP server that wants the login
   * @param page to open in a browser on this machine
   * @param within after this it is no longer of use
   */
  void login(String server, URI page, Duration within);
}
