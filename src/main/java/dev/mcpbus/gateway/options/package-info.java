/** What configuration fills in for the gateway. Immutable records. */
@NullMarked
package dev.mcpbus.gateway.options;

import org.jspecify.annotations.NullMarked;
