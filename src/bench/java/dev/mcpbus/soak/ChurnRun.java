package dev.mcpbus.soak;

import dev.mcpbus.soak.SoakSetting.Running;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Each kind of churn by itself: what is there before has to be there after, and no more. */
final class ChurnRun {

  private static final int PARTS = 4;
  private static final int WARM_UP = 100;
  private static final int SLACK = 20;

  /** After which the service has closed the connections to servers that it kept for later. */
  private static final long POOLED_MILLIS = 12_000;

  /** What the first use of something makes once. */
  private static final long KEPT = 500;

  private static final String ROW = "%-26s %7s %6s %7s %7s %8s %8s %4s %4s %4s %4s  %s%n";
  private static final double[] NO_LATENCY = {0, 0};

  /**
   * 1 of 500 operations that leaves something behind is seen. The rest is connections to our own
   * servers, which come and go with pings and checks.
   */
  private static final Growth.Tolerance TOLERANCE =
      new Growth.Tolerance(2, 64, 200, 1_500_000, 20, true);

  /** The same for a few hundred operations. */
  private static final Growth.Tolerance SHORT =
      new Growth.Tolerance(2, 64, 200, 1_500_000, 20, false);

  private final Vertx vertx;
  private final SoakSetting setting;
  private final List<String> table = new ArrayList<>();

  ChurnRun(Vertx vertx, SoakSetting setting) {
    this.vertx = vertx;
    this.setting = setting;
  }

  /**
   * Each in a service of its own.
   *
   * @param names with commas, or {@code all}
   * @return what is wrong
   */
  List<String> alone(String names, long times) {
    List<String> problems = new ArrayList<>();
    List<String> left = new ArrayList<>(List.of(names.split(",")));
    while (!left.isEmpty()) {
      String name = left.remove(0);
      boolean all = name.equals("all");
      try (Running running = setting.start(vertx, "churn-" + name, ChurnKind.needsTls(name))) {
        if (all) {
          running.kinds.forEach(kind -> left.add(kind.name()));
          continue;
        }
        ChurnKind kind = ChurnKind.find(running.all(), name);
        long wanted = Math.max(40, (long) (times * kind.share()));
        problems.addAll(one(running, kind, wanted, PARTS, TOLERANCE));
        problems.addAll(ended(running, name));
      }
    }
    print();
    return problems;
  }

  /** All in one service, which speaks TLS. */
  List<String> together(long times) {
    List<String> problems = new ArrayList<>();
    try (Running running = setting.start(vertx, "churn", true)) {
      for (ChurnKind kind : running.kinds) {
        if (kind.lingerSeconds() > 0) {
          continue; // takes longer than all others together
        }
        problems.addAll(one(running, kind, Math.max(8, (long) (times * kind.share())), 2, SHORT));
      }
      problems.addAll(ended(running, "all"));
    }
    print();
    return problems;
  }

  /** Counts before, a few times between, and after. */
  private List<String> one(
      Running running, ChurnKind kind, long times, int parts, Growth.Tolerance tolerance) {
    long from = System.nanoTime();
    Observation fresh = look(running, from);
    await(running.lanes.run(kind, Math.max(kind.kept(), Math.min(WARM_UP, times))));
    List<Observation> seen = new ArrayList<>();
    seen.add(settled(running, fresh, fresh.handles(), from, kind.lingerSeconds()));
    long begun = running.ledger.work();
    double busy = 0;
    for (int i = 0; i < parts; i++) {
      long began = System.nanoTime();
      await(running.lanes.run(kind, times / parts));
      busy += (System.nanoTime() - began) / 1e9;
      Observation before = seen.get(seen.size() - 1);
      long handles = Math.min(before.handles(), seen.get(0).handles()); // or each part adds slack
      seen.add(settled(running, before, handles, from, kind.lingerSeconds()));
    }
    List<Growth> grown = new ArrayList<>(Growth.beyond(seen, tolerance));
    if (grown.isEmpty()) {
      grown.addAll(Growth.kept(fresh, seen.get(seen.size() - 1), KEPT));
    }
    Observation first = seen.get(0);
    Observation last = seen.get(seen.size() - 1);
    long done = running.ledger.work() - begun;
    table.add(
        String.format(
            ROW,
            kind.name(),
            done,
            String.format("%.0f", done / Math.max(0.001, busy)),
            first.objects().own(),
            last.objects().own(),
            String.format("%.1f", first.objects().bytes() / 1e6),
            String.format("%.1f", last.objects().bytes() / 1e6),
            first.threads(),
            last.threads(),
            first.handles(),
            last.handles(),
            grown.isEmpty() ? "left nothing" : "LEAKS"));
    System.out.print(table.get(table.size() - 1));
    SoakReport.write(setting.out().resolve("churn-" + kind.name() + ".csv"), seen);
    if (grown.isEmpty()) {
      return List.of();
    }
    String problem = kind.name() + " leaves " + Growth.summary(grown);
    System.out.println(problem);
    return List.of(problem);
  }

  private List<String> ended(Running running, String name) {
    List<String> problems = new ArrayList<>(running.ledger.problems());
    if (!running.service.runs()) {
      problems.add("the service has ended by itself");
    }
    LogCheck.unexpected(running.service.log())
        .forEach(line -> problems.add("log of " + name + ": " + line));
    Path ledger = setting.out().resolve("ledger-" + name + ".txt");
    try {
      Files.writeString(ledger, running.ledger.table());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return problems;
  }

  /**
   * Counts once what was begun is over: when there is no more than before, or when it is not
   * getting less any more though idle sessions and pooled connections had their time.
   *
   * @param before the objects then
   * @param handles the handles that there are without any work
   * @param lingerSeconds for which things may stay
   */
  private static Observation settled(
      Running running, Observation before, long handles, long from, long lingerSeconds) {
    long idle = Math.max(SoakBed.SESSION_IDLE_MILLIS + 3_000, POOLED_MILLIS);
    long idleOver = System.nanoTime() + (idle + lingerSeconds * 1_000) * 1_000_000L;
    pause(500);
    Observation last = look(running, from);
    for (int i = 0; i < 40 + lingerSeconds; i++) {
      if (Growth.ownButRings(last) <= Growth.ownButRings(before) + SLACK
          && last.handles() <= handles + SLACK) {
        return last;
      }
      pause(1_500);
      Observation next = look(running, from);
      boolean still =
          Growth.ownButRings(next) > Growth.ownButRings(last) - SLACK / 2
              && next.handles() >= last.handles();
      last = next;
      if (still && System.nanoTime() - idleOver > 0) {
        return last;
      }
    }
    return last;
  }

  private static Observation look(Running running, long from) {
    return Observation.of(
        running.service,
        (System.nanoTime() - from) / 1e9,
        running.ledger.work(),
        NO_LATENCY,
        running.fixtures.sessions());
  }

  private void print() {
    System.out.println();
    System.out.printf(
        ROW, "kind", "times", "per s", "ours", "after", "heap MB", "after", "thr", "aft", "fds",
        "aft", "");
    table.forEach(System.out::print);
  }

  private static void pause(long millis) {
    try {
      TimeUnit.MILLISECONDS.sleep(millis);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void await(Future<?> future) {
    future.toCompletionStage().toCompletableFuture().join();
  }
}
