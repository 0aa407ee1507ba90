/**
 * The adapter to Hazelcast: makes a clustered Vert.x with times that fit a gateway. No other
 * package knows Hazelcast's classes. Hazelcast's threads call in here and never go further.
 */
@NullMarked
package dev.mcpbus.cluster.engine;

import org.jspecify.annotations.NullMarked;
