/**
 * How bytes move: {@link dev.mcpbus.transport.Transport#open} returns a {@link
 * dev.mcpbus.transport.Channel} that carries JSON-RPC messages to and from one MCP server, and
 * nothing more. This package does not know which messages there are, their order or their meaning.
 *
 * <p>Threading: every call of a {@code Channel} and every callback of a {@code Channel.Receiver}
 * runs on the owner context that the caller passed to {@code open}.
 */
@NullMarked
package dev.mcpbus.transport;

import org.jspecify.annotations.NullMarked;
