package dev.mcpbus.supervisor;

import dev.mcpbus.bus.LifecycleMessage;

/**
 * What {@link Supervision} has decided and {@link SupervisorVerticle} carries out. A ticket comes
 * back with the outcome, so that an outcome that no longer matters is recognized.
 */
sealed interface SupervisorAction {

  /** Send a command that is not replied to. */
  record Tell(String id, LifecycleMessage.Command command) implements SupervisorAction {}

  /** End the session; report {@code stopped} when it is, or after {@code boundMillis}. */
  record StopSession(String id, long ticket, LifecycleMessage.Stop command, long boundMillis)
      implements SupervisorAction {}

  /**
   * Undeploy what there is, deploy a fresh instance and report {@code deployed} or {@code
   * deployFailed}.
   *
   * @param drainMillis how long calls of the old instance may still take; -1 to ask it nothing
   */
  record Deploy(String id, long ticket, ChildSpec spec, long drainMillis)
      implements SupervisorAction {}

  /** Undeploy what there is. */
  record Undeploy(String id) implements SupervisorAction {}

  /** Report {@code timerFired} after the delay. Replaces the child's earlier timer. */
  record SetTimer(String id, long ticket, long delayMillis) implements SupervisorAction {}

  record CancelTimer(String id) implements SupervisorAction {}

  /** Report {@code wake} after the delay. Replaces the earlier one. */
  record Wake(long delayMillis) implements SupervisorAction {}
}
