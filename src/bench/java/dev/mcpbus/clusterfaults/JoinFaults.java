package dev.mcpbus.clusterfaults;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Nodes that must not join: one whose port is in use, and one with another secret. The two nodes
 * that serve notice nothing: they see no other member, no connection moves, and every call that
 * comes meanwhile succeeds.
 */
final class JoinFaults implements AutoCloseable {

  private static final Duration BUDGET = Duration.ofSeconds(2);
  private static final long BETWEEN_MILLIS = 100;

  /** How long the stranger tries. */
  private static final long STRANGER_MILLIS = 15_000;

  private static final int END_SECONDS = 30;

  private final Bed bed;
  private final Cluster cluster;
  private final Node late;
  private final ScheduledExecutorService clock = Executors.newScheduledThreadPool(1);

  JoinFaults(Bed bed) {
    this.bed = bed;
    this.cluster = bed.cluster();
    this.late = cluster.node(Cluster.NODES);
  }

  /** What the serving nodes say. */
  private record View(long memberships, List<Node> owners) {}

  /** True where nobody noticed anything. */
  boolean run(int number) {
    cluster.awaitSettled();
    late.kill();
    awaitServed();
    bed.begin();
    boolean held = unnoticed("a port in use", this::portInUse);
    held &= unnoticed("another secret", this::otherSecret);
    long from = System.nanoTime();
    late.start();
    cluster.awaitSettled();
    bed.figures()
        .add(
            "join: from its start until all answer",
            Duration.ofSeconds(20),
            Duration.ofNanos(System.nanoTime() - from));
    bed.check("join " + number);
    return held;
  }

  private void awaitServed() {
    boolean served = false;
    while (!served) {
      Pause.millis(50);
      served =
          cluster.others(late).stream()
              .flatMap(via -> cluster.servers().stream().map(server -> call(via, server)))
              .toList()
              .stream()
              .allMatch(call -> call.join().isOk());
    }
  }

  private CompletableFuture<Ending> call(Node via, String server) {
    return bed.caller().call(via, server, BUDGET, Duration.ZERO);
  }

  private View view() {
    Node asked = cluster.node(1);
    return new View(
        asked.memberships(),
        cluster.servers().stream().map(server -> cluster.owner(asked, server)).toList());
  }

  private interface Attempt {
    boolean holds();
  }

  private boolean unnoticed(String what, Attempt attempt) {
    List<CompletableFuture<Ending>> calls = new CopyOnWriteArrayList<>();
    View before = view();
    var load =
        clock.scheduleAtFixedRate(
            () ->
                cluster
                    .others(late)
                    .forEach(via -> cluster.servers().forEach(one -> calls.add(call(via, one)))),
            0,
            BETWEEN_MILLIS,
            TimeUnit.MILLISECONDS);
    bed.fault(what);
    boolean held = attempt.holds();
    load.cancel(false);
    long failed = calls.stream().filter(call -> !call.join().isOk()).count();
    View after = view();
    System.out.printf(
        "  %s: %s; %d of %d calls failed, members and owners %s%n",
        what,
        held ? "kept out" : "NOT kept out",
        failed,
        calls.size(),
        after.equals(before) ? "as before" : "NOT as before");
    return held && failed == 0 && after.equals(before);
  }

  private boolean portInUse() {
    Process other = listen();
    try {
      long from = System.nanoTime();
      late.start();
      int code = late.awaitExit(END_SECONDS);
      bed.figures()
          .add(
              "join: the process has ended, its port in use",
              Duration.ofSeconds(10),
              Duration.ofNanos(System.nanoTime() - from));
      return code == 1 && said(":" + late.httpPort());
    } finally {
      other.destroyForcibly();
    }
  }

  private Process listen() {
    try {
      List<String> command =
          List.of(
              cluster.program("relay").toString(), "127.0.0.1", Integer.toString(late.httpPort()));
      return new ProcessBuilder(cluster.links().at(late.index(), command)).inheritIO().start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private boolean said(String text) {
    try {
      return Files.readString(late.log(), StandardCharsets.ISO_8859_1).contains(text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private boolean otherSecret() {
    late.secret("what nobody else knows");
    try {
      late.start();
      Pause.millis(STRANGER_MILLIS);
    } finally {
      late.kill();
      late.secret(null);
    }
    return true;
  }

  @Override
  public void close() {
    clock.shutdownNow();
  }
}
