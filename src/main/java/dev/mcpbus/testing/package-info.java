/**
 * For tests of programs that embed mcpbus: a fake MCP server in memory, time that a test moves, and
 * assertions that throw {@link AssertionError}. Needs no test framework.
 */
@NullMarked
package dev.mcpbus.testing;

import org.jspecify.annotations.NullMarked;
