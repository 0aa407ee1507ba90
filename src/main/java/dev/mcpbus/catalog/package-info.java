/**
 * One immutable snapshot of all tools, resources and prompts of all connections, and the aggregate
 * addresses over it.
 */
@NullMarked
package dev.mcpbus.catalog;

import org.jspecify.annotations.NullMarked;
