package dev.mcpbus.observability.metrics;

import dev.mcpbus.bus.FailureCode;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** The calls that this node has made again, by server and failure. Any thread may call. */
final class RepeatMeters {

  /** Servers with series of their own; servers that are gone keep theirs. */
  private static final int MAX_SERVERS = 1_000;

  private static final List<FailureCode> FIRST =
      List.of(FailureCode.OWNER_LOST, FailureCode.UPSTREAM_RESET);

  private record Key(String server, FailureCode code) {}

  private final BoundedNames servers = new BoundedNames(MAX_SERVERS, "other");
  private final Map<Key, LongAdder> counts = new ConcurrentHashMap<>();

  void count(String server, FailureCode code) {
    counts
        .computeIfAbsent(new Key(servers.label(server), code), absent -> new LongAdder())
        .increment();
  }

  /**
   * @param present servers that have a connection here: they have their series from the start, so
   *     that a first repeat shows as an increase
   */
  MetricSnapshot collect(Collection<String> present) {
    for (String server : present) {
      for (FailureCode code : FIRST) {
        counts.computeIfAbsent(new Key(servers.label(server), code), absent -> new LongAdder());
      }
    }
    CounterSnapshot.Builder all =
        CounterSnapshot.builder()
            .name("mcpbus_calls_repeated")
            .help("Safe calls that were made again after this failure.");
    counts.forEach(
        (key, count) ->
            all.dataPoint(
                new CounterDataPointSnapshot(
                    count.sum(),
                    Labels.of("server", key.server(), "code", key.code().name()),
                    null,
                    0L)));
    return all.build();
  }
}
