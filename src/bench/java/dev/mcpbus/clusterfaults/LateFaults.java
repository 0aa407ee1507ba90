package dev.mcpbus.clusterfaults;

import dev.mcpbus.clusterfaults.Doors.Door;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Calls by all doors and in both eras, of clients of which some hang up, while busy programs have
 * the machine and nodes are stopped for a while, or killed and started cold under load. What is
 * late must not be executed: neither after the deadline of the call, nor for a client that has
 * left.
 */
final class LateFaults implements AutoCloseable {

  private static final int PER_SECOND = 60;
  private static final int BUSY = 3;

  /** Of calls that name no time themselves. */
  private static final Duration REQUEST_TIMEOUT = Duration.ofSeconds(4);

  private static final Duration OWN_TIME = Duration.ofMillis(1_500);

  private static final Duration STOPPED = Duration.ofSeconds(12);

  private static final List<Door> DOORS = List.of(Door.values());

  private final Bed bed;
  private final Cluster cluster;
  private final Random random;
  private final ScheduledExecutorService clock = Executors.newScheduledThreadPool(2);
  private final Doors doors = new Doors();
  private final List<Process> busy = new ArrayList<>();
  private final Queue<CompletableFuture<?>> calls = new ConcurrentLinkedQueue<>();
  private final ConcurrentMap<String, AtomicInteger> made = new ConcurrentHashMap<>();
  private final AtomicInteger left = new AtomicInteger();

  LateFaults(Bed bed, long seed) {
    this.bed = bed;
    this.cluster = bed.cluster();
    this.random = new Random(seed);
  }

  /**
   * @param wanted how many calls
   */
  void run(int wanted) {
    configure(REQUEST_TIMEOUT.toSeconds() + "s");
    cluster.awaitSettled();
    bed.begin();
    for (int i = 0; i < BUSY; i++) {
      busy.add(start("sh", "-c", "while :; do :; done"));
    }
    var load =
        clock.scheduleAtFixedRate(this::call, 0, 1_000_000_000L / PER_SECOND, TimeUnit.NANOSECONDS);
    for (int round = 0; calls.size() < wanted; round++) {
      Node node = cluster.nodes().get(round % Cluster.NODES);
      if (round % 2 == 0) {
        bed.fault("stop of " + node.name());
        node.stop();
        Pause.millis(STOPPED.toMillis());
        node.resume();
      } else {
        bed.fault("kill and cold start of " + node.name());
        node.kill();
        node.start();
      }
      Pause.millis(STOPPED.toMillis());
    }
    load.cancel(false);
    calls.forEach(CompletableFuture::join);
    busy.forEach(Process::destroyForcibly);
    // What waits somewhere is executed now, or never.
    Pause.millis(STOPPED.toMillis());
    System.out.printf(
        Locale.ROOT,
        "late: %d calls %s beside %d busy programs, %d clients left%n",
        calls.size(),
        made,
        BUSY,
        left.get());
    bed.check("late");
    configure(null);
    cluster.restart();
  }

  private void configure(String requestTimeout) {
    for (String server : cluster.servers()) {
      // With a connection of each client there would be several servers that own it.
      JsonObject entry = cluster.entry(server).put("shared", true);
      if (requestTimeout != null) {
        entry.put("requestTimeout", requestTimeout);
      }
      cluster.nodes().forEach(node -> node.configure(server, entry));
    }
  }

  private static Process start(String... command) {
    try {
      return new ProcessBuilder(command).inheritIO().start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  // ---- calls

  private void call() {
    Door door = DOORS.get(random.nextInt(DOORS.size()));
    Node via = cluster.nodes().get(random.nextInt(Cluster.NODES));
    String server = cluster.servers().get(random.nextInt(cluster.servers().size()));
    long leavesAfter = random.nextInt(4) == 0 ? 20 + random.nextInt(1_500) : -1;
    calls.add(call(door, via, server, leavesAfter));
  }

  private CompletableFuture<?> call(Door door, Node via, String server, long leavesAfter) {
    return doors
        .session(door, via, server)
        .thenCompose(
            opened ->
                opened == null // the node does not answer: no call
                    ? CompletableFuture.completedFuture(null)
                    : send(door, via, server, opened, leavesAfter))
        .exceptionally(failure -> null);
  }

  private CompletableFuture<?> send(
      Door door, Node via, String server, String session, long leavesAfter) {
    String id = bed.caller().nextId();
    made.computeIfAbsent(door.name(), first -> new AtomicInteger()).incrementAndGet();
    Duration time = door == Door.REST_WITH_TIME ? OWN_TIME : REQUEST_TIMEOUT;
    bed.invoked(id, server, via, System.nanoTime() + time.toNanos());
    CompletableFuture<HttpResponse<String>> answer =
        doors.send(door, via, server, session, id, time);
    if (leavesAfter >= 0) {
      var unused = clock.schedule(() -> answer.cancel(true), leavesAfter, TimeUnit.MILLISECONDS);
    }
    return answer.handle(
        (response, failure) -> {
          if (answer.isCancelled()) {
            left.incrementAndGet();
            bed.left(id);
          } else {
            doors.answered(via, server, session, response);
            bed.caller().noted(id, Ending.of(response, failure));
          }
          return null;
        });
  }

  @Override
  public void close() {
    clock.shutdownNow();
    busy.forEach(Process::destroyForcibly);
  }
}
