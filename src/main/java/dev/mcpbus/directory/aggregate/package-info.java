/** The aggregate addresses of the bus: {@code mcp.tools.list}, {@code .call}, {@code .search}. */
@NullMarked
package dev.mcpbus.directory.aggregate;

import org.jspecify.annotations.NullMarked;
