package dev.mcpbus.cluster.membership;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Every way of a few events in a cluster of three or four nodes, with the real {@link Electorate}
 * and the real {@link QuorumLease} on each. An event is a crash, an orderly end, a start with the
 * disk or with an empty one, a cut of one node or into pairs, or the end of all cuts; after it so
 * little time passes that nothing is noticed, or so much that a node is added, or all that there
 * is. Checked at each second: nobody takes over from a node that may act, and no two act apart.
 * Checked at the end of each way: when the nodes are back, all may act.
 *
 * <p>Time goes in whole seconds and messages arrive at once; {@link ElectorateTest} has slow ones.
 */
@Tag("release")
class ElectorateModelTest {

  private static final long SILENCE = 7_000;
  private static final long TICK = 2_000;

  /** In ticks, as all times here. */
  private static final int LOST_AFTER = 5;

  /** After so long without each other, two nodes that act would both own what nobody owned. */
  private static final int APART = 10;

  private static final int MACHINES = 4;

  /** Longer than every time in the rules: then nothing of the past counts but what is on disks. */
  private static final int STEADY = 22;

  /** Nothing is noticed; a node that has started is being added; all times are over. */
  private static final int[] PAUSES = {1, 6, STEADY};

  private enum Kind {
    CRASH,
    LEAVE,
    START,
    START_EMPTY,
    CUT_ONE,
    CUT_PAIRS,
    HEAL
  }

  private record Event(Kind kind, int machine, int pause) {}

  /** A cluster at one time. */
  private static final class World {
    private final @Nullable Life[] running = new @Nullable Life[MACHINES];
    private final @Nullable Ballot[] disks = new @Nullable Ballot[MACHINES];
    private final int[] lives = new int[MACHINES];
    private final int[] tokens = new int[MACHINES];
    private final boolean[][] cut = new boolean[MACHINES][MACHINES];
    private final Map<String, Integer> machineOf = new HashMap<>();
    private final Set<String> ended = new HashSet<>();
    private long now = 1_000_000;
    private int first;

    private final class Life {
      private final int machine;
      private final String id;
      private final QuorumLease lease;
      private final Electorate electorate;
      private final Set<String> members = new HashSet<>();
      private final Map<String, Integer> apart = new HashMap<>();

      Life(int machine) {
        this.machine = machine;
        this.id = machine + "/" + lives[machine]++;
        machineOf.put(id, machine);
        this.lease = new QuorumLease(id, this::clock, SILENCE);
        this.electorate =
            new Electorate(
                id,
                this::clock,
                3,
                SILENCE,
                () -> machine + "t" + tokens[machine]++,
                ballot -> {
                  disks[machine] = ballot;
                  return Future.succeededFuture();
                });
        Ballot kept = disks[machine];
        if (kept != null) {
          electorate.resume(kept);
        }
        members.add(id);
      }

      private long clock() {
        return now + machine * 7_777_777L;
      }

      private void count() {
        lease.voters(electorate.count().voters().keySet());
      }

      private boolean mayAct() {
        int quorum = electorate.count().quorum();
        return members.size() >= quorum && lease.grants() >= quorum;
      }

      private void lose(String node) {
        if (members.remove(node)) {
          electorate.lost(node, ended.contains(node));
          lease.lost(node);
        }
      }

      private void look() {
        for (String member : Set.copyOf(members)) {
          Life other = running[Objects.requireNonNull(machineOf.get(member))];
          if (other == null || !other.id.equals(member)) {
            apart.remove(member);
            lose(member);
          }
        }
        for (Life other : running) {
          if (other == null || other == this) {
            continue;
          }
          if (!cut[machine][other.machine]) {
            apart.remove(other.id);
            members.add(other.id);
          } else if (apart.merge(other.id, 1, Integer::sum) >= LOST_AFTER) {
            lose(other.id);
          }
        }
      }

