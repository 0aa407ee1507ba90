/**
 * What callers, servers and the fault driver wrote down during a run, and the promises that are
 * checked on it afterwards. Used by tests and by {@code src/scripts/cluster-faults}.
 */
@NullMarked
package dev.mcpbus.testing.history;

import org.jspecify.annotations.NullMarked;
