/**
 * Which nodes the cluster has, and the messages that they send each other. The quorum lease says
 * whether this node may act at all: the other nodes grant it for a short time.
 */
@NullMarked
package dev.mcpbus.cluster.membership;

import org.jspecify.annotations.NullMarked;
