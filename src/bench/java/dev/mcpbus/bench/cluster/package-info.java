/**
 * What a cluster costs: a call to a connection of another node beside a bare request over the same
 * hop, and a thousand connections that are spread, moved and lost.
 */
@NullMarked
package dev.mcpbus.bench.cluster;

import org.jspecify.annotations.NullMarked;
