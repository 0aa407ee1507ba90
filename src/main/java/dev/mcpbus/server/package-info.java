/**
 * MCP servers of one's own, handler by handler: {@link dev.mcpbus.server.RawServer} dispatches any
 * JSON-RPC method by name, tools on top of that, to many clients of both protocol eras at once.
 * Beside it stands the SDK's {@code McpServer} over the same transports ({@code transport.sdk}).
 */
@NullMarked
package dev.mcpbus.server;

import org.jspecify.annotations.NullMarked;
