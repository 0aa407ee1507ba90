package dev.mcpbus.clusterscale;

import dev.mcpbus.testing.FreePorts;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.http.HttpClient;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** One run: all nodes start at once, idle, one is killed, and comes back. */
final class ScaleRun {

  /** What to do. */
  record Plan(int connections, int nodes, int settleSeconds, int idleSeconds, boolean startOnly) {}

  /** An epoch is the number of the claim times this, plus the number of the session. */
  private static final long SESSIONS = 1_000_000;

  private static final Duration AT_MOST = Duration.ofMinutes(10);
  private static final Duration CALL = Duration.ofSeconds(1);
  private static final long POLL_MILLIS = 1_000;
  private static final int CALLERS = 8;

  private final Plan plan;
  private final ScaleFigures figures;
  private final List<ScaledNode> nodes = new ArrayList<>();
  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  ScaleRun(Plan plan, Path folder, ScaledNode.Launch launch, String url, ScaleFigures figures)
      throws IOException {
    this.plan = plan;
    this.figures = figures;
    List<Integer> ports = FreePorts.list(2 * plan.nodes());
    JsonArray members = new JsonArray();
    ports.subList(0, plan.nodes()).forEach(port -> members.add("127.0.0.1:" + port));
    JsonObject servers = new JsonObject();
    for (int i = 0; i < plan.connections(); i++) {
      servers.put("c" + i, new JsonObject().put("type", "http").put("url", url));
    }
    for (int i = 0; i < plan.nodes(); i++) {
      ScaledNode node =
          new ScaledNode(
              folder.resolve("n" + (i + 1)), launch, ports.get(plan.nodes() + i), client);
      node.configure(
          new JsonObject()
              .put("mcpServers", servers)
              .put(
                  "cluster",
                  new JsonObject()
                      .put("name", "scale-" + folder.getFileName())
                      .put("node", node.name())
                      .put("host", "127.0.0.1")
                      .put("port", ports.get(i))
                      .put("members", members)
                      .put("quorum", plan.nodes() / 2 + 1)));
      nodes.add(node);
    }
  }

  void run() throws IOException, InterruptedException {
    Thread end = new Thread(this::endAll, "end");
    Runtime.getRuntime().addShutdownHook(end); // an interrupted run leaves no node behind
    try {
      start();
      if (plan.idleSeconds() > 0) {
        idle();
      }
      if (!plan.startOnly()) {
        ScaledNode last = nodes.get(nodes.size() - 1);
        lose(last);
        comeBack(last);
      }
    } finally {
      endAll();
      Runtime.getRuntime().removeShutdownHook(end);
    }
  }

  private void endAll() {
    for (ScaledNode node : nodes) {
      if (node.isAlive()) {
        node.process().destroyForcibly().onExit().join();
      }
    }
  }

  private static double seconds(long sinceNanos) {
    return (System.nanoTime() - sinceNanos) / 1e9;
  }

  private void start() throws IOException, InterruptedException {
    long from = System.nanoTime();
    for (ScaledNode node : nodes) {
      node.start();
    }
    awaitReady(nodes, from);
    figures.add("start: all READY", "s", 25, seconds(from));
    long cpu = nodes.stream().mapToLong(node -> node.cpu().toMillis()).sum();
    figures.add("start: CPU of all nodes together", "s", 50, cpu / 1e3);
    TimeUnit.SECONDS.sleep(3);
    figures.add("start: ended without need", "", 0, (double) restarted(epochs(), Map.of()));
  }

  /**
   * Waits until the nodes together have every connection READY. The metrics say that, at a price:
   * they have 11 KB for each connection. So they are read only where every connection has an owner.
   */
  private void awaitReady(List<ScaledNode> among, long from)
      throws IOException, InterruptedException {
    while (sum(owned()) != plan.connections() || ready(among) != plan.connections()) {
      if (System.nanoTime() - from > AT_MOST.toNanos()) {
        throw new IOException(
            "connections that nodes own: "
                + owned()
                + "; that are READY: "
                + ready(among)
                + "; the logs say why");
      }
      TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
    }
  }

  private static int ready(List<ScaledNode> among) throws InterruptedException {
    int ready = 0;
    for (ScaledNode node : among) {
      ready += node.inState("ready");
    }
    return ready;
  }

  /** How many connections each node owns, as the first node knows it. */
  private Map<String, Integer> owned() throws InterruptedException {
    Map<String, Integer> owned = new TreeMap<>();
    JsonObject known = nodes.get(0).get("/api/nodes");
    if (known != null) {
      known.getJsonArray("nodes").stream()
          .map(JsonObject.class::cast)
          .forEach(node -> owned.put(node.getString("name"), node.getInteger("connections", 0)));
    }
    return owned;
  }

  private static int sum(Map<String, Integer> owned) {
    return owned.values().stream().mapToInt(Integer::intValue).sum();
  }

