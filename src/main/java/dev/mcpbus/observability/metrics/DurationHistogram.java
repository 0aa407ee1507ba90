package dev.mcpbus.observability.metrics;

import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.Exemplars;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot.HistogramDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * How often durations lie between fixed bounds. To record one takes two additions and one look at
 * the longest: that is on the way of each call, and Micrometer's timer takes five times as long
 * there. Any thread may call.
 */
final class DurationHistogram {

  /** The longest duration is that of the last one to two minutes. */
  private static final long WINDOW_NANOS = 60_000_000_000L;

  private final long[] bounds;

  /** One count for each bound, one for what is longer, and the sum in nanoseconds. */
  private final AtomicLongArray counts;

  private final AtomicLong longest = new AtomicLong();
  private long longestBefore;
  private long windowSince = System.nanoTime();

  /**
   * @param bounds in nanoseconds, rising; a duration belongs to the first that is not shorter
   */
  DurationHistogram(long[] bounds) {
    this.bounds = bounds;
    this.counts = new AtomicLongArray(bounds.length + 2);
  }

  void record(long nanos) {
    int at = 0;
    while (at < bounds.length && nanos > bounds[at]) {
      at++;
    }
    counts.getAndIncrement(at);
    counts.getAndAdd(bounds.length + 1, nanos);
    if (nanos > longest.get()) {
      longest.accumulateAndGet(nanos, Math::max);
    }
  }

  /** The counts of this moment, in seconds. */
  HistogramDataPointSnapshot snapshot(Labels labels) {
    double[] upper = Arrays.copyOf(seconds(bounds), bounds.length + 1);
    upper[bounds.length] = Double.POSITIVE_INFINITY;
    long[] each = new long[bounds.length + 1];
    for (int i = 0; i < each.length; i++) {
      each[i] = counts.get(i);
    }
    return new HistogramDataPointSnapshot(
        ClassicHistogramBuckets.of(upper, each),
        counts.get(bounds.length + 1) / 1e9,
        labels,
        Exemplars.EMPTY,
        0L);
  }

  /** The longest duration of the last one to two minutes, in seconds. */
  synchronized double longest() {
    long now = System.nanoTime();
    double seconds = Math.max(longest.get(), longestBefore) / 1e9;
    if (now - windowSince > WINDOW_NANOS) {
      longestBefore = longest.getAndSet(0);
      windowSince = now;
    }
    return seconds;
  }

  private static double[] seconds(long[] nanos) {
    return Arrays.stream(nanos).mapToDouble(each -> each / 1e9).toArray();
  }
}
