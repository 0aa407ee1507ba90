package dev.mcpbus.supervisor;

import dev.mcpbus.bus.Lifecycle;
import dev.mcpbus.supervisor.Child.Deployment;
import dev.mcpbus.supervisor.Child.Phase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * The moves that decisions are made of: each changes one child's state and notes the action that
 * goes with it.
 */
final class Moves {

  private final StartQueue queue;

  private final GoneEpochs gone = new GoneEpochs();
  private List<Action> actions = new ArrayList<>();
  private long lastTicket;
  private long wakeAt = Child.NONE;

  Moves(StartQueue queue) {
    this.queue = queue;
  }

  /** A later child of that id is to continue. */
  void forget(Child child) {
    gone.gone(child.id(), child.epoch);
  }

  void enqueue(Child child) {
    cancel(child);
    child.phase = Phase.QUEUED;
    ensureDeployed(child);
    if (child.reachable()) {
      queue.add(child);
    }
  }

  void freeSlot(Child child) {
    queue.remove(child);
  }

  void cancel(Child child) {
    queue.remove(child);
    if (child.timerTicket != Child.NONE) {
      child.timerTicket = Child.NONE;
      actions.add(new Action.CancelTimer(child.id()));
    }
  }

  void ensureDeployed(Child child) {
    if (child.deployment == Deployment.ABSENT) {
      deploy(child, Child.NONE);
    }
  }

  void deploy(Child child, long drain) {
    child.deployment = Deployment.DEPLOYING;
    child.stopTicket = Child.NONE;
    child.deployTicket = ++lastTicket;
    actions.add(new Action.Deploy(child.id(), child.deployTicket, child.spec, drain));
  }

  void undeploy(Child child) {
    child.deployment = Deployment.ABSENT;
    actions.add(new Action.Undeploy(child.id()));
  }

  void stop(Child child, boolean restarting, Duration drain) {
    if (child.deployment == Deployment.PRESENT) {
      child.stopTicket = ++lastTicket;
      long bound = drain.plus(child.spec.shutdown()).toMillis();
      Lifecycle.Stop command = new Lifecycle.Stop(restarting, drain.toMillis());
      actions.add(new Action.StopSession(child.id(), child.stopTicket, command, bound));
    }
  }

  void setTimer(Child child, long delay, long now) {
    child.timerTicket = ++lastTicket;
    child.dueAt = now + delay;
    actions.add(new Action.SetTimer(child.id(), child.timerTicket, delay));
  }

  /** Tells the child what was decided about it, now or when it can hear. */
  void announce(Child child, long now) {
    if (!child.reachable()) {
      return; // told when it can hear
    }
    if (child.phase == Phase.WAITING) {
      tell(
          child,
          new Lifecycle.RestartScheduled(child.budget.attempt(), Math.max(0, child.dueAt - now)));
    } else if (child.phase == Phase.GAVE_UP) {
      tell(child, new Lifecycle.GaveUp(child.reprobe, child.why));
    }
  }

  private void tell(Child child, Lifecycle.Command command) {
    actions.add(new Action.Tell(child.id(), command));
  }

  private void start(Child child) {
    child.phase = Phase.STARTING;
    long last = Math.max(child.epoch, gone.before(child.id()));
    child.epoch = Math.max(last, child.spec.epochBase()) + 1;
    if (child.failedSinceStart) {
      child.failedSinceStart = false;
      child.restarts++;
    }
    tell(child, new Lifecycle.Start(child.epoch, child.restarts));
  }

  /** The next wake-up is asked for anew. */
  void woken() {
    wakeAt = Child.NONE;
  }

  /**
   * Starts those whose turn it is and hands over all that was noted.
   *
   * @param postponed takes those that their strategy does not want to start
   */
  List<Action> take(long now, Consumer<Child> postponed) {
    List<Child> next = queue.admit(now);
    while (!next.isEmpty()) {
      for (Child child : next) {
        if (child.shouldConnect()) {
          start(child);
        } else {
          queue.remove(child);
          postponed.accept(child);
        }
      }
      next = queue.admit(now); // into slots that were given back
    }
    long expiry = queue.nextExpiry();
    if (expiry != Child.NONE && expiry != wakeAt) {
      wakeAt = expiry;
      actions.add(new Action.Wake(Math.max(0, expiry - now)));
    }
    List<Action> result = List.copyOf(actions);
    actions = new ArrayList<>();
    return result;
  }
}
