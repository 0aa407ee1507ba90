package dev.mcpbus.clusterfaults;

import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Servers come and go while nodes serve: a file is rolled out node after node, a caller adds and
 * removes servers, and all nodes are killed and started. Files that differ make no node unready;
 * after the answer to a removal no node calls the server; what callers changed is as it was after
 * the restart of all.
 */
final class ChangeFaults implements AutoCloseable {

  private static final String ROLLED = "ledger-rolled";
  private static final String ADDED = "ledger-added";
  private static final Duration BUDGET = Duration.ofSeconds(2);
  private static final Duration AT_MOST = Duration.ofSeconds(60);
  private static final long LOOK_MILLIS = 100;

  private final Bed bed;
  private final Cluster cluster;
  private final ScheduledExecutorService clock = Executors.newScheduledThreadPool(2);
  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final AtomicInteger unready = new AtomicInteger();

  ChangeFaults(Bed bed) {
    this.bed = bed;
    this.cluster = bed.cluster();
  }

  private record Answered(boolean ok, long began) {}

  /** True where nothing was lost and nothing came back. */
  boolean run(int number) {
    cluster.awaitSettled();
    awaitEach(node -> status(node, "/health/ready") == 200, "is ready");
    bed.begin();
    boolean held = rollOut(number);
    held &= remove();
    held &= restartAll();
    cluster.nodes().forEach(node -> node.configure(ROLLED, null));
    cluster.awaitSettled();
    bed.check("change " + number);
    return held;
  }

  private boolean rollOut(int number) {
    unready.set(0);
    var looks = clock.scheduleWithFixedDelay(this::look, 0, LOOK_MILLIS, TimeUnit.MILLISECONDS);
    for (Node node : cluster.nodes()) {
      bed.fault("the file of " + node.name() + " names " + ROLLED);
      node.configure(ROLLED, cluster.entry(ROLLED + number));
      long from = System.nanoTime();
      awaitEach(each -> isReady(each, ROLLED), "serves " + ROLLED);
      bed.figures().add("file of one node: known on all", Duration.ofSeconds(5), since(from));
      Pause.millis(1_500);
    }
    looks.cancel(false);
    System.out.printf("  rollout: %d looks found a node that was not ready%n", unready.get());
    return unready.get() == 0;
  }

  private void look() {
    for (Node node : cluster.nodes()) {
      if (status(node, "/health/ready") != 200) {
        unready.incrementAndGet();
      }
    }
  }

  private boolean remove() {
    List<CompletableFuture<Answered>> calls = new CopyOnWriteArrayList<>();
    ScheduledFuture<?> load =
        clock.scheduleAtFixedRate(
            () -> cluster.nodes().forEach(via -> calls.add(call(via))),
            0,
            10,
            TimeUnit.MILLISECONDS);
    Pause.millis(500);
    bed.fault(ROLLED + " is removed");
    long from = System.nanoTime();
    int code = change(cluster.node(2), "DELETE", "/api/servers/" + ROLLED, null);
    long answered = System.nanoTime();
    Pause.millis(1_000);
    load.cancel(false);
    List<Answered> all = calls.stream().map(CompletableFuture::join).toList();
    long late = all.stream().filter(one -> one.ok() && one.began() > answered).count();
    long before = all.stream().filter(one -> one.ok() && one.began() <= answered).count();
    bed.figures().add("DELETE: answer", Duration.ofSeconds(3), Duration.ofNanos(answered - from));
    System.out.printf(
        "  removal: status %d, %d calls succeeded before its answer, %d that began after it%n",
        code, before, late);
    return code == 200 && before > 0 && late == 0;
  }

  private CompletableFuture<Answered> call(Node via) {
    long began = System.nanoTime();
    return bed.caller()
        .call(via, ROLLED, BUDGET, Duration.ZERO)
        .thenApply(ending -> new Answered(ending.isOk(), began));
  }

  private boolean restartAll() {
    JsonObject body = new JsonObject().put("name", ADDED).put("config", cluster.entry(ADDED));
    int code = change(cluster.node(1), "POST", "/api/servers", body);
    awaitEach(each -> isReady(each, ADDED), "serves " + ADDED);
    bed.fault("kill -9 of all");
    cluster.nodes().forEach(Node::kill);
    cluster.nodes().forEach(Node::start);
    cluster.awaitSettled();
    awaitEach(each -> isReady(each, ADDED), "serves " + ADDED + " again");
    List<String> back = new ArrayList<>();
    for (Node node : cluster.nodes()) {
      if (status(node, "/api/servers/" + ROLLED) != 404) {
        back.add(node.name());
      }
    }
    int removed = change(cluster.node(3), "DELETE", "/api/servers/" + ADDED, null);
    System.out.printf(
        "  after a restart of all: added (status %d) is there, removed is back at %s%n",
        code, back);
    return code / 100 == 2 && removed == 200 && back.isEmpty();
  }

  private boolean isReady(Node node, String server) {
    return "READY".equals(bed.caller().get(node, "/api/servers/" + server).getString("state"));
  }

  private interface Condition {
    boolean holds(Node node);
  }

  private void awaitEach(Condition condition, String what) {
    long from = System.nanoTime();
    for (Node node : cluster.nodes()) {
      while (!condition.holds(node)) {
        if (since(from).compareTo(AT_MOST) > 0) {
          throw new IllegalStateException(
              "not " + AT_MOST.toSeconds() + " s later: " + node.name() + " " + what);
        }
        Pause.millis(50);
      }
    }
  }

  private static Duration since(long from) {
    return Duration.ofNanos(System.nanoTime() - from);
  }

  private int status(Node node, String path) {
    return send(Caller.to(node, path).GET());
  }

  private int change(Node node, String method, String path, JsonObject body) {
    return send(
        Caller.to(node, path)
            .header("Authorization", "Bearer " + node.adminToken())
            .header("Content-Type", "application/json")
            .method(
                method,
                body == null
                    ? HttpRequest.BodyPublishers.noBody()
                    : HttpRequest.BodyPublishers.ofString(body.encode())));
  }

  /** The status; 0 where there is no answer. */
  private int send(HttpRequest.Builder request) {
    try {
      return client
          .send(
              request.timeout(Duration.ofSeconds(20)).build(),
              HttpResponse.BodyHandlers.discarding())
          .statusCode();
    } catch (IOException none) {
      return 0;
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() {
    clock.shutdownNow();
  }
}
