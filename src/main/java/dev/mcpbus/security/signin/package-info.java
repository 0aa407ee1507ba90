/**
 * mcpbus as the OAuth authorization server of MCP clients, in front of an OpenID provider (decision
 * 25). What is on its way is a sealed text that every node can read; what can be revoked is a
 * family of tokens in the token store.
 */
@NullMarked
package dev.mcpbus.security.signin;

import org.jspecify.annotations.NullMarked;
