package dev.mcpbus.observability.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Collectors of mcpbus in a registry that is none for Prometheus. */
class SnapshotMetersTest {

  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  private final Map<String, Double> restarts = new TreeMap<>();
  private final OperationTimers timers = new OperationTimers();
  private final MultiCollector counts =
      () -> {
        CounterSnapshot.Builder all = CounterSnapshot.builder().name("mcpbus_restarts");
        restarts.forEach(
            (server, value) ->
                all.dataPoint(
                    new CounterDataPointSnapshot(value, Labels.of("server", server), null, 0L)));
        return new MetricSnapshots(all.build());
      };
  private final SnapshotMeters meters = new SnapshotMeters(registry, List.of(counts, timers));

  @Test
  void a_series_is_a_meter_with_its_labels_and_newest_value_until_it_is_gone() {
    restarts.put("a", 1.0);
    restarts.put("b", 5.0);
    meters.read();
    restarts.put("a", 3.0);
    restarts.remove("b");
    meters.read();

    assertThat(registry.get("mcpbus.restarts").tag("server", "a").functionCounter().count())
        .isEqualTo(3);
    assertThat(registry.find("mcpbus.restarts").tag("server", "b").functionCounter()).isNull();
    assertThat(registry.get("mcpbus.restarts").meters()).hasSize(1);
  }

  @Test
  void a_denied_series_that_is_gone_is_forgotten() {
    AtomicInteger asked = new AtomicInteger();
    registry
        .config()
        .meterFilter(
            MeterFilter.deny(
                id -> {
                  asked.incrementAndGet();
                  return true;
                }));
    restarts.put("a", 1.0);
    meters.read();
    meters.read();
    assertThat(asked).hasValue(1);
    restarts.clear();
    meters.read();
    restarts.put("a", 1.0);
    meters.read();
    assertThat(asked).hasValue(2); // new again
    assertThat(registry.getMeters()).isEmpty();
  }

  @Test
  void durations_have_their_number_and_sum_and_longest() {
    timers
        .timer(OperationTimers.CLIENT_OPERATION, Tags.of("server", "a"))
        .record(TimeUnit.MILLISECONDS.toNanos(250));
    timers
        .timer(OperationTimers.CLIENT_OPERATION, Tags.of("server", "a"))
        .record(TimeUnit.MILLISECONDS.toNanos(750));
    meters.read();

    var calls = registry.get("mcp.client.operation.duration").tag("server", "a").functionTimer();
    assertThat(calls.count()).isEqualTo(2);
    assertThat(calls.totalTime(TimeUnit.SECONDS)).isEqualTo(1);
    assertThat(registry.get("mcp.client.operation.duration.seconds.max").gauge().value())
        .isEqualTo(0.75);
  }
}
