package dev.mcpbus.clusterfaults;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * The owner of a server is killed, stopped or cut off while calls are in flight; or stopped at the
 * moment at which another node, stopped before and dropped, has come back.
 */
final class OwnerFaults {

  enum Kind {
    KILL("kill -9"),
    STOP("stop"),
    MERGE("stop at a merge"),
    PARTITION("partition");

    private final String text;

    Kind(String text) {
      this.text = text;
    }
  }

  private static final int IN_FLIGHT_EACH = 5;
  private static final Duration LONG = Duration.ofSeconds(25);
  private static final Duration LONGER = Duration.ofSeconds(50);

  /** Hazelcast looks for other parts of its cluster every few seconds. */
  private static final Duration WHOLE_AT_MOST = Duration.ofSeconds(30);

  private static final Duration MEMBERS_AT_MOST = Duration.ofSeconds(40);

  private final Bed bed;
  private final Cluster cluster;
  private final Caller caller;

  OwnerFaults(Bed bed) {
    this.bed = bed;
    this.cluster = bed.cluster();
    this.caller = bed.caller();
  }

  void run(Kind kind, int number) {
    String server = cluster.servers().get(number % cluster.servers().size());
    Node owner;
    List<CompletableFuture<Ending>> inFlight;
    do {
      cluster.awaitWhole();
      bed.begin();
      owner = cluster.owner(cluster.node(1), server);
      inFlight = inFlight(server, cluster.others(owner), LONG);
      // Else it was handed over meanwhile, for a node that had joined.
    } while (inFlight.isEmpty());
    strikeAndMeasure(kind, number, server, owner, inFlight);
  }

  /** {@link Kind#MERGE}. The server is one that the node which comes back does not get. */
  void atMerge(int number) {
    cluster.awaitQuiet(Duration.ofSeconds(5));
    String server = cluster.servers().get(number % cluster.servers().size());
    Node owner = cluster.owner(cluster.node(1), server);
    List<Node> others = cluster.others(owner);
    Node back = others.get(number / 3 % 2);
    Node third = others.get(1 - number / 3 % 2);
    back.stop();
    awaitMembers(third, 2, "drops " + back.name());
    bed.begin();
    List<CompletableFuture<Ending>> inFlight = inFlight(server, List.of(third), LONGER);
    back.resume();
    awaitMembers(third, 3, "has " + back.name() + " again");
    strikeAndMeasure(Kind.MERGE, number, server, owner, inFlight);
  }

  private static void awaitMembers(Node node, int wanted, String what) {
    long from = System.nanoTime();
    while (node.members() != wanted) {
      if (System.nanoTime() - from > MEMBERS_AT_MOST.toNanos()) {
        throw new IllegalStateException(
            node.name() + " does not say within " + MEMBERS_AT_MOST.toSeconds() + " s: " + what);
      }
      Pause.millis(50);
    }
  }

  private void strikeAndMeasure(
      Kind kind, int number, String server, Node owner, List<CompletableFuture<Ending>> inFlight) {
    long from = System.nanoTime();
    bed.fault(kind.text + " of " + owner.name() + ", owner of " + server);
    strike(kind, owner);
    List<CompletableFuture<Ending>> lost = throughTheLost(kind, owner, server);
    List<CompletableFuture<Long>> probes =
        cluster.others(owner).stream()
            .map(node -> new Prober(caller, node, server, Duration.ofSeconds(60)).first())
            .toList();
    List<Long> first = probes.stream().map(CompletableFuture::join).toList();
    long healed = System.nanoTime();
    relieve(kind, owner);
    cluster.awaitSettled();
    long settled = System.nanoTime();
    cluster.awaitWhole();
    bed.figures()
        .add(
            kind.text + ": all are members again", WHOLE_AT_MOST, since(healed, System.nanoTime()));
    List<Ending> endings = inFlight.stream().map(CompletableFuture::join).toList();
    lost.forEach(CompletableFuture::join);
    figures(kind, from, endings, first, healed, settled);
    bed.check(kind.text + " " + number + " of " + owner.name());
  }

