/** A small MCP server, so that a first start needs nothing else. */
@NullMarked
package dev.mcpbus.demo;

import org.jspecify.annotations.NullMarked;
