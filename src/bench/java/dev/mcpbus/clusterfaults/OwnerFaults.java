package dev.mcpbus.clusterfaults;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** The owner of a server is killed, stopped or cut off while calls are in flight. */
final class OwnerFaults {

  enum Kind {
    KILL("kill -9"),
    STOP("stop"),
    PARTITION("partition");

    private final String text;

    Kind(String text) {
      this.text = text;
    }
  }

  private static final int IN_FLIGHT_EACH = 5;
  private static final Duration LONG = Duration.ofSeconds(25);

  private final Bed bed;
  private final Cluster cluster;
  private final Caller caller;

  OwnerFaults(Bed bed) {
    this.bed = bed;
    this.cluster = bed.cluster();
    this.caller = bed.caller();
  }

  void run(Kind kind, int number) {
    cluster.awaitSettled();
    String server = cluster.servers().get(number % cluster.servers().size());
    Node owner;
    List<CompletableFuture<Ending>> inFlight;
    do {
      bed.begin();
      owner = cluster.owner(cluster.node(1), server);
      inFlight = inFlight(owner, server);
      // Else it was handed over meanwhile, for a node that had joined.
    } while (inFlight.isEmpty());
    strikeAndMeasure(kind, number, server, owner, inFlight);
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
    List<Ending> endings = inFlight.stream().map(CompletableFuture::join).toList();
    lost.forEach(CompletableFuture::join);
    figures(kind, from, endings, first, healed, settled);
    bed.check(kind.text + " " + number + " of " + owner.name());
  }

  /**
   * Calls that are at the server when the fault comes, half of them through each other node; none
   * where some have ended before.
   */
  private List<CompletableFuture<Ending>> inFlight(Node owner, String server) {
    List<CompletableFuture<Ending>> calls = new ArrayList<>();
    List<String> ids = new ArrayList<>();
    for (Node via : cluster.others(owner)) {
      for (int i = 0; i < IN_FLIGHT_EACH; i++) {
        String id = caller.nextId();
        ids.add(id);
        calls.add(caller.call(id, via, server, LONG, LONG.plusSeconds(5)));
      }
    }
    for (int i = 0; i < ids.size(); i++) {
      if (!bed.awaitExecuted(ids.get(i), calls.get(i))) {
        calls.forEach(CompletableFuture::join);
        bed.check("calls that ended before a fault");
        cluster.awaitSettled();
        return List.of();
      }
    }
    return calls;
  }

  private void strike(Kind kind, Node owner) {
    switch (kind) {
      case KILL -> owner.kill();
      case STOP -> owner.stop();
      default -> cluster.cutOff(owner);
    }
  }

  private void relieve(Kind kind, Node owner) {
    switch (kind) {
      case KILL -> owner.start();
      case STOP -> owner.resume();
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
      case STOP -> {
        Duration wanted = Duration.ofSeconds(15);
        figures.add("stop: new owner answers", wanted, served);
        figures.add("stop: last in-flight call has failed", wanted, since(from, ended));
        figures.add("stop: all well after it went on", wanted, since(healed, settled));
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
