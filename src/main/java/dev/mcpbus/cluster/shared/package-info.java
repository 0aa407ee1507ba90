/**
 * What nodes share beside connections: rate limits that hold for all nodes together, and the
 * questions of servers and offers of callers on every node.
 */
@NullMarked
package dev.mcpbus.cluster.shared;

import org.jspecify.annotations.NullMarked;
