/**
 * The messages: JSON-RPC 2.0 and MCP as pure values, in both protocol eras. This package has no
 * threads, sockets or actors. Only the envelope of a message is parsed; {@code params} and {@code
 * result} stay the bytes that arrived ({@link dev.mcpbus.protocol.RawJson}).
 */
@NullMarked
package dev.mcpbus.protocol;

import org.jspecify.annotations.NullMarked;
