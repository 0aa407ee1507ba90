/**
 * A cluster of many connections in processes of its own: how long a start, a loss and a rejoin
 * take, what ends without need, and what a node costs while nothing happens. {@link
 * dev.mcpbus.clusterscale.ClusterScale} is the command, {@link dev.mcpbus.clusterscale.ScaleRun}
 * one run, {@link dev.mcpbus.clusterscale.ScaledNode} a process of the service.
 */
@NullMarked
package dev.mcpbus.clusterscale;

import org.jspecify.annotations.NullMarked;
