/**
 * How bytes move: {@link dev.mcpbus.transport.Transport#open} gives a {@link
 * dev.mcpbus.transport.Channel} that carries JSON-RPC messages to one MCP server, and nothing more.
 * Which messages, in which order and what they mean is not known here.
 *
 * <p>Threading: every call of a {@code Channel} and every callback of a {@code Channel.Receiver}
 * happens on the owner context that was given to {@code open}.
 */
@NullMarked
package dev.mcpbus.transport;

import org.jspecify.annotations.NullMarked;
