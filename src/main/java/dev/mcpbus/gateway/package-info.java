/**
 * MCP in: one endpoint that offers all servers to MCP clients of both eras. {@code Gateway}
 * composes it.
 */
@NullMarked
package dev.mcpbus.gateway;

import org.jspecify.annotations.NullMarked;
