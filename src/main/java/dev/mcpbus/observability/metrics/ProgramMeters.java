package dev.mcpbus.observability.metrics;

import dev.mcpbus.bus.OwnTelemetry;
import dev.mcpbus.bus.Telemetry;
import dev.mcpbus.bus.TelemetrySource;
import dev.mcpbus.protocol.PublicApi;
import io.micrometer.core.instrument.MeterRegistry;
import io.vertx.core.Vertx;

/** The metrics of mcpbus in a program's own registry. */
@PublicApi
public final class ProgramMeters {

  private record MeterSource(MeterRegistry registry) implements TelemetrySource {
    @Override
    public boolean measures() {
      return true;
    }

    @Override
    public Telemetry open(Vertx vertx) {
      return new MetricsTelemetry(vertx, registry);
    }
  }

  private ProgramMeters() {}

  /**
   * In place of a registry of mcpbus's own. One for Prometheus shows each metric of the page, and
   * the page shows all that the registry has. Any other gets meters of the same names, with dots;
   * their values are those of the last 5 s, and durations have their number and sum. A registry
   * serves one bus.
   */
  public static OwnTelemetry of(MeterRegistry registry) {
    return new MeterSource(registry);
  }
}
