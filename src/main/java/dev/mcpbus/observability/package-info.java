/** What operators see: the RPC log. */
@NullMarked
package dev.mcpbus.observability;

import org.jspecify.annotations.NullMarked;
