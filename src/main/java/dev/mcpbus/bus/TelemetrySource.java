package dev.mcpbus.bus;

import io.vertx.core.Vertx;

/** How one {@link OwnTelemetry} is used. */
public interface TelemetrySource extends OwnTelemetry {

  /** Whether it stands in place of mcpbus's own metrics; else of its traces. */
  boolean measures();

  /** Begins; the program's library stays open when the telemetry ends. */
  Telemetry open(Vertx vertx);
}
