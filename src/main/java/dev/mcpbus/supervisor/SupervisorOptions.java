package dev.mcpbus.supervisor;

import java.time.Duration;

/**
 * Options of one supervisor.
 *
 * @param strategy which children are restarted when one has failed, default one-for-one
 * @param startConcurrency how many sessions of each kind may be starting at the same time (planned
 *     ones, those that a caller waits for, those whose last start has failed); default 16
 * @param startTimeout a deployment that has not completed after this time counts as failed; default
 *     60 s
 * @param stopTimeout how long stopping the whole supervisor may take, default 60 s; the service
 *     ends after 10 s in any case
 */
public record SupervisorOptions(
    RestartStrategy strategy, int startConcurrency, Duration startTimeout, Duration stopTimeout) {

  public static final SupervisorOptions DEFAULT = of(RestartStrategy.ONE_FOR_ONE, 16);

  public SupervisorOptions {
    if (startConcurrency < 1) {
      throw new IllegalArgumentException("startConcurrency must be > 0, not " + startConcurrency);
    }
    if (startTimeout.toMillis() < 1 || stopTimeout.toMillis() < 1) {
      throw new IllegalArgumentException("startTimeout and stopTimeout must be at least 1 ms");
    }
  }

  public static SupervisorOptions of(RestartStrategy strategy, int startConcurrency) {
    Duration minute = Duration.ofSeconds(60);
    return new SupervisorOptions(strategy, startConcurrency, minute, minute);
  }
}
