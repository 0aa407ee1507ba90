package dev.mcpbus.observability.metrics;

import dev.mcpbus.bus.ConnectionState;
import dev.mcpbus.bus.FairLimits;
import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.function.DoubleSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;

/**
 * Everything that has a state now: servers, their children, the bounds, the service. Read when the
 * page is written, so it costs nothing between two pages, and a server that is gone is gone here as
 * well. The thread that writes the page calls it.
 */
final class StateCollector implements MultiCollector {

  /** The metric that names principals. */
  static final String CALLER_REQUESTS = "mcpbus_caller_requests";

  private final Vertx vertx;
  private final Collection<ServerMeters> servers;
  private final List<Supplier<MetricSnapshot>> more = new ArrayList<>();

  /**
   * @param servers a view of the servers of this moment
   */
  StateCollector(Vertx vertx, Collection<ServerMeters> servers) {
    this.vertx = vertx;
    this.servers = servers;
  }

  /** Adds a value of the service; NaN where it is not known now. */
  synchronized void gauge(String name, String help, Labels labels, DoubleSupplier value) {
    add(
        () ->
            GaugeSnapshot.builder()
                .name(name)
                .help(help)
                .dataPoint(new GaugeDataPointSnapshot(value.getAsDouble(), labels, null))
                .build());
  }

  /** Adds a metric that its supplier counts itself. */
  synchronized void add(Supplier<MetricSnapshot> metric) {
    more.add(metric);
  }

  @Override
  public synchronized MetricSnapshots collect() {
    List<MetricSnapshot> all = new ArrayList<>();
    all.add(states());
    all.add(
        down(
            "mcpbus_servers_failed",
            "Servers that are not tried again soon: nothing serves them, and a connection failed.",
            ConnectionState.FAILED));
    all.add(
        down(
            "mcpbus_servers_reconnecting",
            "Servers that nothing serves while a connection is tried again.",
            ConnectionState.RECONNECTING));
    all.add(
        gauges(
            "mcpbus_requests_in_flight",
            "Requests that wait for an answer of the server.",
            server -> server.sum(one -> one.facts().inFlight())));
    all.add(
        gauges(
            "mcpbus_calls_waiting",
            "Calls that wait for a session with the server.",
            server -> server.sum(one -> one.facts().waiting())));
    all.add(
        gauges(
            "mcpbus_breakers_open",
            "Circuit breakers that refuse calls, or send probes alone.",
            server -> server.sum(one -> one.facts().openBreakers())));
    all.add(
        counts(
            "mcpbus_restarts",
            "Sessions that the supervisor has started again.",
            ConnectionMeters.Count.RESTARTS));
    all.add(
        counts(
            "mcpbus_notifications_dropped",
            "Notifications that were dropped because the server sends too many.",
            ConnectionMeters.Count.DROPPED));
    all.add(
        counts(
            "mcpbus_sent_bytes",
            "Bytes of messages to the server.",
            ConnectionMeters.Count.SENT_BYTES));
    all.add(
        counts(
            "mcpbus_received_bytes",
            "Bytes of messages of the server.",
            ConnectionMeters.Count.RECEIVED_BYTES));
    all.add(callers());
    children(all);
    bounds(all);
    more.forEach(one -> all.add(one.get()));
    return new MetricSnapshots(all);
  }

  // ---- servers

  private static Labels of(ServerMeters server) {
    return Labels.of("server", server.server());
  }

  /** One for each state, so that a state can be summed and alerted on by its name. */
  private MetricSnapshot states() {
    GaugeSnapshot.Builder states =
        GaugeSnapshot.builder()
            .name("mcpbus_connections")
            .help("Connections that all callers share, by their state.");
    for (ServerMeters server : servers) {
      for (ConnectionState state : ConnectionState.values()) {
        long there =
            server.connections().stream()
                .filter(one -> one.facts().isShared() && one.facts().state() == state)
                .count();
        String word = state.name().toLowerCase(Locale.ROOT);
        states.dataPoint(
            new GaugeDataPointSnapshot(there, of(server).merge(Labels.of("state", word)), null));
      }
    }
    return states.build();
  }

  /** How many servers have a shared connection in that state, and none that serves. */
  private MetricSnapshot down(String name, String help, ConnectionState state) {
    long there =
        servers.stream()
            .filter(server -> has(server, one -> one == state))
            .filter(server -> !has(server, ConnectionState::serves))
            .count();
    return GaugeSnapshot.builder()
        .name(name)
        .help(help)
        .dataPoint(new GaugeDataPointSnapshot(there, Labels.EMPTY, null))
        .build();
  }

