/**
 * To which node a request goes: the owner of each connection as far as this node knows, requests in
 * flight with their nodes, repeats where no owner took a request, and replicas. {@code
 * ClusterRequests} implements the seam {@code RequestSender}. Any thread may call.
 */
@NullMarked
package dev.mcpbus.cluster.routing;

import org.jspecify.annotations.NullMarked;
