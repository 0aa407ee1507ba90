/**
 * The actor: {@code ConnectionVerticle} holds the addresses of one MCP server and a bounded stash;
 * a {@code Session} is one incarnation of the connection, from handshake to end.
 */
@NullMarked
package dev.mcpbus.connection;

import org.jspecify.annotations.NullMarked;
