package dev.mcpbus.supervisor;

import dev.mcpbus.protocol.PublicApi;
import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * The delay before restart number n: exponential up to a ceiling, spread by jitter. A pure value;
 * the caller passes in the random generator.
 *
 * @param initial the delay before the first restart, default 100 ms
 * @param max the ceiling before jitter, default 30 s
 * @param factor growth per attempt, at least 1, default 2
 * @param jitter the share of the delay that is random, 0 to 1: the delay lies in {@code
 *     [d*(1-jitter), d*(1+jitter)]}; default 0.2
 */
@PublicApi
public record Backoff(Duration initial, Duration max, double factor, double jitter) {

  public static final Backoff DEFAULT =
      new Backoff(Duration.ofMillis(100), Duration.ofSeconds(30), 2, 0.2);

  public Backoff {
    if (initial.isNegative() || max.compareTo(initial) < 0 || factor < 1) {
      throw new IllegalArgumentException("back-off must not shrink: " + initial + " to " + max);
    }
    if (jitter < 0 || jitter > 1) {
      throw new IllegalArgumentException("jitter must be 0 to 1, not " + jitter);
    }
  }

  /**
   * The delay before one restart.
   *
   * @param attempt 1 for the first restart
   */
  public Duration delay(int attempt, RandomGenerator random) {
    double exact = (double) initial.toMillis() * Math.pow(factor, Math.max(0, attempt - 1));
    double capped = Math.min(exact, (double) max.toMillis());
    double spread = capped * jitter * (2 * random.nextDouble() - 1);
    return Duration.ofMillis(Math.round(capped + spread));
  }
}
