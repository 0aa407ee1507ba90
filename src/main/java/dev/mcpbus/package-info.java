/**
 * The root: {@code McpBus} deploys the verticles in order and has the order of the end, {@code
 * Main} and {@code Service} are the process.
 */
@NullMarked
package dev.mcpbus;

import org.jspecify.annotations.NullMarked;
