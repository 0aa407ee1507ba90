package dev.mcpbus.bus;

import org.jspecify.annotations.Nullable;

/**
 * What a supervisor and its child say to each other, on one node, by reference. Commands go to
 * {@code mcp.<id>.control}, facts to {@link Addresses#SUPERVISOR}.
 */
public sealed interface LifecycleMessage {

  /** To the child: what to do, or what was decided about it. */
  sealed interface Command extends LifecycleMessage {}

  /** To the supervisor: what has happened, or what is wanted. */
  sealed interface Fact extends LifecycleMessage {
    String id();
  }

  /**
   * Open a session. Answered by {@link Started} or {@link Ended}.
   *
   * @param epoch greater than that of every earlier session of this connection
   * @param restarts sessions that were started again after a failure, for status pages
   */
  record Start(long epoch, int restarts) implements Command {}

  /**
   * End the session and stay deployed. The reply (any body) comes when nothing of it is left. Not
   * answered by {@link Ended}.
   *
   * @param restarting true where a {@link Start} will follow
   * @param drainMillis how long calls in flight may still take before they fail
   */
  record Stop(boolean restarting, long drainMillis) implements Command {}

  /** The next {@link Start} comes in {@code delayMillis}, at restart number {@code attempt}. */
  record RestartScheduled(int attempt, long delayMillis) implements Command {}

  /** No more quick restarts; one slow attempt every {@code reprobeMillis}, or none where -1. */
  record GaveUp(long reprobeMillis, String message) implements Command {}

  /** The session of {@code epoch} is ready. */
  record Started(String id, long epoch) implements Fact {}

  /**
   * The session of {@code epoch} is over, or never became ready.
   *
   * @param failure null where it ended as it should (idle stop, disconnect)
   * @param retryable false where trying again cannot help until the configuration changes
   */
  record Ended(String id, long epoch, @Nullable McpFailure failure, boolean retryable)
      implements Fact {}

  /** A call came or a caller asked to connect, and no session is there. */
  record StartWanted(String id) implements Fact {}

  /** A caller asked to disconnect, or the connection was idle for long enough. */
  record StopWanted(String id) implements Fact {}

  /** A caller asked for a fresh session, or the health check gave up on the present one. */
  record RestartWanted(String id, String why) implements Fact {}

  /** An exception that nobody caught: the verticle cannot be trusted any more. */
  record Crashed(String id, Throwable cause) implements Fact {}
}
