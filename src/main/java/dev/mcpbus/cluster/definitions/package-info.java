/**
 * The definitions of all servers in a map of the cluster: written by any node, signed with the
 * cluster's secret, read by each node that can run them. Owner thread: the context of the servers
 * verticle.
 */
@NullMarked
package dev.mcpbus.cluster.definitions;

import org.jspecify.annotations.NullMarked;
