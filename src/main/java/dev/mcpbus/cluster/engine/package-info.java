/**
 * The adapter to Hazelcast: starts a clustered Vert.x with time-outs that fit a gateway. No other
 * package uses Hazelcast's classes. Hazelcast's threads call in here and never go further.
 */
@NullMarked
package dev.mcpbus.cluster.engine;

import org.jspecify.annotations.NullMarked;