  /** The epoch of each connection, as the first node names it. */
  private Map<String, Long> epochs() throws IOException, InterruptedException {
    JsonObject all = nodes.get(0).get("/api/servers");
    if (all == null) {
      throw new IOException("n1 does not list the servers");
    }
    Map<String, Long> epochs = new TreeMap<>();
    all.getJsonArray("servers")
        .forEach(
            one -> {
              JsonObject server = (JsonObject) one;
              epochs.put(server.getString("id"), ((Number) server.getValue("epoch")).longValue());
            });
    return epochs;
  }

  /** How many have begun anew since {@code before}, or were not begun once where it lacks them. */
  private static long restarted(Map<String, Long> now, Map<String, Long> before) {
    return now.entrySet().stream()
        .filter(one -> !one.getValue().equals(before.getOrDefault(one.getKey(), SESSIONS + 1)))
        .count();
  }

  private void idle() throws IOException, InterruptedException {
    TimeUnit.SECONDS.sleep(plan.settleSeconds());
    List<Duration> before = nodes.stream().map(ScaledNode::cpu).toList();
    long from = System.nanoTime();
    TimeUnit.SECONDS.sleep(plan.idleSeconds());
    double passed = seconds(from);
    double cpu = 0;
    double memory = 0;
    for (int i = 0; i < nodes.size(); i++) {
      Duration used = nodes.get(i).cpu().minus(before.get(i));
      cpu = Math.max(cpu, used.toMillis() / 10.0 / passed);
      memory = Math.max(memory, nodes.get(i).residentMegabytes());
    }
    figures.add("idle: CPU of the busiest node", "% core", 2, cpu);
    figures.add("idle: RSS of the largest node", "MB", 300, memory);
  }

  private void lose(ScaledNode lost) throws IOException, InterruptedException {
    Map<String, Long> before = epochs();
    List<String> orphans = ownedBy(lost);
    List<ScaledNode> rest = nodes.stream().filter(node -> node != lost).toList();
    System.out.printf("  kill -9 of %s with %d connections%n", lost.name(), orphans.size());
    long from = System.nanoTime();
    lost.kill();
    double first = firstAnswer(rest, orphans, from);
    awaitReady(rest, from);
    figures.add("kill: first answer of a lost connection", "s", 2, first);
    figures.add("kill: all READY", "s", 8, seconds(from));
    Map<String, Long> others = new TreeMap<>(before);
    orphans.forEach(others::remove);
    Map<String, Long> now = epochs();
    orphans.forEach(now::remove);
    figures.add("kill: ended elsewhere without need", "", 0, (double) restarted(now, others));
  }

  private List<String> ownedBy(ScaledNode node) throws IOException, InterruptedException {
    JsonObject all = nodes.get(0).get("/api/servers");
    List<String> owned = new ArrayList<>();
    if (all != null) {
      all.getJsonArray("servers").stream()
          .map(JsonObject.class::cast)
          .filter(server -> node.name().equals(server.getString("node")))
          .forEach(server -> owned.add(server.getString("id")));
    }
    if (owned.isEmpty()) {
      throw new IOException(node.name() + " owns nothing");
    }
    return owned;
  }

  /** When a few callers in turn first get a result of a connection that a lost node had. */
  private double firstAnswer(List<ScaledNode> via, List<String> servers, long from) {
    AtomicInteger next = new AtomicInteger();
    AtomicLong answered = new AtomicLong();
    List<CompletableFuture<Void>> callers = new ArrayList<>();
    for (int i = 0; i < CALLERS; i++) {
      callers.add(
          CompletableFuture.runAsync(
              () -> {
                while (answered.get() == 0 && System.nanoTime() - from < AT_MOST.toNanos()) {
                  int turn = next.getAndIncrement();
                  String server = servers.get(turn % servers.size());
                  if (via.get(turn % via.size()).call(server, CALL).join()) {
                    answered.compareAndSet(0, System.nanoTime());
                  }
                }
              }));
    }
    callers.forEach(CompletableFuture::join);
    return (answered.get() - from) / 1e9;
  }

  private void comeBack(ScaledNode node) throws IOException, InterruptedException {
    Map<String, Long> before = epochs();
    long from = System.nanoTime();
    node.start();
    int share = plan.connections() / plan.nodes() / 2;
    int here = 0;
    int stable = 0;
    double settled = 0;
    while (stable < 4) {
      if (seconds(from) > AT_MOST.toSeconds()) {
        throw new IOException(node.name() + " has " + here + " connections; the logs say why");
      }
      TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
      Map<String, Integer> owned = owned();
      int now = owned.getOrDefault(node.name(), 0);
      if (now == here
          && now > share
          && sum(owned) == plan.connections()
          && ready(nodes) == plan.connections()) {
        stable++;
      } else {
        stable = 0;
        settled = seconds(from);
      }
      here = now;
    }
    figures.add("rejoin: its share is READY there", "s", 20, settled);
    long moved = restarted(epochs(), before);
    figures.add("rejoin: moved beyond its share", "", 0, (double) Math.max(0, moved - here));
  }
}
