/** A small MCP server, so that a first start needs no other server. */
@NullMarked
package dev.mcpbus.demo;

import org.jspecify.annotations.NullMarked;
