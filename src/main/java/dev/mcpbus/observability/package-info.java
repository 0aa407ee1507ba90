/** What operators can observe: the RPC log, and in {@code logging} the log of the service. */
@NullMarked
package dev.mcpbus.observability;

import org.jspecify.annotations.NullMarked;
