package dev.mcpbus.bench.cluster;

import dev.mcpbus.bench.Target;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;

/** What was measured, what it says, and whether that is enough. */
final class ClusterReport {

  /**
   * What followed a change of the members.
   *
   * @param millis until all was settled
   * @param toldMillis until callers on the first node were told that a node was lost, -1 for none
   * @param moved connections with another owner than before
   * @param astray those of them that moved between nodes which were there all the time
   * @param cpuMillis of all nodes that are left
   * @param loopMillis the longest time that an event loop of them was kept busy
   */
  record Change(
      String what,
      long millis,
      long toldMillis,
      int moved,
      int astray,
      int servers,
      SortedMap<String, Integer> owners,
      long cpuMillis,
      long loopMillis) {}

  private record Key(Hop hop, int callers) {}

  private final ClusterPlan plan;
  private final Map<Key, List<JsonObject>> hops = new HashMap<>();
  private final List<String> sentences = new ArrayList<>();
  private final List<JsonObject> lines = new ArrayList<>();
  private final List<Target> targets = new ArrayList<>();
  private final PrintStream out = System.out;

  ClusterReport(ClusterPlan plan) {
    this.plan = plan;
  }

  static void progress(String what) {
    System.err.println("bench: " + what);
  }

  void hop(Hop hop, int callers, JsonObject round) {
    hops.computeIfAbsent(new Key(hop, callers), key -> new ArrayList<>()).add(round);
  }

  void registrations(int count, JsonObject made, JsonObject ended, List<Double> bytes) {
    say(
        "registering an address: %.0f us one after the other, %.0f us in bulk, %.0f us to"
            + " unregister; heap on the node that registers %.0f bytes, on the others %.0f and"
            + " %.0f",
        made.getDouble("aloneMicros"),
        made.getDouble("bulkMicros"),
        ended.getDouble("bulkMicros"),
        bytes.get(0),
        bytes.get(1),
        bytes.get(2));
    lines.add(
        new JsonObject()
            .put("row", "registrations")
            .put("count", count)
            .mergeIn(made)
            .put("unregisterMicros", ended.getDouble("bulkMicros"))
            .put("heapBytes", bytes));
  }

  void connections(int count, double registered, int addresses, List<Double> bytes) {
    double sum = bytes.stream().mapToDouble(one -> one).sum();
    say(
        "%,d connections: %d addresses each, %.1f registrations in the cluster's table; heap of all"
            + " nodes %.0f KiB each",
        count, addresses, registered, sum / 1024);
    lines.add(
        new JsonObject()
            .put("row", "connections")
            .put("count", count)
            .put("addresses", addresses)
            .put("registrations", registered)
            .put("heapBytes", sum));
  }

  void routine(JsonObject micros) {
    say(
        "for each connection, us: %.1f to read its claim, %.2f to score it for one node, %.0f to"
            + " ask for its state",
        micros.getDouble("claimsMicros"),
        micros.getDouble("scoreMicros"),
        micros.getDouble("listMicros"));
    lines.add(new JsonObject().put("row", "routine").mergeIn(micros));
  }

  void change(Change change) {
    say(
        "%-32s %7.2f s, %d of %d moved (%.1f %%), %d of them without need; CPU %.1f s, longest"
            + " pause of an event loop %d ms%s; owners %s",
        change.what(),
        change.millis() / 1e3,
        change.moved(),
        change.servers(),
        100.0 * change.moved() / change.servers(),
        change.astray(),
        change.cpuMillis() / 1e3,
        change.loopMillis(),
        change.toldMillis() < 0 ? "" : ", callers are told after " + change.toldMillis() + " ms",
        change.owners());
    lines.add(
        new JsonObject()
            .put("row", "change")
            .put("what", change.what())
            .put("millis", change.millis())
            .put("toldMillis", change.toldMillis())
            .put("moved", change.moved())
            .put("astray", change.astray())
            .put("of", change.servers())
            .put("cpuMillis", change.cpuMillis())
            .put("loopMillis", change.loopMillis()));
    targets.add(new Target(change.what() + ": moved without need", change.astray(), false, 0, ""));
    if (change.what().startsWith("join")) {
      // A share of 1/n is a mean: what a hash gives lies three standard deviations around it.
      double share = 1.0 / change.owners().size();
      double spread = 3 * Math.sqrt(share * (1 - share) / change.servers());
      double part = (double) change.moved() / change.servers();
      targets.add(new Target(change.what() + ": part that moved", part, false, share + spread, ""));
    }
    if (change.toldMillis() >= 0 && change.what().startsWith("loss")) {
      double told = change.toldMillis() / 1e3;
      targets.add(new Target(change.what() + ": callers are told", told, false, 1.5, " s"));
    }
  }

