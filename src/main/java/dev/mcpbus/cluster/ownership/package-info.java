/**
 * Which node owns which connection: rendezvous hashing over the nodes, claims with an epoch in a
 * map of the cluster, and a claim lease that ends when the claims are not verified in time. The
 * reconciler decides; the ownership listener starts and stops connections. Owner thread: the
 * context of the servers verticle.
 */
@NullMarked
package dev.mcpbus.cluster.ownership;

import org.jspecify.annotations.NullMarked;
