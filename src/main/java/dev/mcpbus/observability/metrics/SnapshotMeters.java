package dev.mcpbus.observability.metrics;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.DataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot.HistogramDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.vertx.core.Vertx;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Shows collectors in a registry that is none for Prometheus. It reads them every 5 s, makes meters
 * for new series and removes those of series that are gone. Its reading runs on a worker thread.
 */
final class SnapshotMeters {

  static final long INTERVAL_MILLIS = 5_000;

  private static final String SECONDS = "_seconds";

  private record SeriesKey(String name, Labels labels) {}

  /** The newest value of a series; of durations also how many there are. */
  private static final class SeriesValue {
    private final Meter meter;
    private volatile double value;
    private volatile long count;

    SeriesValue(MeterRegistry registry, MetricSnapshot of, DataPointSnapshot first) {
      read(first);
      this.meter = meter(registry, of, first);
    }

    private Meter meter(MeterRegistry registry, MetricSnapshot of, DataPointSnapshot first) {
      String written = of.getMetadata().getName();
      String help = of.getMetadata().getHelp();
      List<Tag> tags = tags(first.getLabels());
      if (first instanceof HistogramDataPointSnapshot) {
        return FunctionTimer.builder(
                dots(written.substring(0, written.length() - SECONDS.length())),
                this,
                one -> one.count,
                one -> one.value,
                TimeUnit.SECONDS)
            .tags(tags)
            .description(help)
            .register(registry);
      }
      return first instanceof CounterDataPointSnapshot
          ? FunctionCounter.builder(dots(written), this, one -> one.value)
              .tags(tags)
              .description(help)
              .register(registry)
          : Gauge.builder(dots(written), this, one -> one.value)
              .tags(tags)
              .description(help)
              .register(registry);
    }

    void read(DataPointSnapshot point) {
      if (point instanceof HistogramDataPointSnapshot durations) {
        count = durations.getCount();
        value = durations.getSum();
      } else if (point instanceof CounterDataPointSnapshot counted) {
        value = counted.getValue();
      } else if (point instanceof GaugeDataPointSnapshot measured) {
        value = measured.getValue();
      }
    }
  }

  private final MeterRegistry registry;
  private final List<MultiCollector> collectors;
  private final Map<SeriesKey, SeriesValue> present = new HashMap<>();
  private boolean closed;

  SnapshotMeters(MeterRegistry registry, List<MultiCollector> collectors) {
    this.registry = registry;
    this.collectors = collectors;
  }

  /**
   * Begins to read.
   *
   * @return ends it
   */
  Runnable start(Vertx vertx) {
    long timer = vertx.setPeriodic(1, INTERVAL_MILLIS, now -> readOn(vertx));
    return () -> {
      vertx.cancelTimer(timer);
      close();
    };
  }

  private void readOn(Vertx vertx) {
    vertx.executeBlocking(
        () -> {
          read();
          return null;
        });
  }

  synchronized void read() {
    if (closed) {
      return;
    }
    Set<SeriesKey> seen = new HashSet<>();
    for (MultiCollector collector : collectors) {
      for (MetricSnapshot metric : collector.collect()) {
        for (DataPointSnapshot point : metric.getDataPoints()) {
          SeriesKey key = new SeriesKey(metric.getMetadata().getName(), point.getLabels());
          seen.add(key);
          SeriesValue known = present.get(key);
          if (known == null) {
            present.put(key, new SeriesValue(registry, metric, point));
          } else {
            known.read(point);
          }
        }
      }
    }
    present
        .entrySet()
        .removeIf(
            one -> {
              boolean gone = !seen.contains(one.getKey());
              if (gone) {
                registry.remove(one.getValue().meter); // has none where a filter denies it
              }
              return gone;
            });
  }

  private synchronized void close() {
    closed = true;
    present.values().forEach(one -> registry.remove(one.meter));
    present.clear();
  }

  private static String dots(String name) {
    return name.replace('_', '.');
  }

  private static List<Tag> tags(@Nullable Labels labels) {
    return labels == null
        ? List.of()
        : IntStream.range(0, labels.size())
            .mapToObj(i -> Tag.of(labels.getName(i), labels.getValue(i)))
            .toList();
  }
}
