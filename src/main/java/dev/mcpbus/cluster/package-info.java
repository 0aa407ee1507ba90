/**
 * All that exists only because there are several nodes. {@code membership} knows which nodes there
 * are, {@code ownership} decides which node runs which connection, {@code engine} adapts Hazelcast.
 * Only the root imports this package; without it mcpbus runs on one node.
 */
@NullMarked
package dev.mcpbus.cluster;

import org.jspecify.annotations.NullMarked;
