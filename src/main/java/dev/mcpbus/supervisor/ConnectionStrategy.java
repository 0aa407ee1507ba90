package dev.mcpbus.supervisor;

/**
 * Decides, beyond the configured {@link RestartPolicy}, whether and how a server is connected
 * again. Found with {@link java.util.ServiceLoader} and chosen by {@code "restart": {"strategy":
 * ...}}; one instance serves all servers that name it.
 *
 * <p>Every method is called on the supervisor's event loop and must not block: it answers from what
 * it knows. What it throws is logged, and the configured policy holds.
 */
@FunctionalInterface
public interface ConnectionStrategy {

  /** What the configuration says, and nothing else. */
  ConnectionStrategy CONFIGURED = () -> "configured";

  /** By which the configuration names it. */
  String name();

  /**
   * Asked each time that a session is about to start.
   *
   * @param server its id
   * @return false for not now: the server is {@code FAILED} with that reason, and it is asked again
   *     after the policy's re-probe time, or when a caller wants the server
   */
  default boolean shouldConnect(String server) {
    return true;
  }

  /**
   * Hears of a failure, before {@link #retryPolicy} is asked.
   *
   * @param attempt 1 for the first failure since all was quiet
   * @param why one line for people
   */
  default void connectionFailed(String server, int attempt, String why) {}

  /**
   * The policy that holds from this failure to the next.
   *
   * @param configured as the configuration says
   * @return its own strategy is not looked at
   */
  default RestartPolicy retryPolicy(String server, RestartPolicy configured) {
    return configured;
  }
}
