/**
 * Which servers this node runs, and how a definition becomes a supervised child: add, remove,
 * reload, private connections, the file of pins. {@code ServersVerticle} owns all of it on its
 * context; {@code ServerHosting} is the seam between one node and a cluster.
 */
@NullMarked
package dev.mcpbus.hosting;

import org.jspecify.annotations.NullMarked;
