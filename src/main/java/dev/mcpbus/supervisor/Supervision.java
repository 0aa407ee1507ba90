package dev.mcpbus.supervisor;

import dev.mcpbus.bus.LifecycleMessage;
import dev.mcpbus.bus.RestartReason;
import dev.mcpbus.supervisor.SupervisedChild.Deployment;
import dev.mcpbus.supervisor.SupervisedChild.Phase;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.DoubleSupplier;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes every decision of a supervisor and does nothing else: no clock, no timer, no bus. Each
 * method reports an event and returns the actions that {@link SupervisorVerticle} has to carry out.
 * The same events at the same times with the same random numbers give the same actions. {@code now}
 * is monotonic, in milliseconds.
 *
 * <p>Two states overlap and are kept apart: whether the verticle is deployed ({@link Deployment},
 * and whether a session is being stopped), and what its session does or will do next ({@link
 * Phase}). A child that is QUEUED while its verticle is replaced starts after the replacement.
 *
 * <p>Not thread-safe: confined to the context of its {@link SupervisorVerticle}.
 */
final class Supervision {

  private static final Logger LOG = LoggerFactory.getLogger(Supervision.class);
  private static final double REPROBE_JITTER = 0.1;

  private final RandomGenerator random;
  private final Map<String, SupervisedChild> children = new LinkedHashMap<>();
  private final ChildTransitions moves;
  private final RestartGroup group;
  private final FailureLog log = new FailureLog();

  /**
   * @param load the mean load of the processors since the last call, 0 to 1; negative if unknown
   */
  Supervision(SupervisorOptions options, RandomGenerator random, DoubleSupplier load) {
    this.random = random;
    this.moves = new ChildTransitions(new StartQueue(options.startConcurrency(), load));
    this.group = new RestartGroup(options.strategy(), children.values(), moves);
  }

  /** In order of addition. */
  List<String> ids() {
    return List.copyOf(children.keySet());
  }

  boolean contains(String id) {
    return children.containsKey(id);
  }

  /** True if no quick restart is planned for the child. */
  boolean gaveUp(String id) {
    SupervisedChild child = children.get(id);
    return child != null && child.phase == Phase.GAVE_UP;
  }

  List<SupervisorAction> add(ChildSpec spec, long now) {
    if (children.containsKey(spec.id())) {
      throw new IllegalStateException(
          "'" + spec.id() + "' is supervised already: terminate or replace it");
    }
    SupervisedChild child = new SupervisedChild(spec);
    children.put(spec.id(), child);
    begin(child, SupervisedChild.NONE);
    return decided(now);
  }

  /** The child keeps its place in the order and its epochs; all counters start again from zero. */
  List<SupervisorAction> replace(ChildSpec spec, long now) {
    SupervisedChild child = children.get(spec.id());
    if (child == null) {
      throw new IllegalStateException("'" + spec.id() + "' is not supervised: start it");
    }
    group.detach(child);
    long drain = child.spec.drain().toMillis();
    child.specify(spec);
    child.budget = RestartBudget.FRESH;
    child.quietSince = SupervisedChild.NONE;
    child.restarts = 0;
    child.failedSinceStart = false;
    child.failures = new FailureSeries();
    begin(child, drain);
    return decided(now);
  }

  /** Forgets the child. The caller stops what is still deployed. */
  List<SupervisorAction> remove(String id, long now) {
    SupervisedChild child = children.remove(id);
    if (child != null) {
      group.detach(child);
      moves.rememberEpoch(child);
    }
    return decided(now);
  }

  private void begin(SupervisedChild child, long drain) {
    child.wanted = !child.spec.lazy();
    child.phase = child.wanted ? Phase.QUEUED : Phase.IDLE;
    moves.deploy(child, drain);
  }

  List<SupervisorAction> on(LifecycleMessage.Fact fact, long now) {
    SupervisedChild child = children.get(fact.id());
    if (child == null) {
      LOG.debug("{} of an unknown child ignored", fact);
    } else if (fact instanceof LifecycleMessage.Started started) {
      started(child, started.epoch(), now);
    } else if (fact instanceof LifecycleMessage.Ended ended) {
      ended(child, ended, now);
    } else if (fact instanceof LifecycleMessage.StartWanted) {
      startWanted(child, now);
    } else if (fact instanceof LifecycleMessage.StopWanted) {
      stopWanted(child, now);
    } else if (fact instanceof LifecycleMessage.RestartWanted restart) {
      restartWanted(child, restart.reason(), now);
    } else if (fact instanceof LifecycleMessage.Crashed crashed) {
      crashed(child, "the verticle crashed: " + name(crashed.cause()), now);
    }
    return decided(now);
  }

  private void started(SupervisedChild child, long epoch, long now) {
    if (child.phase == Phase.STARTING && epoch == child.epoch) {
      moves.freeSlot(child);
      child.phase = Phase.RUNNING;
      child.unproven = false;
      child.awaited = false;
      child.quietSince = child.quietSince == SupervisedChild.NONE ? now : child.quietSince;
      log.ready(child, now);
    }
  }

