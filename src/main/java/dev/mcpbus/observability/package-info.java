/** What operators can observe beside metrics: the RPC log. */
@NullMarked
package dev.mcpbus.observability;

import org.jspecify.annotations.NullMarked;
