/**
 * The OAuth client for MCP servers over HTTP: discovery, registration, login, tokens. {@link
 * dev.mcpbus.security.oauth.OAuthClient} is the entry point. {@link
 * dev.mcpbus.security.oauth.UrlGuard} checks every URL that a server names before mcpbus connects
 * to it.
 */
@NullMarked
package dev.mcpbus.security.oauth;

import org.jspecify.annotations.NullMarked;
