package dev.mcpbus.observability.metrics;

import dev.mcpbus.bus.ConnectionFacts;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.ConnectionTelemetry;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.InboundSpan;
import dev.mcpbus.bus.McpBusVersion;
import dev.mcpbus.bus.MetricsPage;
import dev.mcpbus.bus.Telemetry;
import dev.mcpbus.bus.TelemetryOperation;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.prometheus.metrics.model.snapshots.Labels;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.DoubleSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The metrics of one Vert.x, in a registry of its own or in that of the program; the page of {@code
 * GET /metrics} shows it. Any thread may call.
 */
public final class MetricsTelemetry implements Telemetry {

  private final Vertx vertx;
  private final @Nullable MeterRegistry own;
  private final PrometheusMeterRegistry registry;
  private final OperationTimers timers = new OperationTimers();
  private final Map<String, ServerMeters> servers = new ConcurrentHashMap<>();
  private final StateCollector state;
  private final DoorMeters doors = new DoorMeters(timers);
  private final RepeatMeters repeats = new RepeatMeters();
  private final PageWriter page;
  private final JvmMeters jvm;
  private final List<Runnable> ends = new ArrayList<>();

  /**
   * @param own the program's, which stays open and has its meters of the JVM itself; null for none
   */
  public MetricsTelemetry(Vertx vertx, @Nullable MeterRegistry own) {
    this.vertx = vertx;
    this.own = own;
    this.registry =
        own instanceof PrometheusMeterRegistry prometheus
            ? prometheus
            : new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    this.jvm = new JvmMeters(registry);
    if (own != null) {
      jvm.close();
    }
    this.page = new PageWriter(vertx, registry, jvm);
    this.state = new StateCollector(vertx, servers.values());
    state.add(() -> repeats.collect(servers.keySet()));
    registry.getPrometheusRegistry().register(state);
    registry.getPrometheusRegistry().register(timers);
    state.gauge(
        "mcpbus_build_info",
        "The version of mcpbus; always 1.",
        Labels.of("version", McpBusVersion.current()),
        () -> 1);
  }

  /** Begins to measure the delay of event loops. */
  public void start() {
    ends.add(LoopDelayProbe.start(vertx, timers.timer(OperationTimers.LOOP_DELAY, Tags.empty())));
    if (own != null && own != registry) {
      ends.add(new SnapshotMeters(own, List.of(state, timers)).start(vertx));
    }
  }

  /**
   * Adds a value of the service to the page.
   *
   * @param name as Prometheus has it
   * @param value is read by the thread that writes the page
   */
  public void gauge(String name, String help, DoubleSupplier value) {
    state.gauge(name, help, Labels.EMPTY, value);
  }

  /** The servers that have a connection now. */
  public List<ConnectionId> servers() {
    return servers.keySet().stream().map(ConnectionId::new).toList();
  }

  @Override
  public synchronized ConnectionTelemetry connection(ConnectionFacts facts) {
    ServerMeters server =
        servers.computeIfAbsent(facts.server(), id -> new ServerMeters(timers, id));
    ConnectionMeters connection = new ConnectionMeters(server, facts, this::ended);
    server.add(connection);
    return connection;
  }

  private synchronized void ended(ConnectionMeters connection) {
    ServerMeters server = connection.server();
    if (server.remove(connection) && servers.remove(server.server(), server)) {
      server.close();
      doors.forget(server.server());
    }
  }

  @Override
  public TelemetryOperation received(InboundSpan request) {
    return doors.received(request);
  }

  @Override
  public void sessionEnded(String version, long nanos) {
    timers.timer(OperationTimers.SERVER_SESSION, TransportLabels.HTTP.tags(version)).record(nanos);
  }

  @Override
  public void repeated(String server, FailureCode code) {
    repeats.count(server, code);
  }

  @Override
  public MetricsPage page() {
    return page;
  }

  @Override
  public Future<Void> close() {
    jvm.close();
    registry.getPrometheusRegistry().unregister(state);
    registry.getPrometheusRegistry().unregister(timers);
    if (own != registry) {
      registry.close();
    }
    ends.forEach(Runnable::run);
    ends.clear();
    return Future.succeededFuture();
  }
}