  /**
   * Calls that are at the server when the fault comes, as many through each of the nodes; none
   * where some have ended before.
   */
  private List<CompletableFuture<Ending>> inFlight(
      String server, List<Node> ways, Duration budget) {
    List<CompletableFuture<Ending>> calls = new ArrayList<>();
    List<String> ids = new ArrayList<>();
    for (Node via : ways) {
      for (int i = 0; i < IN_FLIGHT_EACH; i++) {
        String id = caller.nextId();
        ids.add(id);
        calls.add(caller.call(id, via, server, budget, budget.plusSeconds(5)));
      }
    }
    for (int i = 0; i < ids.size(); i++) {
      if (!bed.awaitExecuted(ids.get(i), calls.get(i))) {
        calls.forEach(CompletableFuture::join);
        bed.check("calls that ended before a fault");
        return List.of();
      }
    }
    return calls;
  }

  private void strike(Kind kind, Node owner) {
    switch (kind) {
      case KILL -> owner.kill();
      case STOP, MERGE -> owner.stop();
      default -> cluster.cutOff(owner);
    }
  }

  private void relieve(Kind kind, Node owner) {
    switch (kind) {
      case KILL -> owner.start();
      case STOP, MERGE -> owner.resume();
      default -> cluster.healAll();
    }
  }

  /** Calls that lie in the buffers of a stopped owner, or that the minority is asked for. */
  private List<CompletableFuture<Ending>> throughTheLost(Kind kind, Node owner, String server) {
    List<CompletableFuture<Ending>> calls = new ArrayList<>();
    if (kind != Kind.KILL) {
      for (int i = 0; i < IN_FLIGHT_EACH; i++) {
        calls.add(caller.call(owner, server, Duration.ofSeconds(2), Duration.ZERO));
      }
    }
    return calls;
  }

  private void figures(
      Kind kind, long from, List<Ending> inFlight, List<Long> first, long healed, long settled) {
    Figures figures = bed.figures();
    long ended = inFlight.stream().mapToLong(Ending::at).max().orElse(from);
    long codes = inFlight.stream().filter(ending -> !ending.code().equals("OWNER_LOST")).count();
    if (codes > 0) {
      System.out.println("  in flight not with OWNER_LOST: " + inFlight);
    }
    Duration served = since(from, first.stream().min(Comparator.naturalOrder()).orElse(from));
    Duration everywhere = since(from, first.stream().max(Comparator.naturalOrder()).orElse(from));
    switch (kind) {
      case KILL -> {
        Duration wanted = Duration.ofMillis(1_500);
        figures.add("kill -9: last in-flight call has failed", wanted, since(from, ended));
        figures.add("kill -9: first success elsewhere", Duration.ofSeconds(3), served);
        figures.add("kill -9: success via both survivors", Duration.ofSeconds(3), everywhere);
      }
      case STOP, MERGE -> {
        Duration wanted = Duration.ofSeconds(15);
        figures.add(kind.text + ": new owner answers", wanted, served);
        figures.add(kind.text + ": last in-flight call has failed", wanted, since(from, ended));
        figures.add(kind.text + ": all well after it went on", wanted, since(healed, settled));
      }
      default -> {
        Duration wanted = Duration.ofSeconds(15);
        figures.add("partition: new owner answers", wanted, served);
        figures.add("partition: last in-flight call has failed", wanted, since(from, ended));
        figures.add("partition: heals", Duration.ofSeconds(10), since(healed, settled));
      }
    }
    System.out.printf(
        "  in flight ended %s s, first success %s s, via both %s s, well again %s s%n",
        Figures.seconds(since(from, ended)),
        Figures.seconds(served),
        Figures.seconds(everywhere),
        Figures.seconds(since(healed, settled)));
  }

  private static Duration since(long from, long to) {
    return Duration.ofNanos(to - from);
  }
}
