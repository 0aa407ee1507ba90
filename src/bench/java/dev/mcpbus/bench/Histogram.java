package dev.mcpbus.bench;

import java.util.concurrent.atomic.AtomicLongArray;

/** Durations in nanoseconds, to about 1.6 %: 64 steps in each power of two. From any thread. */
final class Histogram {

  private static final int STEP_BITS = 6;
  private static final int STEPS = 1 << STEP_BITS;

  private final AtomicLongArray counts = new AtomicLongArray((64 - STEP_BITS) * STEPS);

  void record(long nanos) {
    counts.incrementAndGet(index(Math.max(0, nanos)));
  }

  long count() {
    long sum = 0;
    for (int i = 0; i < counts.length(); i++) {
      sum += counts.get(i);
    }
    return sum;
  }

  /** The upper bound of the step in which the {@code quantile} (0 to 1) lies. */
  double micros(double quantile) {
    long wanted = Math.max(1, (long) Math.ceil(count() * quantile));
    long seen = 0;
    for (int i = 0; i < counts.length(); i++) {
      seen += counts.get(i);
      if (seen >= wanted) {
        return upperBound(i) / 1_000.0;
      }
    }
    return 0;
  }

  private static int index(long nanos) {
    if (nanos < STEPS) {
      return (int) nanos;
    }
    int shift = 63 - Long.numberOfLeadingZeros(nanos) - STEP_BITS;
    return (shift + 1) * STEPS + (int) ((nanos >>> shift) - STEPS);
  }

  private static long upperBound(int index) {
    if (index < STEPS) {
      return index;
    }
    int shift = index / STEPS - 1;
    return (long) (index % STEPS + STEPS + 1) << shift;
  }
}
