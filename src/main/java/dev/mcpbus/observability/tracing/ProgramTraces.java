package dev.mcpbus.observability.tracing;

import dev.mcpbus.bus.OwnTelemetry;
import dev.mcpbus.bus.Telemetry;
import dev.mcpbus.bus.TelemetrySource;
import dev.mcpbus.protocol.PublicApi;
import io.opentelemetry.api.OpenTelemetry;
import io.vertx.core.Future;
import io.vertx.core.Vertx;

/** The spans of mcpbus in a program's own OpenTelemetry. */
@PublicApi
public final class ProgramTraces {

  private record TraceSource(OpenTelemetry openTelemetry) implements TelemetrySource {
    @Override
    public boolean measures() {
      return false;
    }

    @Override
    public Telemetry open(Vertx vertx) {
      return new TracingTelemetry(openTelemetry, Future::succeededFuture);
    }
  }

  private ProgramTraces() {}

  /** In place of an SDK of mcpbus's own; the section {@code tracing} has no effect then. */
  public static OwnTelemetry of(OpenTelemetry openTelemetry) {
    return new TraceSource(openTelemetry);
  }
}
