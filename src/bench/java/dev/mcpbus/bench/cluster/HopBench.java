package dev.mcpbus.bench.cluster;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * A call from one node to a connection of another, beside the same call on the owner and beside a
 * bare request between two processes of Vert.x. All take their turns in each round.
 */
final class HopBench {

  private final ClusterPlan plan;
  private final Path directory;
  private final ClusterReport report;

  HopBench(ClusterPlan plan, Path directory, ClusterReport report) {
    this.plan = plan;
    this.directory = directory;
    this.report = report;
  }

  void run() throws IOException, InterruptedException {
    String program = directory.resolve("echo_stdio").toAbsolutePath().toString();
    JsonObject servers =
        new JsonObject().put(Hop.NEAR, server(program, "a")).put(Hop.FAR, server(program, "b"));
    ClusterReport.progress("start two bare nodes and two of mcpbus");
    try (Nodes bare = new Nodes(directory, new JsonObject(), 2);
        Nodes ours = new Nodes(directory, servers, 2)) {
      NodeProcess bareCaller = bare.start("a");
      NodeProcess bareOwner = bare.start("b");
      bareOwner.ask("echo");
      NodeProcess caller = ours.start("a");
      NodeProcess owner = ours.start("b");
      caller.ask("watch");
      caller.ask("serve");
      owner.ask("serve");
      awaitReady(caller);
      for (Hop hop : Hop.values()) {
        ClusterReport.progress("warm up: " + hop.label);
        closed(hop.ours ? caller : bareCaller, hop, ClusterPlan.JUDGED, plan.warmupMillis());
      }
      List<Hop> order = new ArrayList<>(List.of(Hop.values()));
      for (int round = 0; round < plan.rounds(); round++) {
        for (int callers : ClusterPlan.CALLERS) {
          ClusterReport.progress(
              "round " + (round + 1) + " of " + plan.rounds() + ", " + callers + " callers");
          for (Hop hop : order) {
            NodeProcess other = hop.ours ? owner : bareOwner;
            other.ask("strain");
            JsonObject row =
                closed(hop.ours ? caller : bareCaller, hop, callers, plan.roundMillis());
            double spent = other.ask("strain").getLong("cpuMillis") * 1e3;
            report.hop(
                hop, callers, row.put("otherCpuMicros", spent / Math.max(1, row.getLong("calls"))));
          }
          Collections.rotate(order, 1);
        }
      }
    }
  }

  private static JsonObject server(String program, String label) {
    return new JsonObject().put("command", program).put("labels", new JsonArray().add(label));
  }

  private static void awaitReady(NodeProcess node) throws IOException, InterruptedException {
    long until = System.nanoTime() + 60_000_000_000L;
    JsonObject state = node.ask("settled");
    while (state.getInteger("ready") < state.getInteger("of")) {
      if (System.nanoTime() > until) {
        throw new IOException("no connections: " + state.encode());
      }
      Thread.sleep(50);
      state = node.ask("settled");
    }
  }

  private static JsonObject closed(NodeProcess node, Hop hop, int callers, long millis)
      throws IOException {
    return node.ask(
        new JsonObject()
            .put("do", "closed")
            .put("hop", hop.name())
            .put("callers", callers)
            .put("millis", millis));
  }
}
