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

  private static final int QUARTERS = 4;
  private static final int WARM_UP = 100;
  private static final double[] NO_LATENCY = {0, 0};

  /** 1 of 500 operations that leaves something behind is seen. */
  private static final Growth.Tolerance TOLERANCE =
      new Growth.Tolerance(2, 20, 200, 1_500_000, 10);

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
        ChurnKind kind = ChurnKind.find(running.kinds, name);
        problems.addAll(one(running, kind, Math.max(50, (long) (times * kind.share()))));
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
        problems.addAll(one(running, kind, Math.max(10, (long) (times * kind.share()))));
      }
      problems.addAll(ended(running, "all"));
    }
    print();
    return problems;
  }

  private List<String> one(Running running, ChurnKind kind, long times) {
    long from = System.nanoTime();
    await(running.lanes.run(kind, Math.min(WARM_UP, times)));
    List<Observation> seen = new ArrayList<>();
    seen.add(settled(running, null, from));
    long begun = running.ledger.work();
    double busy = 0;
    for (int i = 0; i < QUARTERS; i++) {
      long began = System.nanoTime();
      await(running.lanes.run(kind, times / QUARTERS));
      busy += (System.nanoTime() - began) / 1e9;
      seen.add(settled(running, seen.get(seen.size() - 1), from));
    }
    List<Growth> grown = Growth.beyond(seen, TOLERANCE);
    Observation first = seen.get(0);
    Observation last = seen.get(seen.size() - 1);
    long done = running.ledger.work() - begun;
    table.add(
        String.format(
            "%-28s %7d %7.0f %7d %7d %8.1f %8.1f %4d %4d %4d %4d  %s",
            kind.name(),
            done,
            done / Math.max(0.001, busy),
            first.objects().own(),
            last.objects().own(),
            first.objects().bytes() / 1e6,
            last.objects().bytes() / 1e6,
            first.threads(),
            last.threads(),
            first.handles(),
            last.handles(),
            grown.isEmpty() ? "left nothing" : "LEAKS"));
    System.out.println(table.get(table.size() - 1));
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
   * Counts once nobody does anything any more and idle sessions are over: when there is no more than
   * before, or it is not getting less.
   */
  private static Observation settled(Running running, Observation before, long from) {
    pause(SoakBed.SESSION_IDLE_MILLIS + 1_000);
    Observation last = look(running, from);
    for (int i = 0; i < 30; i++) {
      if (before != null && last.objects().own() <= before.objects().own() + 20) {
        return last;
      }
      pause(1_500);
      Observation next = look(running, from);
      boolean still = next.objects().own() > last.objects().own() * 0.998 - 5;
      last = next;
      if (still && i >= (before == null ? 1 : 4)) {
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
    System.out.printf(
        "%n%-28s %7s %7s %7s %7s %8s %8s %4s %4s %4s %4s%n",
        "kind", "times", "per s", "ours", "after", "heap MB", "after", "thr", "aft", "fds", "aft");
    table.forEach(System.out::println);
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
