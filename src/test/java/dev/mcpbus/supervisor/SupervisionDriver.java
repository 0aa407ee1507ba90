package dev.mcpbus.supervisor;

import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.LifecycleMessage;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.RestartReason;
import io.vertx.core.VerticleBase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;

/**
 * Drives a {@link Supervision} by hand: keeps its time and its timers, plays the verticles, and
 * writes down what it decides as words such as {@code "a start 1"}.
 */
final class SupervisionDriver {

  /** Every draw is one half, so that no delay is spread. */
  static final RandomGenerator NO_CHANCE = () -> Long.MIN_VALUE;

  /** 100 ms, 200 ms and so on up to 1 s; 3 restarts in 10 s; quiet after 20 s; probe each 30 s. */
  static final RestartPolicy POLICY =
      new RestartPolicy(
          RestartType.PERMANENT,
          new RestartIntensity(3, Duration.ofSeconds(10)),
          new Backoff(Duration.ofMillis(100), Duration.ofSeconds(1), 2, 0),
          Duration.ofSeconds(20),
          Duration.ofSeconds(30));

  private record Timer(long at, long ticket) {}

  /** Whether deployments and stops complete by themselves. */
  boolean deploys = true;

  boolean stops = true;
  long now = 1_000;

  /** Of the processors. */
  double load;

  private final Supervision supervision;
  private final Map<String, Timer> timers = new LinkedHashMap<>();
  private final Map<String, Long> deployTickets = new LinkedHashMap<>();
  private final Map<String, Long> stopTickets = new LinkedHashMap<>();
  private final Map<String, Long> epochs = new LinkedHashMap<>();
  private final List<String> log = new ArrayList<>();
  private long wakeAt = -1;

  SupervisionDriver() {
    this(SupervisorOptions.DEFAULT);
  }

  SupervisionDriver(RestartStrategy strategy) {
    this(SupervisorOptions.of(strategy, 16));
  }

  SupervisionDriver(SupervisorOptions options) {
    this(options, NO_CHANCE);
  }

  SupervisionDriver(SupervisorOptions options, RandomGenerator random) {
    supervision = new Supervision(options, random, () -> load);
  }

  static RestartPolicy policy(RestartType type) {
    return new RestartPolicy(
        type, POLICY.intensity(), POLICY.backoff(), POLICY.quietPeriod(), POLICY.reprobe());
  }

  static RestartPolicy reprobing(Duration reprobe) {
    return new RestartPolicy(
        RestartType.PERMANENT, POLICY.intensity(), POLICY.backoff(), POLICY.quietPeriod(), reprobe);
  }

  static ChildSpec spec(String id, RestartPolicy policy) {
    return new ChildSpec(
        id,
        id,
        () -> new VerticleBase() {},
        policy,
        false,
        false,
        Duration.ofSeconds(5),
        Duration.ofSeconds(10),
        0);
  }

  /** One more connection to a server, for a client that waits for it. */
  static ChildSpec awaited(String id, String server) {
    ChildSpec own = spec(id, POLICY);
    return new ChildSpec(
        id, server, own.verticle(), POLICY, false, true, own.drain(), own.shutdown(), 0);
  }

  static ChildSpec lazy(String id, RestartPolicy policy) {
    ChildSpec eager = spec(id, policy);
    return new ChildSpec(
        id, id, eager.verticle(), policy, true, false, eager.drain(), eager.shutdown(), 0);
  }

  SupervisionDriver add(String... ids) {
    for (String id : ids) {
      add(spec(id, POLICY));
    }
    return this;
  }

  SupervisionDriver add(ChildSpec spec) {
    run(supervision.add(spec, now));
    return this;
  }

  /** Adds them and lets their first session start. */
  SupervisionDriver running(String... ids) {
    add(ids);
    for (String id : ids) {
      started(id);
    }
    said();
    return this;
  }

  SupervisionDriver running(ChildSpec spec) {
    add(spec).started(spec.id()).said();
    return this;
  }

  SupervisionDriver replace(ChildSpec spec) {
    run(supervision.replace(spec, now));
    return this;
  }

  SupervisionDriver remove(String id) {
    run(supervision.remove(id, now));
    return this;
  }

  long epoch(String id) {
    return epochs.getOrDefault(id, 0L);
  }

  boolean gaveUp(String id) {
    return supervision.gaveUp(id);
  }

  List<String> ids() {
    return supervision.ids();
  }

  SupervisionDriver started(String id) {
    return fact(new LifecycleMessage.Started(id, epoch(id)));
  }

  SupervisionDriver fails(String id) {
    return fact(new LifecycleMessage.Ended(id, epoch(id), failure(), true));
  }

  SupervisionDriver failsForGood(String id) {
    return fact(new LifecycleMessage.Ended(id, epoch(id), failure(), false));
  }

