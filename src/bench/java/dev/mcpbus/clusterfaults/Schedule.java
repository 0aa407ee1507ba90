package dev.mcpbus.clusterfaults;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;

/**
 * Calls and faults, all by chance of one seed: the same seed gives the same schedule, though not
 * the same interleaving. Times are milliseconds from its begin.
 */
record Schedule(long seed, List<Call> calls, List<Fault> faults) {

  enum Kind {
    KILL,
    END,
    STOP,
    CUT_OFF,
    CUT_LINK
  }

  private static final List<Kind> WITHOUT_LINKS = List.of(Kind.KILL, Kind.END, Kind.STOP);

  record Call(long at, int via, int server, long budget, long delay) {}

  /**
   * @param node which is struck, counted from 1
   * @param other the other end of a link
   * @param millis until it is relieved
   */
  record Fault(long at, Kind kind, int node, int other, long millis) {

    @Override
    public String toString() {
      String who = kind == Kind.CUT_LINK ? node + "-" + other : Integer.toString(node);
      return kind + " " + who + " at " + at + " for " + millis;
    }
  }

  private static final int WINDOW_MILLIS = 10_000;

  static Schedule of(long seed, int calls, boolean canCut) {
    Random random = new Random(seed * 0x9e3779b97f4a7c15L);
    List<Fault> faults = new ArrayList<>();
    int count = 1 + random.nextInt(3);
    for (int i = 0; i < count; i++) {
      faults.add(fault(random, canCut));
    }
    List<Call> all = new ArrayList<>();
    for (int i = 0; i < calls; i++) {
      all.add(
          new Call(
              random.nextInt(WINDOW_MILLIS),
              1 + random.nextInt(Cluster.NODES),
              random.nextInt(3),
              300 + random.nextInt(4_000),
              random.nextInt(3) == 0 ? random.nextInt(1_500) : 0));
    }
    faults.sort(Comparator.comparingLong(Fault::at));
    all.sort(Comparator.comparingLong(Call::at));
    return new Schedule(seed, List.copyOf(all), List.copyOf(faults));
  }

  private static Fault fault(Random random, boolean canCut) {
    List<Kind> kinds = canCut ? List.of(Kind.values()) : WITHOUT_LINKS;
    Kind kind = kinds.get(random.nextInt(kinds.size()));
    int node = 1 + random.nextInt(Cluster.NODES);
    int other = 1 + (node + random.nextInt(Cluster.NODES - 1)) % Cluster.NODES;
    // Short ones pass unnoticed, long ones cost the node its membership.
    long millis =
        random.nextBoolean() ? 200 + random.nextInt(4_000) : 8_000 + random.nextInt(9_000);
    return new Fault(random.nextInt(WINDOW_MILLIS * 2 / 3), kind, node, other, millis);
  }
}
