/**
 * Building blocks for your own MCP servers: {@link dev.mcpbus.server.RawServer} dispatches any
 * JSON-RPC method to its handler, with tools on top, for many clients of both protocol eras at
 * once. The SDK's {@code McpServer} runs over the same transports ({@code transport.sdk}).
 */
@NullMarked
package dev.mcpbus.server;

import org.jspecify.annotations.NullMarked;
