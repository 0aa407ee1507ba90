package dev.mcpbus.supervisor;

import dev.mcpbus.bus.Lifecycle;
import dev.mcpbus.supervisor.Child.Deployment;
import dev.mcpbus.supervisor.Child.Phase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Every decision of a supervisor, and nothing else: no clock, no timer, no bus. Something has
 * happened, and the answer is what to do; the same happenings at the same times with the same
 * chance give the same answers. {@code now} is monotonic, in milliseconds.
 *
 * <p>Two things overlap and are kept apart: where the verticle is ({@link Deployment}, and whether
 * a session is being stopped) and what its session does or will do next ({@link Phase}). A child
 * that is QUEUED while its verticle is replaced starts once that is done.
 *
 * <p>Not thread-safe; {@link SupervisorVerticle} calls it on its own context.
 */
final class Supervision {

  private static final Logger LOG = LoggerFactory.getLogger(Supervision.class);
  private static final double REPROBE_JITTER = 0.1;

  private final RestartStrategy strategy;
  private final RandomGenerator random;
  private final StartQueue queue;
  private final Map<String, Child> children = new LinkedHashMap<>();

  /** Outlives the child, so that a later one of the same id continues. */
  private final Map<String, Long> lastEpochs = new LinkedHashMap<>();

  /** Their back-off is over, but some that they hold are still stopping. */
  private final Set<Child> due = new LinkedHashSet<>();

  private List<Action> actions = new ArrayList<>();
  private long lastTicket;
  private long wakeAt = Child.NONE;

  Supervision(SupervisorOptions options, RandomGenerator random) {
    this.strategy = options.strategy();
    this.random = random;
    this.queue = new StartQueue(options.startConcurrency(), options.startTimeout().toMillis());
  }

  /** In order of addition. */
  List<String> ids() {
    return List.copyOf(children.keySet());
  }

  boolean contains(String id) {
    return children.containsKey(id);
  }

  /** True where no quick restart is to come. */
  boolean gaveUp(String id) {
    Child child = children.get(id);
    return child != null && child.phase == Phase.GAVE_UP;
  }

  List<Action> add(ChildSpec spec, long now) {
    if (children.containsKey(spec.id())) {
      throw new IllegalStateException(
          "'" + spec.id() + "' is supervised already: terminate or replace it");
    }
    Child child = new Child(spec);
    children.put(spec.id(), child);
    begin(child, Child.NONE);
    return decided(now);
  }

  /** The child keeps its place in the order; its counters start anew, its epochs continue. */
  List<Action> replace(ChildSpec spec, long now) {
    Child child = children.get(spec.id());
    if (child == null) {
      throw new IllegalStateException("'" + spec.id() + "' is not supervised: start it");
    }
    leave(child);
    long drain = child.spec.drain().toMillis();
    child.spec = spec;
    child.budget = RestartBudget.FRESH;
    child.calmSince = Child.NONE;
    child.restarts = 0;
    child.failedSinceStart = false;
    begin(child, drain);
    return decided(now);
  }

  /** Forgets the child; what is left of it is the caller's to stop. */
  List<Action> remove(String id, long now) {
    Child child = children.remove(id);
    if (child != null) {
      leave(child);
    }
    return decided(now);
  }

  private void begin(Child child, long drain) {
    child.wanted = !child.spec.lazy();
    child.phase = child.wanted ? Phase.QUEUED : Phase.IDLE;
    deploy(child, drain);
  }

  List<Action> on(Lifecycle.Fact fact, long now) {
    Child child = children.get(fact.id());
    if (child == null) {
      LOG.debug("{} of an unknown child ignored", fact);
    } else if (fact instanceof Lifecycle.Started started) {
      started(child, started.epoch(), now);
    } else if (fact instanceof Lifecycle.Ended ended) {
      ended(child, ended, now);
    } else if (fact instanceof Lifecycle.StartWanted) {
      startWanted(child, now);
    } else if (fact instanceof Lifecycle.StopWanted) {
      stopWanted(child, now);
    } else if (fact instanceof Lifecycle.RestartWanted restart) {
      restartWanted(child, restart.why(), now);
    } else if (fact instanceof Lifecycle.Crashed crashed) {
      crashed(child, "the verticle crashed: " + name(crashed.cause()), now);
    }
    return decided(now);
  }

