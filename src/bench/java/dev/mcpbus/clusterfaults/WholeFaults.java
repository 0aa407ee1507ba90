package dev.mcpbus.clusterfaults;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** A node leaves in order, two are killed at once, and all are. */
final class WholeFaults {

  private static final int IN_FLIGHT = 20;
  private static final Duration BUDGET = Duration.ofSeconds(10);
  private static final Duration TAKES = Duration.ofSeconds(2);

  private final Bed bed;
  private final Cluster cluster;

  WholeFaults(Bed bed) {
    this.bed = bed;
    this.cluster = bed.cluster();
  }

  /**
   * The owner is told to end while calls are in flight through the others.
   *
   * @return whether all of them succeeded
   */
  boolean leave(int number) {
    cluster.awaitSettled();
    bed.begin();
    String server = cluster.servers().get(number % cluster.servers().size());
    Node owner = cluster.owner(cluster.node(1), server);
    List<CompletableFuture<Ending>> calls = new ArrayList<>();
    for (int i = 0; i < IN_FLIGHT; i++) {
      Node via = cluster.others(owner).get(i % 2);
      String id = bed.caller().nextId();
      calls.add(bed.caller().call(id, via, server, BUDGET, TAKES));
      bed.awaitExecuted(id, calls.get(i));
    }
    bed.fault("end of " + owner.name() + ", owner of " + server);
    owner.end();
    List<Ending> endings = calls.stream().map(CompletableFuture::join).toList();
    owner.start();
    cluster.awaitSettled();
    List<Ending> lost = endings.stream().filter(ending -> !ending.isOk()).toList();
    System.out.printf("  %d accepted calls, lost %s%n", endings.size(), lost);
    bed.check("leave " + number + " of " + owner.name());
    return lost.isEmpty();
  }

  /**
   * Two of three are killed at once: the third knows all servers, and owns them when one is back.
   */
  void pair(int number) {
    cluster.awaitSettled();
    bed.begin();
    Node left = cluster.node(1 + number % Cluster.NODES);
    List<Node> lost = cluster.others(left);
    bed.fault("kill -9 of all but " + left.name());
    lost.forEach(Node::kill);
    List<CompletableFuture<Ending>> calls = new ArrayList<>();
    for (int i = 0; i < IN_FLIGHT; i++) {
      String server = cluster.servers().get(i % cluster.servers().size());
      calls.add(bed.caller().call(left, server, Duration.ofMillis(500L + 100L * i), Duration.ZERO));
    }
    List<Ending> endings = calls.stream().map(CompletableFuture::join).toList();
    long forgotten =
        endings.stream().filter(ending -> ending.code().equals("UNKNOWN_CONNECTION")).count();
    long from = System.nanoTime();
    lost.forEach(Node::start);
    cluster.awaitSettled();
    bed.figures()
        .add(
            "two of three killed: all well after their start",
            Duration.ofSeconds(30),
            Duration.ofNanos(System.nanoTime() - from));
    if (forgotten > 0) {
      throw new IllegalStateException(forgotten + " calls were told that their server is unknown");
    }
    bed.check("pair " + number + ", left " + left.name());
  }

  /** All are killed at once: what the files say is there again. */
  void all(int number) {
    cluster.awaitSettled();
    bed.begin();
    bed.fault("kill -9 of all");
    cluster.nodes().forEach(Node::kill);
    long from = System.nanoTime();
    cluster.nodes().forEach(Node::start);
    cluster.awaitSettled();
    bed.figures()
        .add(
            "all killed: all well after their start",
            Duration.ofSeconds(30),
            Duration.ofNanos(System.nanoTime() - from));
    bed.check("all " + number);
  }
}