      private void tick() {
        electorate.step(new HashSet<>(members), lease.grants());
        count();
        Set<String> granted = new HashSet<>(members);
        granted.removeIf(node -> !electorate.mayGrant(node));
        Ballot ballot = electorate.ballot();
        NodeMessage.Announcement told = lease.announcement(granted, !mayAct()).with(ballot);
        for (Life other : running) {
          if (other != null && other != this && !cut[machine][other.machine]) {
            other.electorate.heard(id, told.ballot());
            other.count();
            other.lease.receive(told);
          }
        }
      }
    }

    /** So many nodes begin and have votes. */
    private void start(int nodes) {
      first = nodes;
      for (int i = 0; i < nodes; i++) {
        running[i] = new Life(i);
      }
      pass(nodes == MACHINES ? STEADY : 6);
    }

    private void happens(Event event) {
      int machine = event.machine;
      switch (event.kind) {
        case CRASH -> running[machine] = null;
        case LEAVE -> {
          ended.add(Objects.requireNonNull(running[machine]).id);
          running[machine] = null;
        }
        case START -> running[machine] = new Life(machine);
        case START_EMPTY -> {
          disks[machine] = null;
          running[machine] = new Life(machine);
        }
        case CUT_ONE -> cut(machine, -1);
        case CUT_PAIRS -> cut(3, machine);
        case HEAL -> heal();
      }
      pass(event.pause);
    }

    private void cut(int one, int with) {
      for (int i = 0; i < MACHINES; i++) {
        for (int j = 0; j < MACHINES; j++) {
          cut[i][j] = (i == one || i == with) != (j == one || j == with);
        }
      }
    }

    private void heal() {
      for (boolean[] one : cut) {
        Arrays.fill(one, false);
      }
    }

    private void pass(int ticks) {
      for (int i = 0; i < ticks; i++, now += TICK) {
        for (Life one : running) {
          if (one != null) {
            one.look();
          }
        }
        for (Life one : running) {
          if (one != null) {
            one.tick();
          }
        }
        check();
      }
    }

    private void check() {
      for (Life taker : running) {
        for (Life victim : running) {
          if (taker == null || victim == null || taker == victim) {
            continue;
          }
          if (!taker.mayAct() || !victim.mayAct()) {
            continue;
          }
          boolean takesOver =
              !taker.members.contains(victim.id)
                  && taker.lease.gaveUp(victim.id, new HashSet<>(taker.members))
                      >= taker.electorate.count().quorum();
          boolean actApart =
              taker.apart.getOrDefault(victim.id, 0) > APART && !isBetween(taker, victim);
          if (takesOver || actApart) {
            throw new AssertionError(taker.id + " and " + victim.id + " act\n" + this);
          }
        }
      }
    }

    private boolean isBetween(Life one, Life other) {
      for (Life third : running) {
        if (third != null
            && !cut[one.machine][third.machine]
            && !cut[other.machine][third.machine]) {
          return true;
        }
      }
      return false;
    }

    /**
     * Whether more than half of the votes are left. With an empty disk a vote is gone, and nobody
     * promises that a cluster goes on that has lost one vote for long and another one then.
     */
    private boolean hasMajority() {
      Set<String> gone = new HashSet<>();
      int size = 0;
      for (Ballot disk : disks) {
        if (disk != null && disk.votes()) {
          gone.addAll(disk.gone());
          size = Math.max(size, disk.size(3));
        }
      }
      int votes = 0;
      for (int i = 0; i < MACHINES; i++) {
        Ballot disk = disks[i];
        boolean runs = i < first || running[i] != null;
        if (runs && disk != null && disk.votes() && !gone.contains(disk.token())) {
          votes++;
        }
      }
      return votes > size / 2;
    }

    /** The nodes that the cluster had at first run again, and no link is cut. */
    private void comesBack() {
      heal();
      for (int i = 0; i < first; i++) {
        if (running[i] == null) {
          running[i] = new Life(i);
        }
      }
      for (int tick = 0; tick < 3 * STEADY; tick++) {
        pass(1);
        if (allAct()) {
          return;
        }
      }
      throw new AssertionError("a majority is back, and not all nodes may act\n" + this);
    }

    private boolean allAct() {
      for (Life one : running) {
        if (one != null && !one.mayAct()) {
          return false;
        }
      }
      return true;
    }