  private void started(Child child, long epoch, long now) {
    if (child.phase == Phase.STARTING && epoch == child.epoch) {
      queue.remove(child);
      child.phase = Phase.RUNNING;
      child.calmSince = child.calmSince == Child.NONE ? now : child.calmSince;
      LOG.debug("{} started, epoch {}", child.id(), epoch);
    }
  }

  private void ended(Child child, Lifecycle.Ended end, long now) {
    if (!child.hasSession() || end.epoch() != child.epoch) {
      return;
    }
    RestartType type = child.policy().type();
    if (end.failure() == null && type != RestartType.PERMANENT) {
      LOG.info(
          "{} ended as it should, epoch {}; {} is not restarted", child.id(), end.epoch(), type);
      rest(child, Duration.ZERO, now);
    } else {
      String why = end.failure() == null ? "the session ended" : end.failure().getMessage();
      failed(child, why == null ? "" : why, end.retryable(), now);
    }
  }

  /** No session until one is wanted again. */
  private void rest(Child child, Duration drain, long now) {
    child.calmDown(now);
    child.calmSince = child.calmSince == Child.NONE ? now : child.calmSince;
    child.wanted = false;
    leave(child);
    child.phase = Phase.IDLE;
    stop(child, false, drain);
  }

  /** Back-off and non-retryable failures hold against calls; {@link #restartWanted} does not. */
  private void startWanted(Child child, long now) {
    if (child.phase == Phase.GAVE_UP) {
      if (!child.retryable) {
        return;
      }
      child.wanted = true;
      if (now >= child.notBefore) {
        enqueue(child);
      } else {
        waitFor(child, child.notBefore - now, now);
      }
    } else {
      child.wanted = true;
      if (child.phase == Phase.IDLE) {
        enqueue(child);
      }
    }
  }

  private void stopWanted(Child child, long now) {
    if (child.deployment == Deployment.ABSENT) {
      // Its timer still has a verticle to bring back.
      child.wanted = false;
    } else if (child.phase != Phase.IDLE) {
      LOG.info("{} stops, epoch {}: a caller asked or it was idle", child.id(), child.epoch);
      rest(child, child.spec.drain(), now);
    }
  }

  private void restartWanted(Child child, String why, long now) {
    boolean session = child.hasSession();
    if (why.startsWith("health")) {
      if (child.phase == Phase.RUNNING) {
        stop(child, true, child.spec.drain());
        failed(child, why, true, now);
      }
    } else if (child.phase != Phase.HELD && child.phase != Phase.QUEUED) {
      LOG.info("{} restarts, epoch {}: {}", child.id(), child.epoch, why);
      child.calmDown(now);
      child.wanted = true;
      if (child.phase == Phase.GAVE_UP) {
        child.budget = RestartBudget.FRESH;
      }
      leave(child);
      if (session) {
        stop(child, true, child.spec.drain());
      }
      enqueue(child);
    }
  }

  /** The verticle is replaced at once while the budget lasts, so that its addresses stay. */
  private void crashed(Child child, String why, long now) {
    if (child.deployment != Deployment.PRESENT) {
      return; // of an instance that is being replaced already
    }
    child.stopTicket = Child.NONE;
    if (child.phase == Phase.GAVE_UP || !child.wanted) {
      child.countFailure(now);
      LOG.warn("{} without a session, attempt {}: {}", child.id(), child.budget.attempt(), why);
      if (!child.budget.spent()) {
        deploy(child, Child.NONE);
      } else {
        child.deployment = Deployment.ABSENT;
        actions.add(new Action.Undeploy(child.id()));
        retryDeployment(child, why, now);
      }
    } else {
      deploy(child, Child.NONE);
      failed(child, why, true, now);
    }
  }

  List<Action> deployed(String id, long ticket, long now) {
    Child child = children.get(id);
    if (child != null && child.deployTicket == ticket) {
      child.deployTicket = Child.NONE;
      child.deployment = Deployment.PRESENT;
      if (child.phase == Phase.IDLE && child.calmSince == Child.NONE) {
        child.calmSince = now;
      }
      resumeAfterChange(child, now);
    }
    return decided(now);
  }

  List<Action> deployFailed(String id, long ticket, Throwable cause, long now) {
    Child child = children.get(id);
    if (child != null && child.deployTicket == ticket) {
      child.deployTicket = Child.NONE;
      child.deployment = Deployment.ABSENT;
      String why = "the verticle could not be deployed: " + name(cause);
      if (child.phase == Phase.GAVE_UP) {
        child.countFailure(now);
        retryDeployment(child, why, now);
      } else {
        failed(child, why, true, now);
      }
    }
    return decided(now);
  }

