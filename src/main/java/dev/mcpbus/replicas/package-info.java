/**
 * Several connections of one server: which one takes a call, who answers for all, and how they are
 * restarted and replaced one after the other. On one node {@link LocalReplicas} knows them, in a
 * cluster {@code cluster.routing}.
 */
@NullMarked
package dev.mcpbus.replicas;

import org.jspecify.annotations.NullMarked;