  private void ended(SupervisedChild child, LifecycleMessage.Ended end, long now) {
    if (!child.hasSession() || end.epoch() != child.epoch) {
      return;
    }
    RestartType type = child.policy().type();
    if (end.failure() == null && type != RestartType.PERMANENT) {
      FailureLog.info(child)
          .log(
              "{} ended without a failure, epoch {}; {} is not restarted",
              FailureLog.name(child),
              end.epoch(),
              type);
      becomeIdle(child, Duration.ZERO, now);
    } else {
      String why = end.failure() == null ? "the session ended" : end.failure().getMessage();
      failed(child, why == null ? "" : why, end.retryable(), now);
    }
  }

  /** Leaves the child without a session until a fact or a caller wants one again. */
  private void becomeIdle(SupervisedChild child, Duration drain, long now) {
    child.forgetOldFailures(now);
    child.quietSince = child.quietSince == SupervisedChild.NONE ? now : child.quietSince;
    child.wanted = false;
    group.detach(child);
    child.phase = Phase.IDLE;
    moves.stop(child, false, drain);
  }

  /** Neither shortens a back-off nor retries a failure that is not retryable, unlike a restart. */
  private void startWanted(SupervisedChild child, long now) {
    if (child.phase == Phase.GAVE_UP) {
      if (!child.retryable) {
        return;
      }
      child.wanted = true;
      child.awaited |= child.postponed;
      if (child.postponed || now >= child.notBefore) {
        moves.enqueue(child);
      } else {
        waitFor(child, child.notBefore - now, now);
      }
    } else {
      child.wanted = true;
      child.awaited = true;
      if (child.phase == Phase.IDLE || child.phase == Phase.QUEUED) {
        moves.enqueue(child);
      }
    }
  }

  private void stopWanted(SupervisedChild child, long now) {
    if (child.deployment == Deployment.ABSENT) {
      // The timer may still have to deploy the verticle again.
      child.wanted = false;
    } else if (child.phase != Phase.IDLE) {
      FailureLog.info(child)
          .log(
              "{} stops, epoch {}: a caller stopped it, or it was idle",
              FailureLog.name(child),
              child.epoch);
      becomeIdle(child, child.spec.drain(), now);
    }
  }

  private void restartWanted(SupervisedChild child, RestartReason reason, long now) {
    boolean session = child.hasSession();
    if (reason instanceof RestartReason.FailedHealthCheck) {
      if (child.phase == Phase.RUNNING) {
        moves.stop(child, true, child.spec.drain());
        failed(child, reason.text(), true, now);
      }
    } else if (child.phase != Phase.HELD && child.phase != Phase.QUEUED) {
      FailureLog.info(child)
          .log("{} is restarted, epoch {}: {}", FailureLog.name(child), child.epoch, reason.text());
      child.forgetOldFailures(now);
      child.wanted = true;
      child.awaited = true;
      child.unproven = false;
      if (child.phase == Phase.GAVE_UP) {
        child.budget = RestartBudget.FRESH;
      }
      group.detach(child);
      if (session) {
        moves.stop(child, true, child.spec.drain());
      }
      moves.enqueue(child);
    }
  }

  /** While the budget lasts, a new verticle takes over at once, so that the addresses stay. */
  private void crashed(SupervisedChild child, String why, long now) {
    if (child.deployment != Deployment.PRESENT) {
      return; // the fact comes from an instance that is being replaced already
    }
    child.stopTicket = SupervisedChild.NONE;
    if (child.phase == Phase.GAVE_UP || !child.wanted) {
      child.countFailure(why, now);
      log.failed(child, true, "has no session", why, now);
      if (!child.budget.spent()) {
        moves.deploy(child, SupervisedChild.NONE);
      } else {
        moves.undeploy(child);
        retryDeployment(child, why, now);
      }
    } else {
      moves.deploy(child, SupervisedChild.NONE);
      failed(child, why, true, now);
    }
  }

  List<SupervisorAction> deployed(String id, long ticket, long now) {
    SupervisedChild child = children.get(id);
    if (child != null && child.deployTicket == ticket) {
      child.deployTicket = SupervisedChild.NONE;
      child.deployment = Deployment.PRESENT;
      if (child.phase == Phase.IDLE && child.quietSince == SupervisedChild.NONE) {
        child.quietSince = now;
      }
      resumeAfterChange(child, now);
    }
    return decided(now);
  }

  List<SupervisorAction> deployFailed(String id, long ticket, Throwable cause, long now) {
    SupervisedChild child = children.get(id);
    if (child != null && child.deployTicket == ticket) {
      child.deployTicket = SupervisedChild.NONE;
      child.deployment = Deployment.ABSENT;
      String why = "the verticle could not be deployed: " + name(cause);
      if (child.phase == Phase.GAVE_UP) {
        child.countFailure(why, now);
        retryDeployment(child, why, now);
      } else {
        failed(child, why, true, now);
      }
    }
    return decided(now);
  }

