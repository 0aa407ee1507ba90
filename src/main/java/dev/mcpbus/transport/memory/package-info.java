/**
 * A server in the same JVM without anything between: two linked channels, each on its own context.
 */
@NullMarked
package dev.mcpbus.transport.memory;

import org.jspecify.annotations.NullMarked;