  private void say(String format, Object... values) {
    String sentence = String.format(Locale.ROOT, format, values);
    progress(sentence);
    sentences.add(sentence);
  }

  void print(Path directory) throws IOException {
    out.printf(
        "%nOn %d cores, JVM %s.%n",
        Runtime.getRuntime().availableProcessors(), System.getProperty("java.version"));
    if (plan.hop()) {
      printHops();
      judgeHops();
    }
    out.println();
    sentences.forEach(out::println);
    out.println();
    for (Target target : targets) {
      out.println(target);
      lines.add(target.toJson());
    }
    Path file = directory.resolve("cluster.jsonl");
    Files.write(file, lines.stream().map(JsonObject::encode).toList(), StandardCharsets.UTF_8);
    out.printf("%nAs JSON lines: %s%n", file);
  }

  private void printHops() {
    out.printf("Medians of %d rounds of %d ms.%n%n", plan.rounds(), plan.roundMillis());
    out.printf(
        "%-40s %7s %10s %9s %9s %9s %9s %8s%n",
        "", "callers", "calls/s", "CPU us", "CPU there", "p50 us", "p99 us", "of bare");
    for (int callers : ClusterPlan.CALLERS) {
      for (Hop hop : Hop.values()) {
        double ratio = of(hop, callers, "perSecond") / of(Hop.BARE, callers, "perSecond");
        double failures =
            rounds(hop, callers).stream().mapToLong(one -> one.getLong("failures")).sum();
        out.printf(
            Locale.ROOT,
            "%-40s %7d %,10.0f %9.1f %9.1f %9.0f %9.0f %7.2fx%s%n",
            hop.label,
            callers,
            of(hop, callers, "perSecond"),
            of(hop, callers, "cpuMicros"),
            hop.isFar() ? of(hop, callers, "otherCpuMicros") : 0,
            of(hop, callers, "p50Micros"),
            of(hop, callers, "p99Micros"),
            ratio,
            failures == 0 ? "" : "   " + (long) failures + " FAILED");
        JsonObject line = new JsonObject().put("row", "hop").put("kind", hop.name());
        line.put("callers", callers).put("ofBare", ratio);
        for (String name :
            List.of("perSecond", "cpuMicros", "otherCpuMicros", "p50Micros", "p99Micros")) {
          line.put(name, of(hop, callers, name));
        }
        lines.add(line.put("failures", failures));
      }
    }
  }

  private void judgeHops() {
    for (Hop hop : List.of(Hop.FAR_BUS, Hop.FAR_FACADE)) {
      double ratio =
          of(hop, ClusterPlan.JUDGED, "perSecond") / of(Hop.BARE, ClusterPlan.JUDGED, "perSecond");
      targets.add(0, new Target("64: " + hop.label + ", of bare", ratio, true, 0.7, "x"));
      Hop near = hop == Hop.FAR_BUS ? Hop.OWNER_BUS : Hop.OWNER_FACADE;
      double sum = of(Hop.BARE, 1, "p50Micros") + of(near, 1, "p50Micros");
      double alone = of(hop, 1, "p50Micros") / sum;
      // One caller waits for the hop and for the server, one after the other.
      targets.add(
          new Target("1: p50, " + hop.label + ", of bare and owner", alone, false, 1 / 0.7, "x"));
    }
  }

  private List<JsonObject> rounds(Hop hop, int callers) {
    return Objects.requireNonNull(hops.get(new Key(hop, callers)));
  }

  private double of(Hop hop, int callers, String name) {
    double[] values =
        rounds(hop, callers).stream()
            .mapToDouble(round -> round.getDouble(name))
            .sorted()
            .toArray();
    int middle = values.length / 2;
    return values.length % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
  }
}