  /** A verticle without a session and without a budget: brought back slowly. */
  private void retryDeployment(Child child, String why, long now) {
    if (child.phase != Phase.GAVE_UP) {
      giveUp(child, why, true, now);
    }
    if (child.timerTicket == Child.NONE && child.policy().type() != RestartType.TEMPORARY) {
      setTimer(child, child.policy().backoff().max().toMillis(), now);
    }
  }

  /**
   * @param answered false where the child did not say within its bound that the session is over
   */
  List<Action> stopped(String id, long ticket, boolean answered, long now) {
    Child child = children.get(id);
    if (child != null && child.stopTicket == ticket) {
      child.stopTicket = Child.NONE;
      if (answered) {
        resumeAfterChange(child, now);
      } else {
        crashed(child, "the verticle did not answer Stop", now);
      }
    }
    return decided(now);
  }

  private void resumeAfterChange(Child child, long now) {
    if (child.phase == Phase.QUEUED) {
      enqueue(child);
    } else {
      announce(child, now);
    }
  }

  List<Action> timerFired(String id, long ticket, long now) {
    Child child = children.get(id);
    if (child != null && child.timerTicket == ticket) {
      child.timerTicket = Child.NONE;
      if (child.phase == Phase.WAITING) {
        due.add(child);
      } else if (child.phase == Phase.GAVE_UP && child.reprobe != Child.NONE) {
        resume(child);
      } else if (child.phase == Phase.GAVE_UP && child.deployment == Deployment.ABSENT) {
        deploy(child, Child.NONE);
      }
    }
    return decided(now);
  }

  List<Action> wake(long now) {
    wakeAt = Child.NONE;
    return decided(now);
  }

  private void failed(Child child, String why, boolean retryable, long now) {
    child.countFailure(now);
    Child leader = child.heldBy;
    leave(child);
    RestartPolicy policy = child.policy();
    if (!retryable || child.budget.spent() || policy.type() == RestartType.TEMPORARY) {
      giveUp(child, why, retryable, now);
      return;
    }
    if (leader != null) {
      LOG.info("{} restarts together with {}: {}", child.id(), leader.id(), why);
      hold(child, leader);
      return;
    }
    long delay = policy.backoff().delay(child.budget.attempt(), random).toMillis();
    LOG.info(
        "{} restarts in {} ms, epoch {}, attempt {}: {}",
        child.id(),
        delay,
        child.epoch,
        child.budget.attempt(),
        why);
    waitFor(child, delay, now);
    if (child.wanted) {
      holdOthers(child);
    }
  }

  private void waitFor(Child child, long delay, long now) {
    child.phase = Phase.WAITING;
    setTimer(child, delay, now);
    announce(child, now);
  }

  /** The others go on: one that is given up on harms only itself. */
  private void giveUp(Child child, String why, boolean retryable, long now) {
    RestartPolicy policy = child.policy();
    child.phase = Phase.GAVE_UP;
    child.why = why;
    child.retryable = retryable;
    child.notBefore = now + policy.backoff().delay(child.budget.attempt(), random).toMillis();
    child.reprobe = Child.NONE;
    if (retryable && policy.type() != RestartType.TEMPORARY && policy.reprobe().toMillis() > 0) {
      double spread = 1 + REPROBE_JITTER * (2 * random.nextDouble() - 1);
      child.reprobe = Math.max(1, Math.round(policy.reprobe().toMillis() * spread));
      setTimer(child, child.reprobe, now);
    }
    LOG.warn(
        "{} is given up, epoch {}, attempt {}, next in {} ms: {}",
        child.id(),
        child.epoch,
        child.budget.attempt(),
        child.reprobe,
        why);
    announce(child, now);
  }

