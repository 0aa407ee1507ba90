package dev.mcpbus.supervisor;

import dev.mcpbus.bus.LifecycleMessage;

/**
 * An action that {@link Supervision} has decided and {@link SupervisorVerticle} carries out. The
 * verticle returns the ticket with the outcome, so that {@link Supervision} recognizes an outcome
 * that no longer matters.
 */
sealed interface SupervisorAction {

  /** Send a command that has no reply. */
  record Tell(String id, LifecycleMessage.Command command) implements SupervisorAction {}

  /** End the session; report {@code stopped} when it is over, or after {@code boundMillis}. */
  record StopSession(String id, long ticket, LifecycleMessage.Stop command, long boundMillis)
      implements SupervisorAction {}

  /**
   * Undeploy the present instance, if any, deploy a fresh instance and report {@code deployed} or
   * {@code deployFailed}.
   *
   * @param drainMillis how long calls of the old instance may still take; -1 to undeploy it without
   *     a {@code Stop}
   */
  record Deploy(String id, long ticket, ChildSpec spec, long drainMillis)
      implements SupervisorAction {}

  /** Undeploy the present instance, if any. */
  record Undeploy(String id) implements SupervisorAction {}

  /** Report {@code timerFired} after the delay. It replaces the child's earlier timer. */
  record SetTimer(String id, long ticket, long delayMillis) implements SupervisorAction {}

  record CancelTimer(String id) implements SupervisorAction {}

  /** Report {@code wake} after the delay. It replaces the earlier wake-up. */
  record Wake(long delayMillis) implements SupervisorAction {}
}
