/**
 * Which process may send what in the cluster: a proof of the cluster's secret on each
 * administrative message and definition, checked against replays. A process without the secret can
 * call tools and change nothing.
 */
@NullMarked
package dev.mcpbus.cluster.signing;

import org.jspecify.annotations.NullMarked;
