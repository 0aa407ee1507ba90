/**
 * {@code mcpbus import}: finds the files of other MCP clients and writes their servers into one
 * configuration. Runs on the main thread.
 */
@NullMarked
package dev.mcpbus.cli.imports;

import org.jspecify.annotations.NullMarked;
