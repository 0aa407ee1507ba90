package dev.mcpbus.bench.cluster;

import java.util.List;

/**
 * How long to measure what.
 *
 * @param hop whether calls over the hop are measured
 * @param many whether many connections are
 * @param warmupMillis of each kind of call, at 64 callers
 * @param rounds in which all kinds take their turns
 * @param roundMillis of one kind at one number of callers
 * @param connections that are spread over three nodes
 * @param registrations that are made with nothing behind them
 * @param quietMillis that nothing may change before the nodes count as settled
 */
record ClusterPlan(
    boolean hop,
    boolean many,
    long warmupMillis,
    int rounds,
    long roundMillis,
    int connections,
    int registrations,
    long quietMillis) {

  static final List<Integer> CALLERS = List.of(1, 64);
  static final int JUDGED = 64;

  static final String USAGE =
      """
      Usage: src/scripts/bench cluster [--quick|--short] [--only hop|many] [--connections N]

        --quick        every row, but too short to mean anything: for a smoke test
        --short        about two minutes
        --only         hop: calls to another node; many: connections on three nodes
        --connections  so many in place of 1,000
      """;

  /**
   * @throws IllegalArgumentException where {@code args} are not as {@link #USAGE} says
   */
  static ClusterPlan of(List<String> args) {
    ClusterPlan plan =
        args.contains("--quick")
            ? new ClusterPlan(true, true, 100, 1, 100, 60, 400, 500)
            : args.contains("--short")
                ? new ClusterPlan(true, true, 4_000, 3, 1_000, 1_000, 8_000, 3_000)
                : new ClusterPlan(true, true, 10_000, 7, 2_000, 1_000, 8_000, 5_000);
    for (int i = 0; i < args.size(); i++) {
      switch (args.get(i)) {
        case "--quick", "--short" -> {}
        case "--only" -> plan = plan.only(value(args, ++i));
        case "--connections" -> plan = plan.connections(Integer.parseInt(value(args, ++i)));
        default -> throw new IllegalArgumentException("unknown option " + args.get(i));
      }
    }
    return plan;
  }

  private static String value(List<String> args, int index) {
    if (index >= args.size()) {
      throw new IllegalArgumentException(args.get(index - 1) + " needs a value");
    }
    return args.get(index);
  }

  private ClusterPlan only(String part) {
    if (!part.equals("hop") && !part.equals("many")) {
      throw new IllegalArgumentException("--only hop or many");
    }
    return new ClusterPlan(
        part.equals("hop"),
        part.equals("many"),
        warmupMillis,
        rounds,
        roundMillis,
        connections,
        registrations,
        quietMillis);
  }

  private ClusterPlan connections(int count) {
    return new ClusterPlan(
        hop, many, warmupMillis, rounds, roundMillis, count, registrations, quietMillis);
  }
}
