package dev.mcpbus.clusterfaults;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Every node is ended and started again, one after another, under steady calls. A caller may repeat
 * a safe call through another node, and a call that was not sent in any case.
 */
final class RollingRestart implements AutoCloseable {

  private static final int PER_SECOND = 200;
  private static final Duration BUDGET = Duration.ofSeconds(10);
  private static final double WANTED = 0.999;

  private final Bed bed;
  private final Cluster cluster;
  private final Random random;
  private final ScheduledExecutorService clock = Executors.newScheduledThreadPool(2);
  private final List<CompletableFuture<Integer>> calls = new CopyOnWriteArrayList<>();
  private final Map<String, Integer> failures = new ConcurrentHashMap<>();

  RollingRestart(Bed bed, long seed) {
    this.bed = bed;
    this.cluster = bed.cluster();
    this.random = new Random(seed);
  }

  /** True where as many safe calls succeed as are wanted, without fault or loss of others. */
  boolean run(int number) {
    cluster.awaitSettled();
    bed.begin();
    var load =
        clock.scheduleAtFixedRate(
            this::safeCall, 0, 1_000_000_000L / PER_SECOND, TimeUnit.NANOSECONDS);
    Pause.millis(2_000);
    for (Node node : cluster.nodes()) {
      bed.fault("end of " + node.name());
      long from = System.nanoTime();
      node.end();
      long ended = System.nanoTime();
      node.start();
      cluster.awaitSettled();
      System.out.printf(
          "  %s ended in %s s, all well %s s later%n",
          node.name(),
          Figures.seconds(Duration.ofNanos(ended - from)),
          Figures.seconds(Duration.ofNanos(System.nanoTime() - ended)));
    }
    Pause.millis(2_000);
    load.cancel(false);
    long succeeded = calls.stream().filter(call -> call.join() > 0).count();
    long atOnce = calls.stream().filter(call -> call.join() == 1).count();
    double share = (double) succeeded / calls.size();
    System.out.printf(
        Locale.ROOT,
        "  %d safe calls: %.3f %% succeeded (wanted %.1f %%), %.3f %% at the first try; first"
            + " tries and repetitions failed with %s%n",
        calls.size(),
        100 * share,
        100 * WANTED,
        100.0 * atOnce / calls.size(),
        new TreeMap<>(failures));
    bed.check("roll " + number);
    return share >= WANTED;
  }

  private void safeCall() {
    int server = random.nextInt(cluster.servers().size());
    int via = random.nextInt(Cluster.NODES);
    calls.add(attempt(server, via, 1, System.nanoTime() + BUDGET.toNanos()));
  }

  /** The number of the attempt that succeeded, 0 where none did in time. */
  private CompletableFuture<Integer> attempt(int server, int via, int number, long deadline) {
    Duration left = Duration.ofNanos(deadline - System.nanoTime());
    if (left.toMillis() < 1) {
      return CompletableFuture.completedFuture(0);
    }
    return bed.caller()
        .call(
            cluster.nodes().get(via % Cluster.NODES),
            cluster.servers().get(server),
            left.compareTo(Duration.ofSeconds(2)) > 0 ? Duration.ofSeconds(2) : left,
            Duration.ofMillis(5))
        .thenCompose(
            ending -> {
              if (ending.isOk()) {
                return CompletableFuture.completedFuture(number);
              }
              failures.merge(ending.code() + " sent:" + ending.sent(), 1, Integer::sum);
              long wait = Math.max(50, ending.retryAfter());
              return CompletableFuture.supplyAsync(
                      () -> 0, CompletableFuture.delayedExecutor(wait, TimeUnit.MILLISECONDS))
                  .thenCompose(later -> attempt(server, via + 1, number + 1, deadline));
            });
  }

  @Override
  public void close() {
    clock.shutdownNow();
  }
}