  /** Deploys a verticle without a session again, slowly, after its budget is spent. */
  private void retryDeployment(SupervisedChild child, String why, long now) {
    if (child.phase != Phase.GAVE_UP) {
      giveUp(child, why, true, now);
    }
    if (child.timerTicket == SupervisedChild.NONE
        && child.policy().type() != RestartType.TEMPORARY) {
      moves.setTimer(child, child.policy().backoff().max().toMillis(), now);
    }
  }

  /**
   * The outcome of {@link SupervisorAction.StopSession}.
   *
   * @param answered false if the child did not confirm within its bound that the session is over
   */
  List<SupervisorAction> stopped(String id, long ticket, boolean answered, long now) {
    SupervisedChild child = children.get(id);
    if (child != null && child.stopTicket == ticket) {
      child.stopTicket = SupervisedChild.NONE;
      if (answered) {
        resumeAfterChange(child, now);
      } else {
        crashed(child, "the verticle did not answer Stop", now);
      }
    }
    return decided(now);
  }

  private void resumeAfterChange(SupervisedChild child, long now) {
    if (child.phase == Phase.QUEUED) {
      moves.enqueue(child);
    } else {
      moves.announce(child, now);
    }
  }

  List<SupervisorAction> timerFired(String id, long ticket, long now) {
    SupervisedChild child = children.get(id);
    if (child != null && child.timerTicket == ticket) {
      child.timerTicket = SupervisedChild.NONE;
      if (child.phase == Phase.WAITING) {
        group.due(child);
      } else if (child.phase == Phase.GAVE_UP && child.reprobe != SupervisedChild.NONE) {
        group.resume(child);
      } else if (child.phase == Phase.GAVE_UP && child.deployment == Deployment.ABSENT) {
        moves.deploy(child, SupervisedChild.NONE);
      }
    }
    return decided(now);
  }

  List<SupervisorAction> wake(long now) {
    moves.wakeFired();
    return decided(now);
  }

  private void failed(SupervisedChild child, String why, boolean retryable, long now) {
    child.postponed = false;
    child.countFailure(why, now);
    SupervisedChild leader = child.heldBy;
    group.detach(child);
    RestartPolicy policy = child.policy();
    if (!retryable || child.budget.spent() || policy.type() == RestartType.TEMPORARY) {
      giveUp(child, why, retryable, now);
      return;
    }
    if (leader != null) {
      log.failed(child, false, "has ended and starts again together with " + leader.id(), why, now);
      group.hold(child, leader);
      return;
    }
    long delay = policy.backoff().delay(child.budget.attempt(), random).toMillis();
    log.failed(child, false, "has ended and starts again in " + time(delay), why, now);
    waitFor(child, delay, now);
    if (child.wanted) {
      group.holdOthers(child);
    }
  }

  private void waitFor(SupervisedChild child, long delay, long now) {
    child.phase = Phase.WAITING;
    moves.setTimer(child, delay, now);
    moves.announce(child, now);
  }

  /** Gives up this child alone; the others of its group go on. */
  private void giveUp(SupervisedChild child, String why, boolean retryable, long now) {
    RestartPolicy policy = child.policy();
    child.phase = Phase.GAVE_UP;
    child.why = why;
    child.retryable = retryable;
    child.notBefore = now + policy.backoff().delay(child.budget.attempt(), random).toMillis();
    child.reprobe = SupervisedChild.NONE;
    if (retryable && policy.type() != RestartType.TEMPORARY && policy.reprobe().toMillis() > 0) {
      double spread = 1 + REPROBE_JITTER * (2 * random.nextDouble() - 1);
      child.reprobe = Math.max(1, Math.round(policy.reprobe().toMillis() * spread));
      moves.setTimer(child, child.reprobe, now);
    }
    log.failed(child, true, "is not running: " + nextAttempt(child), why, now);
    moves.announce(child, now);
  }

  /** In ms, or in s from 10 s on. */
  private static String time(long millis) {
    return millis < 10_000 ? millis + " ms" : (millis + 500) / 1_000 + " s";
  }

  private static String nextAttempt(SupervisedChild child) {
    if (child.reprobe != SupervisedChild.NONE) {
      return "next attempt in " + time(child.reprobe);
    }
    return child.retryable
        ? "no further attempt until a caller restarts it"
        : "no further attempt until its entry is changed or a caller restarts it";
  }

  /** Ends every decision: releases the groups that are ready, then admits children to start. */
  private List<SupervisorAction> decided(long now) {
    group.releaseDue();
    return moves.take(now, child -> postpone(child, now));
  }

  /** The child's strategy refuses the start. The children that wait for it go on without it. */
  private void postpone(SupervisedChild child, long now) {
    group.detach(child);
    String strategy = child.spec.policy().strategy().name();
    child.postponed = true;
    giveUp(child, "strategy \"" + strategy + "\" does not want it connected now", true, now);
  }

  private static String name(Throwable cause) {
    return cause.getClass().getSimpleName();
  }
}
