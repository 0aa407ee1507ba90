/**
 * {@code mcpbus --stdio}: the gateway as a server on stdin and stdout, for editors that only start
 * commands. {@link dev.mcpbus.cli.stdio.StdioBridge} is the middle: lines of stdin become requests
 * to {@code /mcp} of a mcpbus, answers and streams become lines of stdout. It knows of MCP only
 * what the two transports differ in: sessions and their renewal, the headers of a request, how a
 * request is cancelled. One event loop owns everything but the threads that block, {@code
 * mcpbus-stdin} and {@code mcpbus-stdout}.
 */
@NullMarked
package dev.mcpbus.cli.stdio;

import org.jspecify.annotations.NullMarked;
