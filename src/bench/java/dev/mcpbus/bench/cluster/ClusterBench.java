package dev.mcpbus.bench.cluster;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** The cost of a cluster, with nodes that are processes on the loopback interface. */
final class ClusterBench {

  private ClusterBench() {}

  /** First argument: the directory of the fixtures, which gets {@code cluster.jsonl} too. */
  public static void main(String[] args) throws IOException, InterruptedException {
    ClusterPlan plan;
    try {
      plan = ClusterPlan.of(List.of(args).subList(1, args.length));
    } catch (IllegalArgumentException e) {
      System.err.println(e.getMessage() + "\n" + ClusterPlan.USAGE);
      System.exit(2);
      return;
    }
    Path directory = Path.of(args[0]);
    ClusterReport report = new ClusterReport(plan);
    if (plan.hop()) {
      new HopBench(plan, directory, report).run();
    }
    if (plan.many()) {
      new ManyBench(plan, directory, report).run();
    }
    report.print(directory);
  }
}
