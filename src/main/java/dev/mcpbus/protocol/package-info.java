/**
 * What is said: JSON-RPC 2.0 and MCP as pure values, both protocol eras. Nothing here knows a
 * thread, a socket or an actor. Only the envelope of a message is parsed; {@code params} and {@code
 * result} stay the bytes that arrived ({@link dev.mcpbus.protocol.RawJson}).
 */
@NullMarked
package dev.mcpbus.protocol;

import org.jspecify.annotations.NullMarked;
