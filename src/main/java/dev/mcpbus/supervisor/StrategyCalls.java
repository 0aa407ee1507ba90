package dev.mcpbus.supervisor;

import java.util.Objects;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Calls the {@link ConnectionStrategy} of a child. If the strategy throws, the configured policy
 * holds. Runs on the supervisor's context.
 */
final class StrategyCalls {

  private static final Logger LOG = LoggerFactory.getLogger(StrategyCalls.class);

  private StrategyCalls() {}

  static boolean shouldConnect(ChildSpec spec) {
    ConnectionStrategy strategy = spec.policy().strategy();
    try {
      return strategy.shouldConnect(spec.label());
    } catch (RuntimeException | LinkageError e) {
      broken(spec, e);
      return true;
    }
  }

  static RestartPolicy afterFailure(ChildSpec spec, int attempt, String why) {
    RestartPolicy configured = spec.policy();
    ConnectionStrategy strategy = configured.strategy();
    try {
      strategy.connectionFailed(spec.label(), attempt, why);
      return Objects.requireNonNull(
          strategy.retryPolicy(spec.label(), configured), "retryPolicy returned null");
    } catch (RuntimeException | LinkageError e) {
      broken(spec, e);
      return configured;
    }
  }

  private static void broken(ChildSpec spec, Throwable failure) {
    LOG.warn(
        "strategy \"{}\" of {} threw an exception; the configured policy holds",
        spec.policy().strategy().getClass().getName(),
        spec.id(),
        failure);
  }
}
