package dev.mcpbus.supervisor;

import org.jspecify.annotations.Nullable;

/** The state of one supervised child. Written by its {@link Supervision} alone. */
final class SupervisedChild {

  /** What its session does, or will do as soon as nothing is being stopped or deployed. */
  enum Phase {
    /** No session, and none is due. */
    IDLE,
    /** The back-off runs. */
    WAITING,
    /** Stopped because of another child; starts together with it. */
    HELD,
    /** Starts as soon as it can and its turn has come. */
    QUEUED,
    STARTING,
    RUNNING,
    /** No more quick restarts. */
    GAVE_UP
  }

  /** Where its verticle is. */
  enum Deployment {
    ABSENT,
    DEPLOYING,
    PRESENT
  }

  static final long NONE = -1;

  ChildSpec spec;

  /** What holds since the last failure. */
  private RestartPolicy policy;

  Phase phase = Phase.IDLE;
  Deployment deployment = Deployment.ABSENT;

  /** Whether it should have a session. */
  boolean wanted;

  long epoch;
  int restarts;
  boolean failedSinceStart;
  RestartBudget budget = RestartBudget.FRESH;

  /** Since when it has not failed: serving, or idle by intent. */
  long calmSince = NONE;

  /** WAITING and GAVE_UP: when the timer fires. */
  long dueAt = NONE;

  /** GAVE_UP: a caller's wish is not heeded before this. */
  long notBefore = NONE;

  /** GAVE_UP: between slow attempts, or NONE. */
  long reprobe = NONE;

  /** GAVE_UP: whether another attempt can help. */
  boolean retryable = true;

  String why = "";
  @Nullable SupervisedChild heldBy;

  /** Tickets of what is under way, or NONE. */
  long deployTicket = NONE;

  long stopTicket = NONE;
  long timerTicket = NONE;

  SupervisedChild(ChildSpec spec) {
    this.spec = spec;
    this.policy = spec.policy();
  }

  String id() {
    return spec.id();
  }

  RestartPolicy policy() {
    return policy;
  }

  /** A child specification is a fresh start: what a strategy said of the old one is forgotten. */
  void specify(ChildSpec other) {
    spec = other;
    policy = other.policy();
  }

  boolean shouldConnect() {
    return StrategyCalls.shouldConnect(spec);
  }

  boolean hasSession() {
    return phase == Phase.STARTING || phase == Phase.RUNNING;
  }

  boolean stopping() {
    return stopTicket != NONE;
  }

  boolean reachable() {
    return deployment == Deployment.PRESENT && !stopping();
  }

  /** Forgets old failures where the quiet period has passed since the last. */
  void calmDown(long now) {
    if (calmSince != NONE && now - calmSince >= policy().quietPeriod().toMillis()) {
      budget = RestartBudget.FRESH;
    }
  }

  void countFailure(String why, long now) {
    calmDown(now);
    policy = StrategyCalls.afterFailure(spec, budget.attempt() + 1, why);
    calmSince = NONE;
    failedSinceStart = true;
    budget = budget.failed(policy().intensity(), now);
  }
}
