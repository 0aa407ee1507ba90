package dev.mcpbus.security.oauth;

import java.net.URI;
import java.time.Duration;

/** Shows a person the URL of a login page. mcpbus does not open a browser itself. */
@FunctionalInterface
public interface LoginPrompt {

  /**
   * Shows the URL; called on an event loop, must not block.
   *
   * @param server names the MCP servers that require the login
   * @param page the URL to open in a browser on this machine
   * @param within after this time the login is no longer accepted
   */
  void login(String server, URI page, Duration within);

  /**
   * The login at this page has ended: the person has logged in, or it failed. By default ignored.
   */
  default void ended(URI page) {}
}
