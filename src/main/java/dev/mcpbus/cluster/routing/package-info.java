/**
 * To which node a request goes: who owns which connection as far as this node has heard, requests
 * in flight with the node that they went to, repeats where no owner took a request, and replicas.
 * {@code ClusterRequests} implements the seam {@code RequestSender}. Any thread may call.
 */
@NullMarked
package dev.mcpbus.cluster.routing;

import org.jspecify.annotations.NullMarked;
