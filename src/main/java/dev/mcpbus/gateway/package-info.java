/**
 * MCP in: one endpoint that serves all servers to clients of both eras. HTTP side: {@code Gateway}.
 * State of older clients: {@code SessionHost}. What servers list: {@code DirectoryVerticle}.
 */
@NullMarked
package dev.mcpbus.gateway;

import org.jspecify.annotations.NullMarked;
