package dev.mcpbus.bus;

import org.jspecify.annotations.Nullable;

/**
 * The messages between a supervisor and a connection, its child. They stay on one node and pass by
 * reference. A supervisor sends commands to {@code mcp.<id>.control}; a connection sends facts to
 * {@link Addresses#SUPERVISOR}. Immutable.
 *
 * <p>The usual order: the child sends {@link StartWanted}, the supervisor {@link Start}, the child
 * {@link Started}. After a failure the child sends {@link Ended}; the supervisor sends {@link
 * RestartScheduled} and later {@link Start}, or {@link GaveUp}.
 */
public sealed interface LifecycleMessage {

  /** From the supervisor to the child: an order, or a decision of the supervisor. */
  sealed interface Command extends LifecycleMessage {}

  /** From the child to the supervisor: something that has happened, or a request. */
  sealed interface Fact extends LifecycleMessage {
    String id();
  }

  /**
   * Open a session. The child replies with {@link Started} or {@link Ended}.
   *
   * @param epoch greater than that of every earlier session of this connection
   * @param restarts how often a session was restarted after a failure; shown in the status
   */
  record Start(long epoch, int restarts) implements Command {}

  /**
   * End the session and stay deployed. The child replies, with any body, when it has released
   * everything of the session. It sends no {@link Ended}.
   *
   * @param restarting true if a {@link Start} will follow
   * @param drainMillis how long calls in flight may go on before they fail, milliseconds
   */
  record Stop(boolean restarting, long drainMillis) implements Command {}

  /**
   * The next {@link Start} follows in {@code delayMillis}; it is restart number {@code attempt}.
   */
  record RestartScheduled(int attempt, long delayMillis) implements Command {}

  /**
   * The supervisor stops the quick restarts and probes the server every {@code reprobeMillis}; -1:
   * never.
   *
   * @param onDemand whether the supervisor also tries when a caller needs the server
   */
  record GaveUp(long reprobeMillis, String message, boolean onDemand) implements Command {}

  /** The session of {@code epoch} is ready. */
  record Started(String id, long epoch) implements Fact {}

  /**
   * The session of {@code epoch} has ended, or has failed before it was ready.
   *
   * @param failure null after an ordinary end (idle stop, disconnect)
   * @param retryable false if a restart cannot succeed before the configuration changes
   */
  record Ended(String id, long epoch, @Nullable McpFailure failure, boolean retryable)
      implements Fact {}

  /** A call or a connect request has arrived, and there is no session. */
  record StartWanted(String id) implements Fact {}

  /** A disconnect request has arrived, or the idle time of the connection has passed. */
  record StopWanted(String id) implements Fact {}

  /** The child wants a new session in place of the present one. */
  record RestartWanted(String id, RestartReason reason) implements Fact {}

  /** An uncaught exception in the verticle: its state may be wrong, and it must be replaced. */
  record Crashed(String id, Throwable cause) implements Fact {}
}