  SupervisionDriver endsNormally(String id) {
    return fact(new LifecycleMessage.Ended(id, epoch(id), null, true));
  }

  SupervisionDriver crashes(String id) {
    return fact(new LifecycleMessage.Crashed(id, new ArithmeticException("boom")));
  }

  SupervisionDriver startWanted(String id) {
    return fact(new LifecycleMessage.StartWanted(id));
  }

  SupervisionDriver stopWanted(String id) {
    return fact(new LifecycleMessage.StopWanted(id));
  }

  SupervisionDriver restartWanted(String id) {
    return fact(new LifecycleMessage.RestartWanted(id, RestartReason.Request.CALLER));
  }

  SupervisionDriver unhealthy(String id) {
    return fact(
        new LifecycleMessage.RestartWanted(
            id, new RestartReason.FailedHealthCheck(3, "no answer")));
  }

  SupervisionDriver fact(LifecycleMessage.Fact fact) {
    run(supervision.on(fact, now));
    return this;
  }

  static McpFailure failure() {
    return McpFailure.notSent(FailureCode.CONNECT_FAILED, "refused");
  }

  SupervisionDriver deployed(String id) {
    run(supervision.deployed(id, deployTickets.getOrDefault(id, -1L), now));
    return this;
  }

  SupervisionDriver deployFails(String id) {
    run(
        supervision.deployFailed(
            id, deployTickets.getOrDefault(id, -1L), new ArithmeticException("boom"), now));
    return this;
  }

  SupervisionDriver stopped(String id) {
    run(supervision.stopped(id, stopTickets.getOrDefault(id, -1L), true, now));
    return this;
  }

  SupervisionDriver doesNotStop(String id) {
    run(supervision.stopped(id, stopTickets.getOrDefault(id, -1L), false, now));
    return this;
  }

  /** Time passes; every timer fires at its own time. */
  SupervisionDriver passes(long millis) {
    long until = now + millis;
    while (true) {
      var next = timers.entrySet().stream().min(Comparator.comparing(e -> e.getValue().at()));
      if (wakeAt >= 0
          && wakeAt <= until
          && next.stream().noneMatch(e -> e.getValue().at() <= wakeAt)) {
        now = wakeAt;
        wakeAt = -1;
        run(supervision.wake(now));
      } else if (next.isPresent() && next.get().getValue().at() <= until) {
        String id = next.get().getKey();
        Timer timer = next.get().getValue();
        timers.remove(id);
        now = timer.at();
        run(supervision.timerFired(id, timer.ticket(), now));
      } else {
        now = until;
        return this;
      }
    }
  }

  /** What was decided since the last call. */
  List<String> said() {
    List<String> result = List.copyOf(log);
    log.clear();
    return result;
  }

  private void run(List<SupervisorAction> actions) {
    List<SupervisorAction.Deploy> deploying = new ArrayList<>();
    List<SupervisorAction.StopSession> stopping = new ArrayList<>();
    for (SupervisorAction action : actions) {
      if (action instanceof SupervisorAction.Tell tell) {
        sent(tell.id(), tell.command());
      } else if (action instanceof SupervisorAction.StopSession stop) {
        log.add(stop.id() + (stop.command().restarting() ? " stop to restart" : " stop"));
        stopTickets.put(stop.id(), stop.ticket());
        stopping.add(stop);
      } else if (action instanceof SupervisorAction.Deploy deploy) {
        log.add(deploy.id() + (deploy.drainMillis() < 0 ? " deploy" : " drain and deploy"));
        deployTickets.put(deploy.id(), deploy.ticket());
        deploying.add(deploy);
      } else if (action instanceof SupervisorAction.Undeploy undeploy) {
        log.add(undeploy.id() + " undeploy");
      } else if (action instanceof SupervisorAction.SetTimer timer) {
        timers.put(timer.id(), new Timer(now + timer.delayMillis(), timer.ticket()));
      } else if (action instanceof SupervisorAction.CancelTimer timer) {
        timers.remove(timer.id());
      } else if (action instanceof SupervisorAction.Wake wake) {
        wakeAt = now + wake.delayMillis();
      }
    }
    if (deploys) {
      deploying.forEach(d -> run(supervision.deployed(d.id(), d.ticket(), now)));
    }
    if (stops) {
      stopping.forEach(s -> run(supervision.stopped(s.id(), s.ticket(), true, now)));
    }
  }

  private void sent(String id, LifecycleMessage.Command command) {
    if (command instanceof LifecycleMessage.Start start) {
      epochs.put(id, start.epoch());
      log.add(id + " start " + start.epoch());
    } else if (command instanceof LifecycleMessage.RestartScheduled later) {
      log.add(id + " attempt " + later.attempt() + " in " + later.delayMillis());
    } else if (command instanceof LifecycleMessage.GaveUp end) {
      log.add(id + " gave up, next in " + end.reprobeMillis());
    }
  }
}
