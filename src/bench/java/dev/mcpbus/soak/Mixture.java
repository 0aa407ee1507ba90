package dev.mcpbus.soak;

import dev.mcpbus.soak.SoakSetting.Running;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.internal.VertxInternal;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Everything at once, for long. Now and then the kinds of churn pause until what they began has
 * ended and idle sessions are over; what is there then is counted. Clients that stay, and the
 * steady calls whose time is taken, go on meanwhile.
 */
final class Mixture {

  private static final Growth.Tolerance TOLERANCE =
      new Growth.Tolerance(1, 100, 5, 2_000_000, 24, true);
  private static final Duration LONG = Duration.ofMinutes(20);
  private static final int QUIET_MILLIS = SoakBed.SESSION_IDLE_MILLIS + 3_000;
  private static final int PROBE_MILLIS = 100;

  private final Vertx vertx;
  private final SoakSetting setting;
  private volatile boolean paused;
  private volatile boolean over;

  Mixture(Vertx vertx, SoakSetting setting) {
    this.vertx = vertx;
    this.setting = setting;
  }

  /**
   * @param all how long
   * @param step from one count to the next
   * @return what is wrong
   */
  List<String> run(Duration all, Duration step) {
    List<String> problems = new ArrayList<>();
    List<Observation> seen = new ArrayList<>();
    try (Running running = setting.start(vertx, "mixture", true)) {
      Latency latency = new Latency();
      // A bound that fills up during the run looks like growth, too: the owners of 256 tasks.
      running.kinds.stream().filter(kind -> kind.kept() > 0).forEach(kind -> fill(running, kind));
      // What stays for longer than a part of the run looks like growth.
      running.kinds.stream()
          .filter(kind -> kind.lingerSeconds() <= all.toSeconds() / 3)
          .forEach(kind -> begin(running, kind, true));
      running.sockets.standing().forEach(kind -> begin(running, kind.withPause(1), false));
      probe(running, latency);
      long from = System.nanoTime();
      long next = from;
      while (System.nanoTime() - from < all.toNanos() && running.service.runs()) {
        next += step.toNanos();
        pause(Math.max(1, (next - System.nanoTime()) / 1_000_000 - QUIET_MILLIS));
        paused = true;
        pause(QUIET_MILLIS);
        double seconds = (System.nanoTime() - from) / 1e9;
        Observation now =
            Observation.of(
                running.service,
                seconds,
                running.ledger.work(),
                latency.take(),
                running.fixtures.sessions());
        paused = false;
        seen.add(now);
        print(now);
        SoakReport.write(setting.out().resolve("soak.csv"), seen);
      }
      over = true;
      pause((Lanes.PATIENCE_SECONDS + 5) * 1_000, () -> running.ledger.open() == 0);
      if (!running.service.runs()) {
        problems.add("the service has ended by itself, see " + running.service.log());
      }
      problems.addAll(running.ledger.problems());
      System.out.print(running.ledger.table());
      LogCheck.unexpected(running.service.log()).forEach(line -> problems.add("log: " + line));
    }
    // What is made once is there after the second minute, or after a quarter of a short run.
    double warm = Math.min(120, all.toSeconds() / 4.0);
    List<Observation> judged = seen.stream().filter(one -> one.seconds() > warm).toList();
    if (judged.size() < 3) {
      problems.add("too few observations to judge by: " + judged.size());
      return problems;
    }
    List<Growth> grown = Growth.beyond(judged, TOLERANCE);
    if (!grown.isEmpty()) {
      problems.add("grows: " + Growth.summary(grown));
    }
    if (all.compareTo(LONG) >= 0) { // in a short one the machine's other work decides
      problems.addAll(Latency.judge(judged));
    }
    Path picture = setting.out().resolve("soak.png");
    SoakChart.draw(seen, picture);
    System.out.println("figures and picture: " + setting.out().resolve("soak.csv") + " " + picture);
    return problems;
  }

  private static void print(Observation now) {
    System.out.printf(
        "%6.1f min %9d done, heap %6.1f MB, %6d objects, %4d threads, %4d handles, %3d children,"
            + " median %6.1f ms, p99 %7.1f ms%n",
        now.seconds() / 60,
        now.work(),
        now.objects().bytes() / 1e6,
        now.objects().own(),
        now.threads(),
        now.handles(),
        now.children(),
        now.medianMillis(),
        now.p99Millis());
  }

  /** Does it as often as the service remembers. */
  private static void fill(Running running, ChurnKind kind) {
    running.lanes.run(kind, kind.kept()).toCompletionStage().toCompletableFuture().join();
  }

  /** Does it, with pauses, to the end. */
  private void begin(Running running, ChurnKind kind, boolean pauses) {
    Context context = ((VertxInternal) vertx).createEventLoopContext();
    context.runOnContext(now -> next(running, kind, pauses));
  }

  private void next(Running running, ChurnKind kind, boolean pauses) {
    if (over) {
      return;
    }
    if (pauses && paused) {
      vertx.setTimer(100, later -> next(running, kind, true));
      return;
    }
    running
        .lanes
        .once(kind)
        .onComplete(
            ended -> vertx.setTimer(kind.pauseMillis(), later -> next(running, kind, pauses)));
  }

  private void probe(Running running, Latency latency) {
    ChurnKind steady = ChurnKind.of("steady-call", running.mcp::modernCall);
    vertx.setPeriodic(
        PROBE_MILLIS,
        tick -> {
          if (over) {
            vertx.cancelTimer(tick);
            return;
          }
          long from = System.nanoTime();
          running.lanes.once(steady).onSuccess(ended -> latency.add(System.nanoTime() - from));
        });
  }

  private static void pause(long millis) {
    try {
      TimeUnit.MILLISECONDS.sleep(millis);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void pause(long most, java.util.function.BooleanSupplier until) {
    long end = System.nanoTime() + most * 1_000_000;
    while (!until.getAsBoolean() && System.nanoTime() < end) {
      pause(100);
    }
  }
}
