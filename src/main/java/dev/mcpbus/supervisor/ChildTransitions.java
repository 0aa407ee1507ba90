package dev.mcpbus.supervisor;

import dev.mcpbus.bus.LifecycleMessage;
import dev.mcpbus.supervisor.SupervisedChild.Deployment;
import dev.mcpbus.supervisor.SupervisedChild.Phase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * The elementary steps of every decision: each changes one child's state and records the {@link
 * SupervisorAction} that belongs to it. {@link #take} returns the recorded actions. Confined to its
 * {@link Supervision}.
 */
final class ChildTransitions {

  private final StartQueue queue;

  private final RemovedChildEpochs removed = new RemovedChildEpochs();
  private List<SupervisorAction> actions = new ArrayList<>();
  private long lastTicket;
  private long wakeAt = SupervisedChild.NONE;

  ChildTransitions(StartQueue queue) {
    this.queue = queue;
  }

  /**
   * Keeps the last epoch of a removed child, so that a later child with this id continues from it.
   */
  void rememberEpoch(SupervisedChild child) {
    removed.put(child.id(), child.epoch);
  }

  void enqueue(SupervisedChild child) {
    cancel(child);
    child.phase = Phase.QUEUED;
    ensureDeployed(child);
    if (child.reachable()) {
      queue.add(child);
    }
  }

  void freeSlot(SupervisedChild child) {
    queue.remove(child);
  }

  void cancel(SupervisedChild child) {
    queue.remove(child);
    if (child.timerTicket != SupervisedChild.NONE) {
      child.timerTicket = SupervisedChild.NONE;
      actions.add(new SupervisorAction.CancelTimer(child.id()));
    }
  }

  void ensureDeployed(SupervisedChild child) {
    if (child.deployment == Deployment.ABSENT) {
      deploy(child, SupervisedChild.NONE);
    }
  }

  void deploy(SupervisedChild child, long drain) {
    child.deployment = Deployment.DEPLOYING;
    child.stopTicket = SupervisedChild.NONE;
    child.deployTicket = ++lastTicket;
    actions.add(new SupervisorAction.Deploy(child.id(), child.deployTicket, child.spec, drain));
  }

  void undeploy(SupervisedChild child) {
    child.deployment = Deployment.ABSENT;
    actions.add(new SupervisorAction.Undeploy(child.id()));
  }

  void stop(SupervisedChild child, boolean restarting, Duration drain) {
    if (child.deployment == Deployment.PRESENT) {
      child.stopTicket = ++lastTicket;
      long bound = drain.plus(child.spec.shutdown()).toMillis();
      LifecycleMessage.Stop command = new LifecycleMessage.Stop(restarting, drain.toMillis());
      actions.add(new SupervisorAction.StopSession(child.id(), child.stopTicket, command, bound));
    }
  }

  void setTimer(SupervisedChild child, long delay, long now) {
    child.timerTicket = ++lastTicket;
    child.dueAt = now + delay;
    actions.add(new SupervisorAction.SetTimer(child.id(), child.timerTicket, delay));
  }

  /**
   * Sends the planned restart or the giving-up to the child. A child that cannot receive messages
   * now gets it after its deployment or stop has ended.
   */
  void announce(SupervisedChild child, long now) {
    if (!child.reachable()) {
      return; // resumeAfterChange() sends it later
    }
    if (child.phase == Phase.WAITING) {
      tell(
          child,
          new LifecycleMessage.RestartScheduled(
              child.budget.attempt(), Math.max(0, child.dueAt - now)));
    } else if (child.phase == Phase.GAVE_UP) {
      tell(child, new LifecycleMessage.GaveUp(child.reprobe, child.why, child.postponed));
    }
  }

  private void tell(SupervisedChild child, LifecycleMessage.Command command) {
    actions.add(new SupervisorAction.Tell(child.id(), command));
  }

  private void start(SupervisedChild child) {
    child.phase = Phase.STARTING;
    child.unproven = true;
    long last = Math.max(child.epoch, removed.before(child.id()));
    child.epoch = Math.max(last, child.spec.epochBase()) + 1;
    if (child.failedSinceStart) {
      child.failedSinceStart = false;
      child.restarts++;
    }
    tell(child, new LifecycleMessage.Start(child.epoch, child.restarts));
  }

  /** The next {@link #take} sets a wake-up timer again if one is needed. */
  void wakeFired() {
    wakeAt = SupervisedChild.NONE;
  }

  /**
   * Starts the children at the head of the start queue and returns all recorded actions.
   *
   * @param postponed receives each child whose {@link ConnectionStrategy} refuses the start
   */
  List<SupervisorAction> take(long now, Consumer<SupervisedChild> postponed) {
    List<SupervisedChild> next = queue.admit(now);
    while (!next.isEmpty()) {
      for (SupervisedChild child : next) {
        if (child.shouldConnect()) {
          start(child);
        } else {
          queue.remove(child);
          postponed.accept(child);
        }
      }
      next = queue.admit(now); // into the slots that postponed children gave back
    }
    long expiry = queue.nextExpiry(now);
    if (expiry != SupervisedChild.NONE && expiry != wakeAt) {
      wakeAt = expiry;
      actions.add(new SupervisorAction.Wake(Math.max(0, expiry - now)));
    }
    List<SupervisorAction> result = List.copyOf(actions);
    actions = new ArrayList<>();
    return result;
  }
}
