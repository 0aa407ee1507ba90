/**
 * Traces of mcpbus by OpenTelemetry, with the names of its conventions for MCP: a span of kind
 * {@code SERVER} for each request of a client at a door, and one of kind {@code CLIENT} for each
 * request of a caller that a connection sends to its server.
 *
 * <pre>
 *   client --_meta or HTTP headers--> SERVER span --headers of the bus--> CLIENT span --_meta--> server
 *                                     (door, any node)                   (connection, its owner)
 * </pre>
 *
 * <p>No span is kept in a thread: the context comes with the message and leaves with the message.
 */
@NullMarked
package dev.mcpbus.observability.tracing;

import org.jspecify.annotations.NullMarked;
