package dev.mcpbus.clusterfaults;

import dev.mcpbus.testing.FreePorts;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

/** Three nodes that share servers which write down what they execute. */
final class Cluster implements AutoCloseable {

  static final int NODES = 3;
  private static final int SERVERS = 3;
  private static final Duration SETTLED_AT_MOST = Duration.ofSeconds(90);

  private final Links links;
  private final Caller caller;
  private final String program;
  private final String log;
  private final List<Node> nodes = new ArrayList<>();
  private final List<Process> relays = new ArrayList<>();
  private final List<String> servers =
      IntStream.rangeClosed(1, SERVERS).mapToObj(i -> "ledger-" + i).toList();

  /**
   * @param skewSeconds by which the time of day of the first node is ahead, of the last behind
   */
  Cluster(Path folder, Path jar, Links links, Journal journal, Caller caller, long skewSeconds) {
    this.links = links;
    this.caller = caller;
    Path programs = folder.toAbsolutePath().getParent();
    this.log = journal.servers().toString();
    List<Integer> ports = links.canCut() ? List.of() : FreePorts.list(3 * NODES);
    for (int i = 1; i <= NODES; i++) {
      int at = 3 * (i - 1);
      Node.Ports own =
          links.canCut()
              ? new Node.Ports(8790, 5701, 5801)
              : new Node.Ports(ports.get(at), ports.get(at + 1), ports.get(at + 2));
      long skew = i == 1 ? skewSeconds : i == NODES ? -skewSeconds : 0;
      nodes.add(new Node(i, folder.resolve("n" + i).toAbsolutePath(), jar, links, own, skew));
      if (links.canCut()) {
        relays.add(relay(i, programs, own));
      }
    }
    List<String> members = nodes.stream().map(Node::member).toList();
    JsonObject entries = new JsonObject();
    this.program = programs.resolve("ledger_stdio").toString();
    servers.forEach(server -> entries.put(server, entry(server)));
    String name = "faults-" + ProcessHandle.current().pid() + "-" + System.nanoTime();
    nodes.forEach(node -> node.configure(name, members, entries));
  }

  /** A fixture of src/bench/c. */
  Path program(String name) {
    return Path.of(program).resolveSibling(name);
  }

  /** The configuration of a server that writes down what it executes. */
  JsonObject entry(String server) {
    return new JsonObject()
        .put("command", program)
        .put("args", new JsonArray().add(log).add(server));
  }

  private Process relay(int node, Path programs, Node.Ports ports) {
    try {
      return new ProcessBuilder(
              links.at(
                  node,
                  List.of(
                      programs.resolve("relay").toString(),
                      links.host(node),
                      Integer.toString(ports.http()),
                      log)))
          .inheritIO()
          .start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  void start() {
    nodes.forEach(Node::start);
    awaitSettled();
  }

  /** All anew, whatever became of them. */
  void restart() {
    healAll();
    close(nodes);
    start();
  }

  List<Node> nodes() {
    return nodes;
  }

  List<Node> others(Node than) {
    return nodes.stream().filter(node -> node != than).toList();
  }

  Node node(int index) {
    return nodes.get(index - 1);
  }

  List<String> servers() {
    return servers;
  }

  Links links() {
    return links;
  }

  void cutOff(Node node) {
    others(node).forEach(other -> links.cutBoth(node.index(), other.index()));
  }

  void healAll() {
    if (links.canCut()) {
      for (Node one : nodes) {
        others(one).forEach(other -> links.heal(one.index(), other.index()));
      }
    }
  }

  /** The node that a node believes to own a server; null where it names none. */
  Node owner(Node asked, String server) {
    String name = caller.get(asked, "/api/servers/" + server).getString("node");
    return nodes.stream().filter(node -> node.name().equals(name)).findFirst().orElse(null);
  }

  /**
   * Waits until every node answers for every server and all name the same owners.
   *
   * @return how long that took
   */
  Duration awaitSettled() {
    long from = System.nanoTime();
    String missing = missing();
    while (missing != null) {
      if (System.nanoTime() - from > SETTLED_AT_MOST.toNanos()) {
        throw new IllegalStateException(
            "the cluster does not settle within " + SETTLED_AT_MOST.toSeconds() + " s: " + missing);
      }
      Pause.millis(50);
      missing = missing();
    }
    return Duration.ofNanos(System.nanoTime() - from);
  }

  /**
   * Waits until all nodes are members for each other and all is settled. A node that was dropped
   * answers before it is a member again, because others pass its calls on; a fault at that moment
   * would be the second one at a time.
   */
  void awaitWhole() {
    long from = System.nanoTime();
    while (!nodes.stream().allMatch(node -> members(node) == nodes.size())) {
      if (System.nanoTime() - from > SETTLED_AT_MOST.toNanos()) {
        throw new IllegalStateException(
            "not all nodes are members within " + SETTLED_AT_MOST.toSeconds() + " s");
      }
      Pause.millis(50);
    }
    awaitSettled();
  }

  private int members(Node asked) {
    return (int)
        caller.get(asked, "/api/nodes").getJsonArray("nodes", new JsonArray()).stream()
            .filter(node -> !((JsonObject) node).getBoolean("starting", false))
            .count();
  }

  /** Waits until all is whole and no server has changed its owner for a while. */
  void awaitQuiet(Duration time) {
    List<Node> before = List.of();
    long since = System.nanoTime();
    while (System.nanoTime() - since < time.toNanos()) {
      awaitWhole();
      List<Node> now = servers.stream().map(server -> owner(node(1), server)).toList();
      if (!now.equals(before)) {
        before = now;
        since = System.nanoTime();
      }
      Pause.millis(200);
    }
  }

  private String missing() {
    List<CompletableFuture<Ending>> calls = new ArrayList<>();
    String missing = missing(calls);
    // Also of those that nothing depends on any more: none may end in the middle of what follows.
    List<Ending> endings = calls.stream().map(CompletableFuture::join).toList();
    return missing != null
        ? missing
        : endings.stream()
            .filter(ending -> !ending.isOk())
            .findFirst()
            .map(ending -> "a call ends with " + ending)
            .orElse(null);
  }

  private String missing(List<CompletableFuture<Ending>> calls) {
    for (String server : servers) {
      Set<String> owners = new HashSet<>();
      for (Node node : nodes) {
        JsonObject status = caller.get(node, "/api/servers/" + server);
        if (!"READY".equals(status.getString("state"))) {
          return node.name() + " says of " + server + ": " + status.encode();
        }
        owners.add(status.getString("node"));
        calls.add(caller.call(node, server, Duration.ofSeconds(2), Duration.ZERO));
      }
      if (owners.size() != 1) {
        return server + " is said to be owned by " + owners;
      }
    }
    return null;
  }

  /** Ends all that it has started. */
  @Override
  public void close() {
    close(nodes);
    relays.forEach(Process::destroyForcibly);
  }

  private static void close(List<Node> nodes) {
    for (Node node : nodes) {
      if (node.isAlive()) {
        if (node.isStopped()) {
          node.resume();
        }
        node.kill();
      }
    }
  }
}
