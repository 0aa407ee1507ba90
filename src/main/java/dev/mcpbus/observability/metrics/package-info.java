/**
 * Metrics of mcpbus for Prometheus, by Micrometer, with the names of OpenTelemetry's conventions
 * for MCP. {@code src/docs/metrics.md} lists them.
 *
 * <pre>
 *   connections --> ConnectionMeters --+
 *   doors       --> DoorMeters         +--> OperationTimers --> Micrometer --+
 *   event loops --> LoopDelayProbe ----+                                     +--> PageWriter --> /metrics
 *   state of servers, bounds, children --------------------> StateCollector -+
 * </pre>
 *
 * <p>Durations are recorded when an operation ends; everything that has a state now is read when
 * the page is written. All names in labels are bounded ({@link
 * dev.mcpbus.observability.metrics.BoundedNames}).
 */
@NullMarked
package dev.mcpbus.observability.metrics;

import org.jspecify.annotations.NullMarked;
