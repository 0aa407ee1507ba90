/**
 * The messages: JSON-RPC 2.0 and MCP as pure values, in both protocol eras. This package has no
 * threads, sockets or actors. Only the envelope of a message is parsed; {@code params} and {@code
 * result} stay the bytes that arrived ({@link dev.mcpbus.protocol.RawJson}).
 *
 * <p>Four types about text stand here because every package above needs them and may import this
 * one: {@link dev.mcpbus.protocol.Sensitive} is a text that may hold a secret, {@link
 * dev.mcpbus.protocol.Redactor} takes secrets out of what is shown, {@link
 * dev.mcpbus.protocol.Printable} makes the text of others safe for a terminal, and {@link
 * dev.mcpbus.protocol.Glob} is the pattern of names in configurations and policies. The values of
 * MCP's authorization that a transport's options and the OAuth client share stand here for the same
 * reason ({@link dev.mcpbus.protocol.OAuthGrant}).
 */
@NullMarked
package dev.mcpbus.protocol;

import org.jspecify.annotations.NullMarked;
