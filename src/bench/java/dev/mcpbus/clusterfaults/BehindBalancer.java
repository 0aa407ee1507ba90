package dev.mcpbus.clusterfaults;

import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
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
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Rolling restarts behind a balancer that does not know of them: it gives calls to the nodes in
 * turn, asks each for {@code /health/ready} once a second, leaves out those that do not answer 200,
 * and repeats nothing. Its connections to the nodes are kept alive. Calls are of a read-only tool,
 * so that the nodes may repeat them.
 */
final class BehindBalancer implements AutoCloseable {

  private static final int PER_SECOND = 100;
  private static final Duration LOOK = Duration.ofSeconds(1);
  private static final Duration BUDGET = Duration.ofSeconds(10);
  private static final double WANTED = 0.999;

  private record Outcome(boolean succeeded, boolean repeated, long nanos) {}

  private final Bed bed;
  private final Cluster cluster;
  private final Random random;
  private final ScheduledExecutorService clock = Executors.newScheduledThreadPool(3);
  private final HttpClient client =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .connectTimeout(Duration.ofSeconds(2))
          .build();
  private final AtomicInteger turn = new AtomicInteger();
  private volatile List<Node> ready = List.of();
  private final Map<String, Integer> failures = new ConcurrentHashMap<>();

  BehindBalancer(Bed bed, long seed) {
    this.bed = bed;
    this.cluster = bed.cluster();
    this.random = new Random(seed);
  }

  /** True where as many calls of each round succeed as are wanted. */
  boolean run(int rounds, String drain) {
    restartAll(drain);
    System.out.printf(
        "behind a balancer that looks every %d ms, --drain %s, %d calls/s%n",
        LOOK.toMillis(), drain, PER_SECOND);
    var looks = clock.scheduleWithFixedDelay(this::look, 0, LOOK.toMillis(), TimeUnit.MILLISECONDS);
    boolean held = true;
    for (int i = 1; i <= rounds; i++) {
      held &= round(i);
    }
    looks.cancel(false);
    restartAll("0");
    return held;
  }

  private void restartAll(String drain) {
    cluster.nodes().forEach(node -> node.drain(drain));
    cluster.restart();
  }

  private boolean round(int number) {
    cluster.awaitSettled();
    awaitAllReady();
    List<CompletableFuture<Outcome>> all = new CopyOnWriteArrayList<>();
    failures.clear();
    var load =
        clock.scheduleAtFixedRate(
            () -> all.add(call()), 0, 1_000_000_000L / PER_SECOND, TimeUnit.NANOSECONDS);
    Pause.millis(2_000);
    for (Node node : cluster.nodes()) {
      bed.fault("end of " + node.name());
      node.end();
      node.start();
      cluster.awaitSettled();
      awaitAllReady();
    }
    Pause.millis(2_000);
    load.cancel(false);
    List<Outcome> outcomes = all.stream().map(CompletableFuture::join).toList();
    long[] times =
        outcomes.stream().filter(Outcome::succeeded).mapToLong(Outcome::nanos).sorted().toArray();
    double share = (double) times.length / outcomes.size();
    System.out.printf(
        Locale.ROOT,
        "balanced %d: %d calls, %.3f %% succeeded (wanted %.1f %%), median %.1f ms, worst %.0f ms;"
            + " %d were repeated by a node; failures %s%n",
        number,
        outcomes.size(),
        100 * share,
        100 * WANTED,
        times.length == 0 ? 0 : times[times.length / 2] / 1e6,
        times.length == 0 ? 0 : times[times.length - 1] / 1e6,
        outcomes.stream().filter(Outcome::repeated).count(),
        new TreeMap<>(failures));
    return share >= WANTED;
  }

  private void awaitAllReady() {
    while (ready.size() < Cluster.NODES) {
      Pause.millis(100);
    }
  }

  private void look() {
    ready = cluster.nodes().stream().filter(this::isReady).toList();
  }

  private boolean isReady(Node node) {
    try {
      return client
              .send(
                  Caller.to(node, "/health/ready").timeout(LOOK).GET().build(),
                  HttpResponse.BodyHandlers.discarding())
              .statusCode()
          == 200;
    } catch (IOException down) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private CompletableFuture<Outcome> call() {
    List<Node> nodes = ready;
    if (nodes.isEmpty()) {
      failures.merge("no node is ready", 1, Integer::sum);
      return CompletableFuture.completedFuture(new Outcome(false, false, 0));
    }
    Node node = nodes.get(Math.floorMod(turn.getAndIncrement(), nodes.size()));
    String server = cluster.servers().get(random.nextInt(cluster.servers().size()));
    HttpRequest request =
        Caller.to(node, "/api/servers/" + server + "/tools/look?timeout=" + BUDGET.toMillis())
            .header("Content-Type", "application/json")
            .timeout(BUDGET.plusSeconds(1))
            .POST(
                HttpRequest.BodyPublishers.ofString(
                    new JsonObject().put("call", "b").put("delay", 5).encode()))
            .build();
    long from = System.nanoTime();
    return client
        .sendAsync(request, HttpResponse.BodyHandlers.ofString())
        .handle(
            (answer, failure) -> {
              boolean ok = answer != null && answer.statusCode() == 200;
              if (!ok) {
                failures.merge(reason(answer, failure), 1, Integer::sum);
              }
              return new Outcome(
                  ok,
                  answer != null && answer.headers().firstValue("Mcpbus-Repeated").isPresent(),
                  System.nanoTime() - from);
            });
  }

  private static String reason(HttpResponse<String> answer, Throwable failure) {
    if (answer == null) {
      Throwable cause = failure.getCause() == null ? failure : failure.getCause();
      return cause.getClass().getSimpleName();
    }
    try {
      JsonObject problem = new JsonObject(answer.body());
      String said = problem.getString("detail", "");
      return problem.getString("code")
          + " sent:"
          + problem.getString("sent")
          + " ("
          + said.substring(0, Math.min(said.length(), 60))
          + ")";
    } catch (DecodeException other) {
      return "HTTP " + answer.statusCode();
    }
  }

  @Override
  public void close() {
    clock.shutdownNow();
  }
}
