package dev.mcpbus.supervisor;

import org.jspecify.annotations.Nullable;

/** The state of one supervised child. Written by its {@link Supervision} alone. */
final class SupervisedChild {

  /**
   * What the child's session does, or will do as soon as its verticle is deployed and no session is
   * being stopped.
   */
  enum Phase {
    /** No session, and none is planned. */
    IDLE,
    /** The back-off runs. */
    WAITING,
    /** Stopped because another child failed; starts together with that child. */
    HELD,
    /** Starts as soon as its verticle is deployed and the start queue admits it. */
    QUEUED,
    STARTING,
    RUNNING,
    /** No quick restarts any more. */
    GAVE_UP
  }

  /** Whether the child's verticle is deployed. */
  enum Deployment {
    ABSENT,
    DEPLOYING,
    PRESENT
  }

  static final long NONE = -1;

  ChildSpec spec;

  /** The policy that holds since the last failure. */
  private RestartPolicy policy;

  Phase phase = Phase.IDLE;
  Deployment deployment = Deployment.ABSENT;

  /** Whether the child should have a session. */
  boolean wanted;

  /** Whether a caller waits for its next session. */
  boolean awaited;

  /** Whether its last start has led to no session yet. */
  boolean unproven;

  long epoch;
  int restarts;
  boolean failedSinceStart;
  RestartBudget budget = RestartBudget.FRESH;

  FailureSeries failures = new FailureSeries();

  /** Since when the child has not failed: it serves, or it is idle by intent. */
  long quietSince = NONE;

  /** WAITING and GAVE_UP: when the timer fires. */
  long dueAt = NONE;

  /** GAVE_UP: calls before this time do not start a session. */
  long notBefore = NONE;

  /** GAVE_UP: milliseconds between slow attempts, or NONE. */
  long reprobe = NONE;

  /** GAVE_UP: whether another attempt can help. */
  boolean retryable = true;

  /** GAVE_UP: its strategy did not want it connected, and is asked when a caller needs it. */
  boolean postponed;

  String why = "";
  @Nullable SupervisedChild heldBy;

  /** Tickets of the deployment, stop and timer that are under way, or NONE. */
  long deployTicket = NONE;

  long stopTicket = NONE;
  long timerTicket = NONE;

  SupervisedChild(ChildSpec spec) {
    this.spec = spec;
    this.policy = spec.policy();
    this.awaited = spec.awaited();
  }

  String id() {
    return spec.id();
  }

  String label() {
    return spec.label();
  }

  RestartPolicy policy() {
    return policy;
  }

  /** Replaces the specification. The policy of a strategy for the old one no longer holds. */
  void specify(ChildSpec other) {
    spec = other;
    policy = other.policy();
    awaited = other.awaited();
    unproven = false;
  }

  /** A child that hangs in each start waits beside those that may not. */
  StartQueue.StartKind startKind() {
    return unproven
        ? StartQueue.StartKind.REPEATED
        : awaited ? StartQueue.StartKind.AWAITED : StartQueue.StartKind.PLANNED;
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

  /** Resets the restart budget if the quiet period has passed since the last failure. */
  void forgetOldFailures(long now) {
    if (quietSince != NONE && now - quietSince >= policy().quietPeriod().toMillis()) {
      budget = RestartBudget.FRESH;
    }
  }

  void countFailure(String why, long now) {
    forgetOldFailures(now);
    policy = StrategyCalls.afterFailure(spec, budget.attempt() + 1, why);
    quietSince = NONE;
    failedSinceStart = true;
    failures.failed(now);
    budget = budget.failed(policy().intensity(), now);
  }
}
