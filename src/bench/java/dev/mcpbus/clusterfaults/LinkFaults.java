package dev.mcpbus.clusterfaults;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * One link of three is cut for longer than a silent node is believed, so that one of its ends is
 * given up though the third node hears both; every second time another link is cut for a while just
 * then. Calls go through all nodes to all servers all the time, also through the node that is given
 * up: that one must not run what others own.
 */
final class LinkFaults implements AutoCloseable {

  private static final long BETWEEN_MILLIS = 100;
  private static final Duration BUDGET = Duration.ofSeconds(1);

  /** Hand-overs after a fault begin sooner than this. */
  private static final Duration QUIET = Duration.ofSeconds(10);

  private static final long CUT_MILLIS = 20_000;

  /** When and for how long the second link is cut. */
  private static final long SECOND_AT_MILLIS = 9_500;

  private static final long SECOND_MILLIS = 3_600;

  private final Bed bed;
  private final Cluster cluster;
  private final ScheduledExecutorService clock = Executors.newScheduledThreadPool(2);
  private final Map<String, List<CompletableFuture<Ending>>> calls = new HashMap<>();

  LinkFaults(Bed bed) {
    this.bed = bed;
    this.cluster = bed.cluster();
    cluster.servers().forEach(server -> calls.put(server, new CopyOnWriteArrayList<>()));
  }

  void run(int number) {
    // What follows is one fault: nothing of the last one may still be under way.
    cluster.awaitQuiet(QUIET);
    bed.begin();
    int one = 1 + number % Cluster.NODES;
    int other = 1 + one % Cluster.NODES;
    int third = 1 + other % Cluster.NODES;
    var load = clock.scheduleAtFixedRate(this::callAll, 0, BETWEEN_MILLIS, TimeUnit.MILLISECONDS);
    Pause.millis(1_000);
    bed.fault("cut of link " + one + "-" + other);
    long cut = System.nanoTime();
    cluster.links().cutBoth(one, other);
    if (number % 2 == 0) {
      Pause.millis(SECOND_AT_MILLIS);
      bed.fault("cut of link " + other + "-" + third);
      cluster.links().cutBoth(other, third);
      Pause.millis(SECOND_MILLIS);
      bed.fault("heals: link " + other + "-" + third);
      cluster.links().healBoth(other, third);
      Pause.millis(CUT_MILLIS - SECOND_AT_MILLIS - SECOND_MILLIS);
    } else {
      Pause.millis(CUT_MILLIS);
    }
    bed.fault("all links heal");
    long healed = System.nanoTime();
    cluster.healAll();
    Duration settled = cluster.awaitSettled();
    load.cancel(false);
    Duration longest = longest(healed);
    bed.figures().add("link: longest without an answer", Duration.ofSeconds(15), longest);
    bed.figures().add("link: all well after it healed", Duration.ofSeconds(10), settled);
    System.out.printf(
        "  longest without an answer %s s, well again %s s%n",
        Figures.seconds(longest), Figures.seconds(settled));
    double answered = answeredWhileCut(cut, healed);
    if (number % 2 == 1) {
      bed.figures().addShare("link: calls answered while it is cut", 99, answered);
    }
    bed.check("link " + number + ", " + one + "-" + other);
  }

  private void callAll() {
    for (String server : cluster.servers()) {
      for (Node via : cluster.nodes()) {
        calls.get(server).add(bed.caller().call(via, server, BUDGET, Duration.ZERO));
      }
    }
  }

  /** How many percent of the calls succeeded that ended while the link was cut. */
  private double answeredWhileCut(long cut, long healed) {
    Map<String, Integer> failures = new TreeMap<>();
    int answered = 0;
    int all = 0;
    for (List<CompletableFuture<Ending>> of : calls.values()) {
      for (CompletableFuture<Ending> call : of) {
        Ending ending = call.join();
        if (ending.at() - cut > 0 && healed - ending.at() > 0) {
          all++;
          if (ending.isOk()) {
            answered++;
          } else {
            failures.merge(ending.code() + " sent:" + ending.sent(), 1, Integer::sum);
          }
        }
      }
    }
    System.out.printf(
        Locale.ROOT,
        "  while it was cut: %.2f %% of %d calls were answered; failures %s%n",
        100.0 * answered / Math.max(1, all),
        all,
        failures);
    return 100.0 * answered / Math.max(1, all);
  }

  /** Of any server, by any node. */
  private Duration longest(long until) {
    long longest = 0;
    for (List<CompletableFuture<Ending>> of : calls.values()) {
      List<Ending> endings = of.stream().map(CompletableFuture::join).toList();
      List<Long> answers =
          new ArrayList<>(endings.stream().filter(Ending::isOk).map(Ending::at).sorted().toList());
      answers.add(Math.max(until, answers.get(answers.size() - 1)));
      for (int i = 1; i < answers.size(); i++) {
        longest = Math.max(longest, answers.get(i) - answers.get(i - 1));
      }
    }
    return Duration.ofNanos(longest);
  }

  @Override
  public void close() {
    clock.shutdownNow();
  }
}
