/**
 * What a call may cost: {@code src/scripts/bench gate} compares what is allocated and used for a
 * call, and what an idle connection holds, with {@code src/bench/budget.json}.
 */
@NullMarked
package dev.mcpbus.bench.gate;

import org.jspecify.annotations.NullMarked;
