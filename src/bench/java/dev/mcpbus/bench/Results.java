package dev.mcpbus.bench;

import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.DoubleStream;
import org.jspecify.annotations.Nullable;

/** What was measured, round by round, and the medians over the rounds. */
final class Results {

  /** Medians of one contender. */
  record Row(
      long perSecond,
      double cpuMicros,
      double p50Micros,
      double p99Micros,
      double p999Micros,
      long failures) {}

  private record Key(Kind kind, int callers) {}

  private final Map<Key, List<JsonObject>> closed = new HashMap<>();
  private final Map<Kind, JsonObject> paced = new EnumMap<>(Kind.class);
  private final Map<Kind, JsonObject> memory = new EnumMap<>(Kind.class);

  void closed(Kind kind, int callers, JsonObject round) {
    closed.computeIfAbsent(new Key(kind, callers), key -> new ArrayList<>()).add(round);
  }

  void paced(Kind kind, JsonObject run) {
    paced.put(kind, run);
  }

  void memory(Kind kind, JsonObject facts) {
    memory.put(kind, facts);
  }

  /** Null where it was not measured. */
  @Nullable Row row(Kind kind, int callers) {
    List<JsonObject> rounds = closed.get(new Key(kind, callers));
    return rounds == null ? null : row(rounds);
  }

  @Nullable Row paced(Kind kind) {
    JsonObject run = paced.get(kind);
    return run == null ? null : row(List.of(run));
  }

  @Nullable JsonObject memory(Kind kind) {
    return memory.get(kind);
  }

  private static Row row(List<JsonObject> rounds) {
    return new Row(
        Math.round(median(rounds, "perSecond")),
        median(rounds, "cpuMicros"),
        median(rounds, "p50Micros"),
        median(rounds, "p99Micros"),
        median(rounds, "p999Micros"),
        rounds.stream().mapToLong(round -> round.getLong("failures")).sum());
  }

  static double median(List<JsonObject> rounds, String name) {
    return median(rounds.stream().mapToDouble(round -> round.getDouble(name)));
  }

  static double median(DoubleStream values) {
    double[] sorted = values.sorted().toArray();
    int middle = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }
}
