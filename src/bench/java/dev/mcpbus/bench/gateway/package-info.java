/**
 * The speed of the gateway: the same tool called through it, through a bare reverse proxy, and
 * through the gateways that npm has, all in one run. Started by {@code src/scripts/bench gateway}.
 */
@NullMarked
package dev.mcpbus.bench.gateway;

import org.jspecify.annotations.NullMarked;
