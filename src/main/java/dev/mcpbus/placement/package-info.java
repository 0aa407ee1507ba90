/**
 * Which node owns which connection: rendezvous hashing over the members, claims with an epoch in a
 * map of the cluster, and a lease that ends by itself where the cluster cannot be asked. Decides;
 * what owning means is the tenant's business.
 */
@NullMarked
package dev.mcpbus.placement;

import org.jspecify.annotations.NullMarked;
