/**
 * The cluster's engine: makes a clustered Vert.x over Hazelcast with times that fit a gateway. The
 * only package that knows Hazelcast's classes; what runs where is decided in {@code placement}.
 */
@NullMarked
package dev.mcpbus.cluster;

import org.jspecify.annotations.NullMarked;
