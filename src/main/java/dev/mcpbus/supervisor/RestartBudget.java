package dev.mcpbus.supervisor;

import java.util.List;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * What is left of one child's restart intensity. A pure value; times are monotonic milliseconds.
 *
 * @param attempt failures in a row since the last quiet period
 * @param failures the times of the failures within the period, oldest first
 * @param spent true from the first failure beyond the restart intensity until the next quiet period
 */
record RestartBudget(int attempt, List<Long> failures, boolean spent) {

  static final RestartBudget FRESH = new RestartBudget(0, List.of(), false);

  /** A failure exactly one period ago still counts, as in OTP. */
  RestartBudget failed(RestartIntensity intensity, long now) {
    long threshold = now - intensity.period().toMillis();
    LongStream recent = failures.stream().mapToLong(Long::longValue).filter(t -> t >= threshold);
    List<Long> counted = Stream.concat(recent.boxed(), Stream.of(now)).toList();
    boolean over = spent || counted.size() > intensity.restarts();
    return new RestartBudget(attempt + 1, over ? List.of() : counted, over);
  }
}
