/**
 * A server in the same JVM: two linked channels, each on its own context, with nothing between
 * them.
 */
@NullMarked
package dev.mcpbus.transport.memory;

import org.jspecify.annotations.NullMarked;
