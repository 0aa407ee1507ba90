/**
 * All that exists only because there are several nodes. {@code membership} has the nodes and their
 * messages, {@code ownership} decides which node runs which connection, {@code routing} sends
 * requests to owners, {@code definitions} shares the definitions of all servers, {@code signing}
 * proves which node sent a message, {@code engine} adapts Hazelcast. {@code ClusterServerHosting}
 * composes them behind the seam {@code ServerHosting}. Only the root imports this package; without
 * it mcpbus runs on one node.
 */
@NullMarked
package dev.mcpbus.cluster;

import org.jspecify.annotations.NullMarked;