  private static boolean has(ServerMeters server, Predicate<ConnectionState> which) {
    return server.connections().stream()
        .anyMatch(one -> one.facts().isShared() && which.test(one.facts().state()));
  }

  private MetricSnapshot gauges(String name, String help, ToDoubleFunction<ServerMeters> value) {
    GaugeSnapshot.Builder gauges = GaugeSnapshot.builder().name(name).help(help);
    for (ServerMeters server : servers) {
      gauges.dataPoint(new GaugeDataPointSnapshot(value.applyAsDouble(server), of(server), null));
    }
    return gauges.build();
  }

  private MetricSnapshot counts(String name, String help, ConnectionMeters.Count count) {
    CounterSnapshot.Builder counters = CounterSnapshot.builder().name(name).help(help);
    for (ServerMeters server : servers) {
      counters.dataPoint(new CounterDataPointSnapshot(server.total(count), of(server), null, 0L));
    }
    return counters.build();
  }

  private MetricSnapshot callers() {
    CounterSnapshot.Builder callers =
        CounterSnapshot.builder()
            .name(CALLER_REQUESTS)
            .help("Requests to a server of callers, by the principal for whom they were sent.");
    for (ServerMeters server : servers) {
      server
          .callers()
          .forEach(
              (principal, requests) ->
                  callers.dataPoint(
                      new CounterDataPointSnapshot(
                          requests,
                          of(server).merge(Labels.of("principal", principal)),
                          null,
                          0L)));
    }
    return callers.build();
  }

  // ---- children

  private void children(List<MetricSnapshot> all) {
    GaugeSnapshot.Builder pids =
        GaugeSnapshot.builder()
            .name("mcpbus_child_pid")
            .help("The process of the server; the newest where it has several.");
    GaugeSnapshot.Builder memory =
        GaugeSnapshot.builder()
            .name("mcpbus_child_resident_memory_bytes")
            .help("Resident memory of the server's processes.");
    CounterSnapshot.Builder cpu =
        CounterSnapshot.builder()
            .name("mcpbus_child_cpu_seconds")
            .help("Processor time of the server's running processes.");
    for (ServerMeters server : servers) {
      long newest = -1;
      long bytes = 0;
      double seconds = 0;
      for (ConnectionMeters one : server.connections()) {
        ChildUsage usage = one.pid() < 0 ? null : ChildUsage.of(one.pid());
        if (usage != null) {
          newest = Math.max(newest, one.pid());
          bytes += usage.residentBytes();
          seconds += usage.cpuSeconds();
        }
      }
      if (newest >= 0) {
        pids.dataPoint(new GaugeDataPointSnapshot(newest, of(server), null));
        memory.dataPoint(new GaugeDataPointSnapshot(bytes, of(server), null));
        cpu.dataPoint(new CounterDataPointSnapshot(seconds, of(server), null, 0L));
      }
    }
    all.add(pids.build());
    all.add(memory.build());
    all.add(cpu.build());
  }

  // ---- bounds

  private void bounds(List<MetricSnapshot> all) {
    JsonObject bounds = FairLimits.of(vertx).toJson();
    all.add(bounded(bounds, "mcpbus_bound_entries", "Entries of a bound.", "used"));
    all.add(bounded(bounds, "mcpbus_bound_in_use", "Entries of a bound in use.", "inUse"));
    all.add(bounded(bounds, "mcpbus_bound_max", "The most that a bound admits.", "max"));
    all.add(counted(bounds, "mcpbus_bound_refused", "Entries that were refused.", "refused"));
    all.add(
        counted(bounds, "mcpbus_bound_evicted", "Idle entries that ended for others.", "evicted"));
  }

  private static MetricSnapshot bounded(
      JsonObject bounds, String name, String help, String member) {
    GaugeSnapshot.Builder gauges = GaugeSnapshot.builder().name(name).help(help);
    for (String bound : bounds.fieldNames()) {
      double number = bounds.getJsonObject(bound).getDouble(member, 0.0);
      gauges.dataPoint(new GaugeDataPointSnapshot(number, Labels.of("bound", bound), null));
    }
    return gauges.build();
  }

  private static MetricSnapshot counted(
      JsonObject bounds, String name, String help, String member) {
    CounterSnapshot.Builder counters = CounterSnapshot.builder().name(name).help(help);
    for (String bound : bounds.fieldNames()) {
      double number = bounds.getJsonObject(bound).getDouble(member, 0.0);
      counters.dataPoint(new CounterDataPointSnapshot(number, Labels.of("bound", bound), null, 0L));
    }
    return counters.build();
  }
}
