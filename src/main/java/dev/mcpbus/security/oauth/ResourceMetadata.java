package dev.mcpbus.security.oauth;

import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What an MCP server says about itself (RFC 9728), checked.
 *
 * @param resource its identifier, sent along as {@code resource}
 * @param authorizationServers issuers, at least one
 * @param scopes that it supports, null where it does not say
 */
record ResourceMetadata(
    String resource, List<String> authorizationServers, @Nullable Set<String> scopes) {}
