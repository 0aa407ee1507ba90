package dev.mcpbus;

import dev.mcpbus.bus.PairedTelemetry;
import dev.mcpbus.bus.Readiness;
import dev.mcpbus.bus.Telemetry;
import dev.mcpbus.bus.TelemetryOptions;
import dev.mcpbus.bus.TelemetrySource;
import dev.mcpbus.hosting.ConfigurationState;
import dev.mcpbus.hosting.KeptServers;
import dev.mcpbus.internals.OptionalLibrary;
import dev.mcpbus.observability.metrics.MetricsTelemetry;
import dev.mcpbus.observability.tracing.TracingTelemetry;
import dev.mcpbus.security.Audit;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.List;
import java.util.Objects;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Metrics and traces of one {@link McpBus}, from before its first verticle to after its last. A
 * class of its own, so that a program without them needs neither Micrometer nor OpenTelemetry. A
 * {@link Telemetry} that the program has set itself stays.
 */
final class TelemetryParts {

  private final Vertx vertx;
  private final @Nullable MetricsTelemetry metrics;
  private final Telemetry all;

  private TelemetryParts(Vertx vertx, BusSettings settings) {
    this.vertx = vertx;
    TelemetryOptions options = settings.telemetry();
    TelemetrySource meters = settings.meters();
    TelemetrySource tracer = settings.tracer();
    Telemetry measured =
        meters != null
            ? meters.open(vertx)
            : options.measures() ? new MetricsTelemetry(vertx, null) : null;
    Telemetry traced =
        tracer != null
            ? tracer.open(vertx)
            : options.traces() ? TracingTelemetry.of(vertx, options) : null;
    this.metrics = (MetricsTelemetry) measured;
    if (measured != null && traced != null) {
      this.all = new PairedTelemetry(measured, traced);
    } else {
      this.all = measured == null ? Objects.requireNonNull(traced) : measured;
    }
  }

  /**
   * Installs what {@code settings} want; null if that is nothing.
   *
   * @throws IllegalStateException if a library is missing; the message names it
   */
  static @Nullable TelemetryParts install(Vertx vertx, BusSettings settings) {
    boolean own = settings.meters() != null || settings.tracer() != null;
    TelemetryOptions options = settings.telemetry();
    if ((!own && !options.measures() && !options.traces()) || Telemetry.of(vertx) != null) {
      return null;
    }
    if (settings.meters() != null || options.measures()) {
      OptionalLibrary.MICROMETER.require();
    }
    if (settings.tracer() == null && options.traces()) {
      OptionalLibrary.OPENTELEMETRY.require();
    }
    TelemetryParts parts = new TelemetryParts(vertx, settings);
    Telemetry.use(vertx, parts.all);
    return parts;
  }

  /**
   * Begins to measure the node itself.
   *
   * @param sockets the number of open connections of HTTP clients
   * @param configuration the state of the configuration
   * @param kept whose writing may fail
   * @param audit whose lines are counted
   */
  void open(
      Readiness readiness,
      IntSupplier sockets,
      Supplier<ConfigurationState> configuration,
      KeptServers kept,
      Audit audit) {
    MetricsTelemetry measured = metrics;
    if (measured == null) {
      return;
    }
    measured.gauge(
        "mcpbus_ready",
        "1 while this node should receive requests, as GET /health/ready says.",
        () -> isReady(readiness.problems()) ? 1 : 0);
    measured.gauge(
        "mcpbus_http_connections", "Open connections of HTTP clients.", () -> sockets.getAsInt());
    measured.gauge(
        "mcpbus_cluster_nodes",
        "Nodes that serve, as this node sees it, itself included; 0 without a cluster or quorum.",
        readiness::nodes);
    measured.gauge(
        "mcpbus_state_failing",
        "1 while the state directory cannot be written: changes of servers are lost at a restart.",
        () -> kept.isFailing() ? 1 : 0);
    measured.gauge(
        "mcpbus_config_broken",
        "1 while the file on disk cannot be used and what was read before is in force.",
        () -> configuration.get().brokenSince() == null ? 0 : 1);
    measured.gauge(
        "mcpbus_servers_left_out",
        "Servers of the configuration that do not run because of mistakes in their entries.",
        () -> configuration.get().leftOut(measured.servers()).size());
    measured.gauge(
        "mcpbus_audit_failing",
        "1 while lines of the audit log cannot be written to its file.",
        () -> audit.problem() == null ? 0 : 1);
    measured.gauge(
        "mcpbus_audit_lines_waiting",
        "Lines of the audit log that wait until its file can be written.",
        audit::waiting);
    measured.gauge(
        "mcpbus_audit_lines_lost",
        "Lines of the audit log that were lost since the start, because its file could not be"
            + " written.",
        audit::lost);
    measured.start();
  }

  private static boolean isReady(@Nullable List<String> problems) {
    return problems != null && problems.isEmpty();
  }

  /** Sends what is left; completes in about two seconds at the latest. */
  Future<Void> close() {
    Telemetry.use(vertx, null);
    return all.close().otherwiseEmpty();
  }
}
