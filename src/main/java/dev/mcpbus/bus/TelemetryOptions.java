package dev.mcpbus.bus;

import dev.mcpbus.internals.OptionalLibrary;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Whether mcpbus measures and traces. Immutable.
 *
 * @param metrics whether {@code GET /metrics} has a page; needs {@code
 *     io.micrometer:micrometer-registry-prometheus}. Null: in a service that has it, not in a
 *     program that embeds mcpbus
 * @param tracing whether traces are sent; needs {@code io.opentelemetry:opentelemetry-sdk} with its
 *     autoconfiguration and an exporter. Null: in a service that has one of the variables {@code
 *     OTEL_EXPORTER_OTLP_ENDPOINT} and {@code OTEL_EXPORTER_OTLP_TRACES_ENDPOINT}
 * @param endpoint the URL of an OTLP receiver; null: that of the variables, else {@code
 *     http://localhost:4318}
 * @param sampling the part of new traces that is sent, 0 to 1; null: all. A trace that a caller
 *     began goes on as the caller has decided
 * @param service the name of this program in traces; null: {@code mcpbus}
 */
public record TelemetryOptions(
    @Nullable Boolean metrics,
    @Nullable Boolean tracing,
    @Nullable String endpoint,
    @Nullable Double sampling,
    @Nullable String service) {

  /** Measures nothing in a program that embeds mcpbus. */
  public static final TelemetryOptions DEFAULT = new TelemetryOptions(null, null, null, null, null);

  /** Measures and traces nothing. */
  public static final TelemetryOptions OFF = new TelemetryOptions(false, false, null, null, null);

  /**
   * With the defaults of a service for what is not set.
   *
   * @param variables of the process
   */
  public TelemetryOptions ofService(Map<String, String> variables) {
    boolean receiver =
        variables.containsKey("OTEL_EXPORTER_OTLP_ENDPOINT")
            || variables.containsKey("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT");
    return new TelemetryOptions(
        metrics == null ? OptionalLibrary.MICROMETER.isPresent() : metrics,
        tracing == null ? receiver : tracing,
        endpoint,
        sampling,
        service);
  }

  public boolean measures() {
    return metrics != null && metrics;
  }

  public boolean traces() {
    return tracing != null && tracing;
  }
}
