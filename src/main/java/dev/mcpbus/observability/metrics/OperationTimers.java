package dev.mcpbus.observability.metrics;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.Map;

/** Makes and removes the histograms of durations. Any thread may call. */
final class OperationTimers {

  static final String CLIENT_OPERATION = "mcp.client.operation.duration";
  static final String SERVER_OPERATION = "mcp.server.operation.duration";
  static final String CLIENT_SESSION = "mcp.client.session.duration";
  static final String SERVER_SESSION = "mcp.server.session.duration";
  static final String LOOP_DELAY = "mcpbus.event.loop.delay";

  /** The bounds that OpenTelemetry's conventions for MCP give for all four. */
  private static final Duration[] CONVENTION =
      seconds(0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300);

  private static final Duration[] LOOP = seconds(0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5);

  private static final Map<String, String> HELP =
      Map.of(
          CLIENT_OPERATION, "Requests to MCP servers, from sending to the answer.",
          SERVER_OPERATION, "Requests of clients, from arrival to the answer.",
          CLIENT_SESSION, "Sessions with MCP servers that have ended.",
          SERVER_SESSION, "Sessions of MCP clients that have ended.",
          LOOP_DELAY, "How late a timer runs on an event loop.");

  private final MeterRegistry registry;

  OperationTimers(MeterRegistry registry) {
    this.registry = registry;
  }

  private static Duration[] seconds(double... all) {
    Duration[] bounds = new Duration[all.length];
    for (int i = 0; i < all.length; i++) {
      bounds[i] = Duration.ofNanos(Math.round(all[i] * 1e9));
    }
    return bounds;
  }

  Timer timer(String name, Tags labels) {
    return Timer.builder(name)
        .description(HELP.get(name))
        .tags(labels)
        .serviceLevelObjectives(name.equals(LOOP_DELAY) ? LOOP : CONVENTION)
        .register(registry);
  }

  void remove(Timer timer) {
    registry.remove(timer);
    timer.close();
  }
}
