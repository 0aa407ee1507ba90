package dev.mcpbus.bench.cluster;

import dev.mcpbus.bench.EchoHttpServer;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.ReplicaId;
import dev.mcpbus.connection.ConnectionVerticle;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Many connections on three nodes: how they are spread, and what a join, a leave, a loss move. */
final class ManyBench {

  private static final long AT_MOST_NANOS = 300_000_000_000L;
  private static final long POLL_MILLIS = 50;

  private final ClusterPlan plan;
  private final Path directory;
  private final ClusterReport report;

  ManyBench(ClusterPlan plan, Path directory, ClusterReport report) {
    this.plan = plan;
    this.directory = directory;
    this.report = report;
  }

  void run() throws IOException, InterruptedException {
    ClusterReport.progress("start three nodes");
    try (EchoHttpServer http = new EchoHttpServer(directory.resolve("echo_http"));
        Nodes nodes = new Nodes(directory, servers(http.url()), 4)) {
      List<NodeProcess> living = new ArrayList<>();
      for (String name : List.of("n1", "n2", "n3")) {
        living.add(nodes.start(name));
      }
      registrations(living);
      spread(living);
      join(living, nodes);
      NodeProcess fourth = living.get(3);
      lose(living, fourth, "leave: SIGTERM of the fourth", fourth::leave);
      NodeProcess third = living.get(2);
      lose(living, third, "loss: kill -9 of the third", third::kill);
    }
  }

  private JsonObject servers(String url) {
    JsonObject servers = new JsonObject();
    for (int i = 0; i < plan.connections(); i++) {
      servers.put("echo-" + i, new JsonObject().put("type", "http").put("url", url));
    }
    return servers;
  }

  /** Of one node that has nothing else to do; what they weigh on every node. */
  private void registrations(List<NodeProcess> nodes) throws IOException {
    int count = plan.registrations();
    ClusterReport.progress("register " + count + " addresses");
    NodeProcess one = nodes.get(0);
    one.ask(command("register", count)); // to warm up
    one.ask("unregister");
    List<Long> before = heaps(nodes);
    JsonObject made = one.ask(command("register", count));
    List<Long> after = heaps(nodes);
    JsonObject ended = one.ask("unregister");
    report.registrations(count, made, ended, growth(before, after, count));
  }

  private static JsonObject command(String what, int count) {
    return new JsonObject().put("do", what).put("count", count);
  }

  private static List<Long> heaps(List<NodeProcess> nodes) throws IOException {
    List<Long> heaps = new ArrayList<>();
    for (NodeProcess node : nodes) {
      heaps.add(node.ask("memory").getLong("heap"));
    }
    return heaps;
  }

  private static List<Double> growth(List<Long> before, List<Long> after, int count) {
    List<Double> each = new ArrayList<>();
    for (int i = 0; i < before.size(); i++) {
      each.add((after.get(i) - before.get(i)) / (double) count);
    }
    return each;
  }

  private void spread(List<NodeProcess> nodes) throws IOException, InterruptedException {
    ClusterReport.progress("spread " + plan.connections() + " connections");
    NodeProcess observer = nodes.get(0);
    observer.ask("watch");
    List<Long> before = heaps(nodes);
    int without = observer.ask("registered").getInteger("all");
    Change change = new Change("spread: three nodes start", nodes, plan.connections());
    for (NodeProcess node : nodes) {
      node.tell(new JsonObject().put("do", "serve"));
    }
    for (NodeProcess node : nodes) {
      node.answer();
    }
    change.settled(nodes);
    report.change(change.row());
    int with = observer.ask("registered").getInteger("all");
    report.connections(
        plan.connections(),
        (with - without) / (double) plan.connections(),
        ConnectionVerticle.addresses(new ReplicaId(new ConnectionId("echo-0"), 0)).size(),
        growth(before, heaps(nodes), plan.connections()));
    report.routine(observer.ask("routine"));
  }

  private void join(List<NodeProcess> living, Nodes nodes)
      throws IOException, InterruptedException {
    ClusterReport.progress("start a fourth node");
    NodeProcess fourth = nodes.start("n4");
    Change change = new Change("join: a fourth node", living, plan.connections());
    fourth.ask("serve");
    living.add(fourth);
    change.settled(living);
    report.change(change.row());
  }

  private void lose(List<NodeProcess> living, NodeProcess node, String what, Runnable end)
      throws IOException, InterruptedException {
    ClusterReport.progress(what);
    living.remove(node);
    Change change = new Change(what, living, plan.connections());
    end.run();
    change.settled(living);
    if (!node.awaitEnd(30)) {
      throw new IOException(node.name() + " has not ended");
    }
    report.change(change.row());
  }

  /** One change of the members, from the moment it is made. */
  private final class Change {
    private final String what;
    private final NodeProcess observer;
    private final int servers;
    private final JsonObject before;
    private final long from;
    private long at;
    private long left;
    private List<NodeProcess> nodes = List.of();
    private JsonObject owners = new JsonObject();
    private int moved;
    private int astray;

    Change(String what, List<NodeProcess> watched, int servers) throws IOException {
      this.what = what;
      this.observer = watched.get(0);
      this.servers = servers;
      this.before = observer.ask("claims");
      for (NodeProcess node : watched) {
        node.ask("strain");
      }
      this.from = System.nanoTime();
    }

    /** Waits until exactly {@code expected} own everything, READY, and nothing changes any more. */
    void settled(List<NodeProcess> expected) throws IOException, InterruptedException {
      nodes = List.copyOf(expected);
      Set<String> ids = expected.stream().map(NodeProcess::id).collect(Collectors.toSet());
      long since = 0;
      while (since == 0 || System.nanoTime() - since < plan.quietMillis() * 1_000_000) {
        JsonObject state = observer.ask("settled");
        boolean complete =
            state.getInteger("ready") == servers
                && state.getJsonObject("owners").fieldNames().equals(ids);
        if (!complete || !state.getJsonObject("owners").equals(owners)) {
          owners = state.getJsonObject("owners");
          at = System.nanoTime();
        }
        since = complete ? at : 0;
        left = state.getLong("leftNanos");
        if (System.nanoTime() - from > AT_MOST_NANOS) {
          throw new IOException(what + " does not settle: " + state.encode());
        }
        Thread.sleep(POLL_MILLIS);
      }
      count(observer.ask("claims"), ids);
    }

    /** What moved, and what moved from one node to another though both were there all the time. */
    private void count(JsonObject after, Set<String> ids) {
      Set<String> olds = new HashSet<>();
      before.forEach(one -> olds.add((String) one.getValue()));
      for (String id : after.fieldNames()) {
        String old = before.getString(id);
        String now = after.getString(id);
        if (old != null && !old.equals(now)) {
          moved++;
          if (ids.contains(old) && olds.contains(now)) {
            astray++;
          }
        }
      }
    }

    ClusterReport.Change row() throws IOException {
      long cpu = 0;
      long loop = 0;
      for (NodeProcess node : nodes) {
        JsonObject strain = node.ask("strain");
        cpu += strain.getLong("cpuMillis");
        loop = Math.max(loop, strain.getLong("loopMillis"));
      }
      TreeMap<String, Integer> share = new TreeMap<>();
      nodes.forEach(node -> share.put(node.name(), owners.getInteger(node.id(), 0)));
      long told = left > from ? (left - from) / 1_000_000 : -1;
      return new ClusterReport.Change(
          what, (at - from) / 1_000_000, told, moved, astray, servers, share, cpu, loop);
    }
  }
}
