/**
 * The root: {@code McpBus} deploys the verticles in order and closes them in reverse, {@code Main}
 * and {@code Service} are the process.
 */
@NullMarked
package dev.mcpbus;

import org.jspecify.annotations.NullMarked;
