package dev.mcpbus.soak;

import java.util.ArrayList;
import java.util.List;

/** How long the steady calls took since the last count. Safe on every thread. */
final class Latency {

  /** The machine is shared with the load: only what lasts is judged. */
  private static final double TIMES = 2.5;

  private static final double SLACK_MILLIS = 30;

  private final List<Long> nanos = new ArrayList<>();

  synchronized void add(long one) {
    nanos.add(one);
  }

  /** Median and 99th percentile in milliseconds; begins anew. */
  synchronized double[] take() {
    if (nanos.isEmpty()) {
      return new double[] {0, 0};
    }
    nanos.sort(null);
    double median = nanos.get(nanos.size() / 2) / 1e6;
    double p99 = nanos.get(Math.min(nanos.size() - 1, nanos.size() * 99 / 100)) / 1e6;
    nanos.clear();
    return new double[] {median, p99};
  }

  /** The last third against the first, by their medians. */
  static List<String> judge(List<Observation> all) {
    int third = Math.max(1, all.size() / 3);
    double before =
        Growth.median(all.subList(0, third).stream().mapToDouble(Observation::p99Millis));
    double after =
        Growth.median(
            all.subList(all.size() - third, all.size()).stream()
                .mapToDouble(Observation::p99Millis));
    return after > before * TIMES + SLACK_MILLIS
        ? List.of(String.format("grows: p99 of the steady calls: %.1f -> %.1f ms", before, after))
        : List.of();
  }
}