    /** All that counts when all times have passed. */
    private String steady() {
      StringBuilder all = new StringBuilder();
      for (int i = 0; i < MACHINES; i++) {
        Life one = running[i];
        all.append('\n').append(disks[i]);
        if (one != null) {
          Set<Integer> members = new HashSet<>();
          one.members.forEach(id -> members.add(machineOf.get(id)));
          all.append(one.electorate.ballot()).append(members).append(one.lease.grants());
        }
        for (boolean link : cut[i]) {
          all.append(link ? 'x' : '-');
        }
      }
      return all.toString();
    }

    @Override
    public String toString() {
      return steady();
    }
  }

  private final Set<String> seen = new HashSet<>();
  private int first;
  private int ways;
  private int back;

  private void explore(int most) {
    Deque<List<Event>> open = new ArrayDeque<>();
    open.add(List.of());
    while (!open.isEmpty()) {
      List<Event> events = open.remove();
      for (Kind kind : Kind.values()) {
        for (int machine = 0; machine < MACHINES; machine++) {
          for (int pause : PAUSES) {
            List<Event> way = new ArrayList<>(events);
            way.add(new Event(kind, machine, pause));
            boolean isLast = way.size() == most;
            boolean isNew = !isLast || pause > 1 || kind == Kind.CRASH || kind == Kind.LEAVE;
            if (isNew && mayHappen(way) && tried(way) && !isLast) {
              open.add(way);
            }
          }
        }
      }
    }
  }

  /** Whether a way of events is one; machines 1 and 2 are alike, so the first event is not at 2. */
  private boolean mayHappen(List<Event> way) {
    boolean[] runs = {true, true, true, first == MACHINES};
    boolean[] hasDisk = runs.clone();
    boolean cut = false;
    boolean emptied = false;
    for (Event one : way) {
      int machine = one.machine;
      boolean may =
          switch (one.kind) {
            case CRASH, LEAVE -> runs[machine];
            case START -> !runs[machine];
            case START_EMPTY -> !runs[machine] && !emptied && hasDisk[machine];
            case CUT_ONE -> runs[machine] && !cut;
            case CUT_PAIRS -> machine < 3 && runs[3] && !cut;
            case HEAL -> machine == 0 && cut;
          };
      boolean starts = one.kind == Kind.START || one.kind == Kind.START_EMPTY;
      if (!may || (one.pause == PAUSES[1] && !starts)) {
        return false;
      }
      emptied |= one.kind == Kind.START_EMPTY;
      switch (one.kind) {
        case CRASH, LEAVE -> runs[machine] = false;
        case START, START_EMPTY -> {
          runs[machine] = true;
          hasDisk[machine] = true;
        }
        case CUT_ONE, CUT_PAIRS -> cut = true;
        case HEAL -> cut = false;
      }
    }
    return way.get(0).machine != 2;
  }

  private static boolean hasEmptied(List<Event> way) {
    return way.stream().anyMatch(one -> one.kind == Kind.START_EMPTY);
  }

  /** Returns whether the ways that begin with this one are new. */
  private boolean tried(List<Event> way) {
    ways++;
    try {
      World world = new World();
      world.start(first);
      way.forEach(world::happens);
      if (way.get(way.size() - 1).pause == STEADY && !seen.add(world.steady() + hasEmptied(way))) {
        return false;
      }
      if (world.hasMajority()) {
        back++;
        world.comesBack();
      }
      return true;
    } catch (AssertionError violated) {
      throw new AssertionError("after " + way + ":\n" + violated.getMessage(), violated);
    }
  }

  @ParameterizedTest
  @CsvSource({"3, 3, 3000", "4, 2, 300"})
  void on_every_way_of_events_one_side_acts_at_most_and_all_act_when_the_nodes_are_back(
      int nodes, int events, int least) {
    first = nodes;
    explore(events);
    assertThat(ways).as("ways").isGreaterThan(least);
    assertThat(back).as("of them with a majority that comes back").isGreaterThan(least / 2);
  }
}