  private void announce(Child child, long now) {
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

  private void holdOthers(Child leader) {
    if (strategy == RestartStrategy.ONE_FOR_ONE) {
      return;
    }
    List<Child> order = new ArrayList<>(children.values());
    int first = strategy == RestartStrategy.ONE_FOR_ALL ? 0 : order.indexOf(leader);
    for (int i = order.size() - 1; i >= first; i--) {
      Child child = order.get(i);
      boolean alive = child.phase != Phase.IDLE && child.phase != Phase.GAVE_UP;
      if (child != leader && child.wanted && alive) {
        hold(child, leader);
      }
    }
  }

  private void hold(Child child, Child leader) {
    boolean session = child.hasSession();
    boolean temporary = session && child.policy().type() == RestartType.TEMPORARY;
    cancel(child);
    if (session) {
      stop(child, !temporary, child.spec.drain());
    }
    child.wanted = !temporary;
    child.phase = temporary ? Phase.IDLE : Phase.HELD;
    child.heldBy = temporary ? null : leader;
  }

  /** Whatever was planned for the child is off; those that waited for it go on without it. */
  private void leave(Child child) {
    cancel(child);
    child.heldBy = null;
    if (strategy != RestartStrategy.ONE_FOR_ONE) {
      children.values().stream().filter(other -> other.heldBy == child).forEach(this::resume);
    }
  }

  private void cancel(Child child) {
    queue.remove(child);
    due.remove(child);
    if (child.timerTicket != Child.NONE) {
      child.timerTicket = Child.NONE;
      actions.add(new Action.CancelTimer(child.id()));
    }
  }

  private void resume(Child child) {
    due.remove(child);
    child.heldBy = null;
    if (child.wanted) {
      enqueue(child);
    } else {
      child.phase = Phase.IDLE;
      ensureDeployed(child);
    }
  }

  private void enqueue(Child child) {
    cancel(child);
    child.phase = Phase.QUEUED;
    ensureDeployed(child);
    if (child.reachable()) {
      queue.add(child);
    }
  }

  private void ensureDeployed(Child child) {
    if (child.deployment == Deployment.ABSENT) {
      deploy(child, Child.NONE);
    }
  }

  private void deploy(Child child, long drain) {
    child.deployment = Deployment.DEPLOYING;
    child.stopTicket = Child.NONE;
    child.deployTicket = ++lastTicket;
    actions.add(new Action.Deploy(child.id(), child.deployTicket, child.spec, drain));
  }

  private void stop(Child child, boolean restarting, Duration drain) {
    if (child.deployment == Deployment.PRESENT) {
      child.stopTicket = ++lastTicket;
      long bound = drain.plus(child.spec.shutdown()).toMillis();
      Lifecycle.Stop command = new Lifecycle.Stop(restarting, drain.toMillis());
      actions.add(new Action.StopSession(child.id(), child.stopTicket, command, bound));
    }
  }

  private void setTimer(Child child, long delay, long now) {
    child.timerTicket = ++lastTicket;
    child.dueAt = now + delay;
    actions.add(new Action.SetTimer(child.id(), child.timerTicket, delay));
  }

  private void tell(Child child, Lifecycle.Command command) {
    actions.add(new Action.Tell(child.id(), command));
  }

  private void start(Child child) {
    child.phase = Phase.STARTING;
    child.epoch = lastEpochs.merge(child.id(), 1L, Long::sum);
    if (child.failedSinceStart) {
      child.failedSinceStart = false;
      child.restarts++;
    }
    tell(child, new Lifecycle.Start(child.epoch, child.restarts));
  }

  /** Ends every decision: groups whose turn has come, then the start queue. */
  private List<Action> decided(long now) {
    List.copyOf(due).stream().filter(leader -> !anyStopping(leader)).forEach(this::releaseGroup);
    queue.admit(now).forEach(this::start);
    long expiry = queue.nextExpiry();
    if (expiry != Child.NONE && expiry != wakeAt) {
      wakeAt = expiry;
      actions.add(new Action.Wake(Math.max(0, expiry - now)));
    }
    List<Action> result = List.copyOf(actions);
    actions = new ArrayList<>();
    return result;
  }

  private boolean anyStopping(Child leader) {
    if (strategy == RestartStrategy.ONE_FOR_ONE) {
      return leader.stopping();
    }
    return children.values().stream().anyMatch(c -> inGroup(c, leader) && c.stopping());
  }

  private void releaseGroup(Child leader) {
    if (strategy == RestartStrategy.ONE_FOR_ONE) {
      resume(leader);
      return;
    }
    children.values().stream().filter(child -> inGroup(child, leader)).forEach(this::resume);
  }

  private static boolean inGroup(Child child, Child leader) {
    return child == leader || child.heldBy == leader;
  }

  private static String name(Throwable cause) {
    return cause.getClass().getSimpleName();
  }
}
