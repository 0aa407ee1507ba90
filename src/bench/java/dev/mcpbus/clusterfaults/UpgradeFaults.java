package dev.mcpbus.clusterfaults;

import dev.mcpbus.clusterfaults.Doors.Door;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * All nodes are replaced by another version, node after node, and back again, while clients call
 * every server by every door of every node. A call may fail where it was not sent, and where a node
 * that had it was just ended; it ends with {@code CALL_TIMEOUT} at its deadline whichever versions
 * it passes.
 */
final class UpgradeFaults implements AutoCloseable {

  private static final int PER_SECOND = 40;
  private static final Duration TIME = Duration.ofSeconds(8);

  /** Of the calls that ask for more time than they have. */
  private static final Duration SHORT = Duration.ofMillis(1_500);

  private static final Duration LATEST = SHORT.plusMillis(700);

  /** From the signal to a node until its end is over for all callers. */
  private static final Duration AFTERWARDS = Duration.ofSeconds(8);

  /**
   * The end of a node, from its signal on.
   *
   * @param until when it is over for the callers of other nodes
   * @param back when the node serves again; until then its proxy closes what it cannot pass on
   */
  private record End(Node node, long from, long until, AtomicLong back) {}

  private static final List<Door> DOORS = List.of(Door.values());

  private final Bed bed;
  private final Cluster cluster;
  private final Random random;
  private final Doors doors = new Doors();
  private final ScheduledExecutorService clock = Executors.newScheduledThreadPool(2);
  private final Queue<CompletableFuture<?>> calls = new ConcurrentLinkedQueue<>();
  private final Queue<End> ends = new ConcurrentLinkedQueue<>();
  private final Queue<String> wrong = new ConcurrentLinkedQueue<>();
  private final Map<String, Integer> endings = new ConcurrentHashMap<>();

  /** The first text of each way to fail. */
  private final Map<String, String> said = new ConcurrentHashMap<>();

  private final Map<Node, String> versions = new ConcurrentHashMap<>();

  UpgradeFaults(Bed bed, long seed) {
    this.bed = bed;
    this.cluster = bed.cluster();
    this.random = new Random(seed);
  }

  /** True where no call failed otherwise than it may, and every server had an owner each time. */
  boolean run(int number, Path old, Path now) {
    use(old);
    cluster.restart();
    bed.begin();
    var load =
        clock.scheduleAtFixedRate(this::call, 0, 1_000_000_000L / PER_SECOND, TimeUnit.NANOSECONDS);
    try {
      replaceAll("new", now);
      replaceAll("old", old);
    } finally {
      load.cancel(false);
      calls.forEach(CompletableFuture::join);
    }
    System.out.printf(
        Locale.ROOT,
        "upgrade %d: %d calls; %s; %d wrong%n",
        number,
        calls.size(),
        new TreeMap<>(endings),
        wrong.size());
    wrong.stream().limit(20).forEach(one -> System.out.println("  WRONG " + one));
    new TreeMap<>(said).forEach((how, text) -> System.out.println("  " + how + ": " + text));
    bed.check("upgrade " + number);
    use(now);
    cluster.restart();
    return wrong.isEmpty();
  }

  private void use(Path jar) {
    cluster.nodes().forEach(node -> node.jar(jar));
    cluster.nodes().forEach(node -> versions.put(node, "old"));
  }

  private void replaceAll(String version, Path jar) {
    for (Node node : cluster.nodes()) {
      bed.fault("end of " + node.name() + ", which starts as the " + version + " version");
      long from = System.nanoTime();
      End end = new End(node, from, from + AFTERWARDS.toNanos(), new AtomicLong(Long.MAX_VALUE));
      ends.add(end);
      node.end();
      node.jar(jar);
      versions.put(node, version);
      node.start();
      cluster.awaitWhole();
      end.back().set(Math.max(end.until(), System.nanoTime()));
      bed.figures()
          .add(
              "upgrade: from the end of a node until each server has one owner for all",
              Duration.ofSeconds(60),
              Duration.ofNanos(System.nanoTime() - from));
      checkDeadlines();
    }
  }

  /** A call that its server keeps for too long ends at its deadline by every door and owner. */
  private void checkDeadlines() {
    for (Node via : cluster.nodes()) {
      for (String server : cluster.servers()) {
        long from = System.nanoTime();
        Ending ending = bed.caller().call(via, server, SHORT, TIME).join();
        Duration took = Duration.ofNanos(ending.at() - from);
        if (!ending.code().equals("CALL_TIMEOUT")
            || took.compareTo(SHORT.minusMillis(100)) < 0
            || took.compareTo(LATEST) > 0) {
          wrong.add(
              "a call with a time of "
                  + SHORT.toMillis()
                  + " ms to "
                  + server
                  + " via "
                  + via.name()
                  + " ("
                  + versions.get(via)
                  + ") ended after "
                  + took.toMillis()
                  + " ms: "
                  + ending);
        }
      }
    }
  }

  private void call() {
    Door door = DOORS.get(random.nextInt(DOORS.size()));
    Node via = cluster.nodes().get(random.nextInt(Cluster.NODES));
    String server = cluster.servers().get(random.nextInt(cluster.servers().size()));
    calls.add(
        doors
            .session(door, via, server)
            .thenCompose(
                session ->
                    session == null // the node does not answer: no call
                        ? CompletableFuture.completedFuture(null)
                        : send(door, via, server, session))
            .exceptionally(failure -> null));
  }

  private CompletableFuture<?> send(Door door, Node via, String server, String session) {
    String id = bed.caller().nextId();
    String version = versions.get(via);
    long from = System.nanoTime();
    bed.invoked(id, server, via, from + TIME.toNanos());
    return doors
        .send(door, via, server, session, id, TIME)
        .handle(
            (response, failure) -> {
              doors.answered(via, server, session, response);
              Ending ending = bed.caller().noted(id, Ending.of(response, failure));
              boolean isGone =
                  response != null && response.statusCode() == 404 && !session.isEmpty();
              String how = ending.isOk() ? "ok" : ending.code() + " sent:" + ending.sent();
              endings.merge(version + " " + door + " " + how, 1, Integer::sum);
              if (!ending.isOk() && !ending.text().isEmpty()) {
                said.putIfAbsent(version + " " + door + " " + how, ending.text());
              }
              if (!isGone && !mayEndSo(ending, via, from)) {
                wrong.add(
                    id + " by " + door + " of " + via.name() + " (" + version + "): " + ending);
              }
              return null;
            });
  }

  private boolean mayEndSo(Ending ending, Node via, long from) {
    if (ending.isOk() || ending.sent().equals("no")) {
      return true;
    }
    return switch (ending.code()) {
      case "OWNER_LOST" ->
          ends.stream().anyMatch(end -> from < end.until() && ending.at() > end.from());
      case "RESET" ->
          ends.stream()
              .anyMatch(
                  end -> end.node() == via && from < end.back().get() && ending.at() > end.from());
      default -> false;
    };
  }

  @Override
  public void close() {
    clock.shutdownNow();
  }
}
