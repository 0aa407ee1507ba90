/** Servers and tools that tests of several packages share. Plain JDK, no dependencies. */
@NullMarked
package dev.mcpbus.testing;

import org.jspecify.annotations.NullMarked;
