/**
 * The OAuth client for MCP servers behind HTTP: discovery, registration, login, tokens. {@link
 * dev.mcpbus.security.oauth.OAuthClient} is the way in; every URL that a server names goes through
 * {@link dev.mcpbus.security.oauth.UrlGuard} before a packet leaves.
 */
@NullMarked
package dev.mcpbus.security.oauth;

import org.jspecify.annotations.NullMarked;
