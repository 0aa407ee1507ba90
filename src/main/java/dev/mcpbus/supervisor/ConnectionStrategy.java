package dev.mcpbus.supervisor;

import dev.mcpbus.protocol.PublicApi;

/**
 * Decides, beyond the configured {@link RestartPolicy}, whether and how the supervisor reconnects a
 * server. {@link java.util.ServiceLoader} finds implementations; {@code "restart": {"strategy":
 * ...}} selects one by name. One instance serves all servers that name it.
 *
 * <p>The supervisor calls every method on its event loop, so a method must not block. If a method
 * throws, the supervisor logs the exception and uses the configured policy.
 */
@PublicApi
@FunctionalInterface
public interface ConnectionStrategy {

  /** The strategy that leaves every decision to the configured policy. */
  ConnectionStrategy CONFIGURED = () -> "configured";

  /** The name that selects this strategy in the configuration. */
  String name();

  /**
   * Called each time that a session is about to start.
   *
   * @param server the server's id
   * @return false to refuse the start: the server becomes {@code FAILED} with this strategy as the
   *     reason. The supervisor calls this method again after the policy's re-probe time, or when a
   *     caller needs the server
   */
  default boolean shouldConnect(String server) {
    return true;
  }

  /**
   * Called after each failure, before {@link #retryPolicy}.
   *
   * @param attempt 1 for the first failure after a quiet period
   * @param why one line of text for people
   */
  default void connectionFailed(String server, int attempt, String why) {}

  /**
   * Returns the policy that holds from this failure to the next.
   *
   * @param configured the policy in the configuration
   * @return the policy; the supervisor ignores its {@code strategy}
   */
  default RestartPolicy retryPolicy(String server, RestartPolicy configured) {
    return configured;
  }
}
