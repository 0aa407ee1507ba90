/**
 * All that exists only because there are several nodes. {@code membership} knows which nodes there
 * are and what they tell each other, {@code ownership} decides which node runs which connection,
 * {@code routing} sends requests to owners, {@code definitions} shares what servers there are,
 * {@code signing} proves who may say what, {@code engine} adapts Hazelcast. {@code
 * ClusterServerHosting} composes them behind the seam {@code ServerHosting}. Only the root imports
 * this package; without it mcpbus runs on one node.
 */
@NullMarked
package dev.mcpbus.cluster;

import org.jspecify.annotations.NullMarked;
