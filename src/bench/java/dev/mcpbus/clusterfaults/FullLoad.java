package dev.mcpbus.clusterfaults;

import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicLong;

/** As many calls as the machine can do, through all nodes; nobody may be taken for lost. */
final class FullLoad implements AutoCloseable {

  private static final int IN_FLIGHT = 48;
  private static final Duration BUDGET = Duration.ofSeconds(10);
  private static final Duration SAID_EVERY = Duration.ofMinutes(1);

  private final Cluster cluster;
  private final Caller caller;
  private final AtomicLong done = new AtomicLong();
  private final ConcurrentMap<String, Long> endings = new ConcurrentHashMap<>();
  private final List<CompletableFuture<Void>> lanes = new ArrayList<>();
  private volatile boolean over;

  FullLoad(Bed bed) {
    this.cluster = bed.cluster();
    this.caller = bed.caller();
  }

  /** True where no member left, no server got another owner, and every call succeeded. */
  boolean run(Duration time) {
    cluster.awaitSettled();
    Map<String, Long> owners = epochs();
    long memberships = memberships();
    long from = System.nanoTime();
    for (int i = 0; i < IN_FLIGHT; i++) {
      lanes.add(lane(i));
    }
    long said = from;
    while (System.nanoTime() - from < time.toNanos()) {
      Pause.millis(500);
      if (System.nanoTime() - said >= SAID_EVERY.toNanos()) {
        said = System.nanoTime();
        System.out.printf(
            "  %d min: %d calls %s, %d membership events%n",
            Duration.ofNanos(said - from).toMinutes(),
            done.get(),
            new TreeMap<>(endings),
            memberships() - memberships);
      }
    }
    over = true;
    lanes.forEach(CompletableFuture::join);
    long events = memberships() - memberships;
    boolean same = owners.equals(epochs());
    boolean held = events == 0 && same && endings.keySet().stream().allMatch("OK"::equals);
    System.out.printf(
        "load: %.1f min, %d calls %s (%d per second); %d membership events (wanted 0); owners %s%n",
        time.toSeconds() / 60.0,
        done.get(),
        new TreeMap<>(endings),
        done.get() / Math.max(1, time.toSeconds()),
        events,
        same ? "unchanged" : "CHANGED from " + owners + " to " + epochs());
    return held;
  }

  private long memberships() {
    return cluster.nodes().stream().mapToLong(Node::memberships).sum();
  }

  private Map<String, Long> epochs() {
    Map<String, Long> all = new TreeMap<>();
    for (String server : cluster.servers()) {
      JsonObject status = caller.get(cluster.node(1), "/api/servers/" + server);
      all.put(server, status.getLong("epoch", -1L));
    }
    return all;
  }

  /** One call after another. */
  private CompletableFuture<Void> lane(int number) {
    CompletableFuture<Void> ended = new CompletableFuture<>();
    next(number, ended);
    return ended;
  }

  private void next(int number, CompletableFuture<Void> ended) {
    if (over) {
      ended.complete(null);
      return;
    }
    long call = done.incrementAndGet();
    String server = cluster.servers().get((int) (call % cluster.servers().size()));
    Node via = cluster.nodes().get(number % Cluster.NODES);
    var unused =
        caller
            .unnoted("l" + call, via, server, BUDGET, Duration.ZERO)
            .thenAcceptAsync(
                ending -> {
                  String how = ending.isOk() ? "OK" : ending.code() + " sent:" + ending.sent();
                  endings.merge(how, 1L, Long::sum);
                  next(number, ended);
                })
            .whenComplete(
                (ok, failure) -> {
                  if (failure != null) {
                    ended.completeExceptionally(failure);
                  }
                });
  }

  @Override
  public void close() {
    over = true;
  }
}
