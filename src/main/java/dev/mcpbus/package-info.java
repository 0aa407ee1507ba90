/**
 * The root of the tree: {@code McpBus} deploys the actors in order and closes them in reverse,
 * {@code Main} reads {@code conf/} and starts Vert.x.
 */
@NullMarked
package dev.mcpbus;

import org.jspecify.annotations.NullMarked;
