package dev.mcpbus.observability.metrics;

import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.DoubleStream;

/**
 * Makes and removes the histograms of durations, and shows them on the page. Any thread may call.
 */
final class OperationTimers implements MultiCollector {

  static final String CLIENT_OPERATION = "mcp.client.operation.duration";
  static final String SERVER_OPERATION = "mcp.server.operation.duration";
  static final String CLIENT_SESSION = "mcp.client.session.duration";
  static final String SERVER_SESSION = "mcp.server.session.duration";
  static final String LOOP_DELAY = "mcpbus.event.loop.delay";

  /** The bounds that OpenTelemetry's conventions for MCP give for all four. */
  private static final long[] CONVENTION =
      nanos(0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300);

  private static final long[] LOOP = nanos(0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5);

  private static final Map<String, String> HELP =
      Map.of(
          CLIENT_OPERATION, "Requests to MCP servers, from sending to the answer.",
          SERVER_OPERATION, "Requests of clients, from arrival to the answer.",
          CLIENT_SESSION, "Sessions with MCP servers that have ended.",
          SERVER_SESSION, "Sessions of MCP clients that have ended.",
          LOOP_DELAY, "How late a task runs on an event loop.");

  /** A histogram by its name and labels. */
  record Series(String name, Labels labels) {}

  private final Map<Series, DurationHistogram> all = new ConcurrentHashMap<>();

  private static long[] nanos(double... seconds) {
    return DoubleStream.of(seconds).mapToLong(each -> Math.round(each * 1e9)).toArray();
  }

  static Series series(String name, Tags tags) {
    List<String> names = new ArrayList<>();
    List<String> values = new ArrayList<>();
    for (Tag tag : tags) {
      names.add(tag.getKey().replace('.', '_'));
      values.add(tag.getValue());
    }
    return new Series(name, Labels.of(names, values));
  }

  DurationHistogram timer(Series series) {
    return all.computeIfAbsent(
        series,
        first -> new DurationHistogram(first.name().equals(LOOP_DELAY) ? LOOP : CONVENTION));
  }

  DurationHistogram timer(String name, Tags tags) {
    return timer(series(name, tags));
  }

  void remove(Series series) {
    all.remove(series);
  }

  @Override
  public MetricSnapshots collect() {
    Map<String, HistogramSnapshot.Builder> histograms = new TreeMap<>();
    Map<String, GaugeSnapshot.Builder> longest = new TreeMap<>();
    all.forEach(
        (series, histogram) -> {
          String help = HELP.getOrDefault(series.name(), "");
          String name = series.name().replace('.', '_') + "_seconds";
          histograms
              .computeIfAbsent(name, first -> HistogramSnapshot.builder().name(name).help(help))
              .dataPoint(histogram.snapshot(series.labels()));
          longest
              .computeIfAbsent(
                  name, first -> GaugeSnapshot.builder().name(name + "_max").help(help))
              .dataPoint(new GaugeDataPointSnapshot(histogram.longest(), series.labels(), null));
        });
    List<MetricSnapshot> snapshots = new ArrayList<>();
    histograms.values().forEach(each -> snapshots.add(each.build()));
    longest.values().forEach(each -> snapshots.add(each.build()));
    return new MetricSnapshots(snapshots);
  }
}
