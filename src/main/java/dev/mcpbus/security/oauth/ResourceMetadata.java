package dev.mcpbus.security.oauth;

import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The checked metadata of an MCP server (RFC 9728).
 *
 * @param resource its identifier, sent as {@code resource} (RFC 8707)
 * @param authorizationServers issuers, at least one
 * @param scopes that it supports, null if it does not say
 * @param dpop whether it names algorithms of DPoP proofs, so that it takes bound tokens
 * @param dpopRequired whether it takes bound tokens only
 */
record ResourceMetadata(
    String resource,
    List<String> authorizationServers,
    @Nullable Set<String> scopes,
    boolean dpop,
    boolean dpopRequired) {

  ResourceMetadata(
      String resource, List<String> authorizationServers, @Nullable Set<String> scopes) {
    this(resource, authorizationServers, scopes, false, false);
  }
}
