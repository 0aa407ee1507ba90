package dev.mcpbus.cluster.membership;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A cluster whose size changes, with the real {@link Electorate} and the real {@link QuorumLease}
 * on each node, over links that are slow or cut. Time is a number.
 */
class ElectorateTest {

  private static final long SILENCE = 7_000;
  private static final int STEP = 100;
  private static final int TICK = 500;

  /** After so long without each other, two nodes that act would both own what nobody owned. */
  private static final long APART = 20_000;

  private final List<Machine> machines = new ArrayList<>();
  private final Set<Set<Machine>> cuts = new HashSet<>();
  private long now = 1_000_000;
  private int names;
  private int least = 3;
  private Random random = new Random(1);

  private record Letter(long due, NodeMessage.Announcement told) {}

  /** A machine with a disk, on which a node runs or not. */
  private final class Machine {
    private final int number = machines.size();
    private final long offset = number * 7_777_777L;
    private @Nullable Ballot disk;
    private @Nullable Life process;

    Life start() {
      Life made = new Life(this);
      process = made;
      return made;
    }

    Life running() {
      return Objects.requireNonNull(process);
    }

    void crash() {
      process = null;
    }
  }

  /** One life of a node. */
  private final class Life {
    private final Machine machine;
    private final String id = "p" + names++;
    private final QuorumLease lease;
    private final Electorate electorate;
    private final Set<String> members = new HashSet<>();
    private final Map<String, Long> apartSince = new HashMap<>();
    private final Map<String, Long> togetherSince = new HashMap<>();
    private final Map<String, Deque<Letter>> inbox = new HashMap<>();
    private boolean acts;

    Life(Machine machine) {
      this.machine = machine;
      this.lease = new QuorumLease(id, this::clock, SILENCE);
      this.electorate =
          new Electorate(
              id,
              this::clock,
              least,
              SILENCE,
              () -> String.format("%08x", random.nextInt()),
              ballot -> {
                machine.disk = ballot;
                return Future.succeededFuture();
              });
      Ballot kept = machine.disk;
      if (kept != null) {
        electorate.resume(kept);
      }
      members.add(id);
    }

    private long clock() {
      return now + machine.offset;
    }

    private void count() {
      lease.voters(electorate.count().voters().keySet());
      boolean might = acts;
      acts =
          lease.grants() >= electorate.count().quorum()
              && members.size() >= electorate.count().quorum();
      if (might && !acts) {
        interrupted.add(machine.number);
      }
    }

    private boolean mayAct() {
      return acts
          && lease.grants() >= electorate.count().quorum()
          && members.size() >= electorate.count().quorum();
    }

    private void tick() {
      electorate.step(new HashSet<>(members), lease.grants());
      count();
      Set<String> granted =
          members.stream().filter(electorate::mayGrant).collect(Collectors.toSet());
      Ballot ballot = electorate.ballot();
      NodeMessage.Announcement told = lease.announcement(granted, !acts).with(ballot);
      for (Life other : processes()) {
        if (other != this) {
          other
              .inbox
              .computeIfAbsent(id, none -> new ArrayDeque<>())
              .add(new Letter(now + random.nextInt(300), told));
        }
      }
    }

    private void read() {
      for (Life other : processes()) {
        Deque<Letter> letters = inbox.getOrDefault(other.id, new ArrayDeque<>());
        while (isLinked(this, other) && !letters.isEmpty() && letters.peek().due() <= now) {
          NodeMessage.Announcement told = letters.remove().told();
          count();
          electorate.heard(other.id, told.ballot());
          count();
          lease.receive(told);
          count();
        }
      }
    }

    /**
     * Members see each other 1 s after a link is whole, and lose each other 10 s after it is not.
     */
    private void look() {
      Map<String, Life> all =
          processes().stream().collect(Collectors.toMap(one -> one.id, one -> one));
      for (Life other : all.values()) {
        if (isLinked(this, other)) {
          apartSince.remove(other.id);
          if (now - togetherSince.computeIfAbsent(other.id, id -> now) >= 1_000) {
            members.add(other.id);
          }
        } else {
          togetherSince.remove(other.id);
          if (now - apartSince.computeIfAbsent(other.id, id -> now) >= 10_000) {
            lose(other.id, false);
          }
        }
      }
      for (String member : Set.copyOf(members)) {
        if (!all.containsKey(member)) {
          lose(member, ended.contains(member));
        }
      }
    }

    private void lose(String node, boolean orderly) {
      if (members.remove(node)) {
        electorate.lost(node, orderly);
        lease.lost(node);
      }
    }
  }

  private final Set<String> ended = new HashSet<>();

  /** The numbers of machines whose nodes had to stop. */
  private final List<Integer> interrupted = new ArrayList<>();

  private List<Life> processes() {
    List<Life> all = new ArrayList<>();
    for (Machine machine : machines) {
      Life one = machine.process;
      if (one != null) {
        all.add(one);
      }
    }
    return all;
  }

  private boolean isLinked(Life one, Life other) {
    return one == other || !cuts.contains(Set.of(one.machine, other.machine));
  }

  private Machine machine() {
    Machine made = new Machine();
    machines.add(made);
    return made;
  }

  private void start(int count) {
    IntStream.range(0, count).forEach(each -> machine().start());
  }

  private void leave(Machine machine) {
    ended.add(machine.running().id);
    machine.crash();
  }

  private void split(Set<Machine> side) {
    for (Machine one : machines) {
      for (Machine other : machines) {
        if (side.contains(one) && !side.contains(other)) {
          cuts.add(Set.of(one, other));
        }
      }
    }
  }

  private void pass(long millis) {
    for (long until = now + millis; now < until; now += STEP) {
      List<Life> all = processes();
      for (Life one : all) {
        one.look();
        one.read();
        if ((now / STEP + one.machine.number) % (TICK / STEP) == 0) {
          one.tick();
        }
        one.count();
      }
      check(all);
    }
  }

  private void check(List<Life> all) {
    for (Life taker : all) {
      for (Life victim : all) {
        if (taker == victim || !taker.mayAct() || !victim.mayAct()) {
          continue;
        }
        if (!taker.members.contains(victim.id)) {
          assertThat(taker.lease.gaveUp(victim.id, new HashSet<>(taker.members)))
              .as("%s takes over from %s\n%s", taker.id, victim.id, this)
              .isLessThan(taker.electorate.count().quorum());
        }
        Long apart = taker.apartSince.get(victim.id);
        assertThat(apart != null && now - apart > APART && areApart(taker, victim, all))
            .as("%s and %s act apart\n%s", taker.id, victim.id, this)
            .isFalse();
      }
    }
  }

  /** No node that both of them see could keep them from owning the same. */
  private boolean areApart(Life one, Life other, List<Life> all) {
    return all.stream().noneMatch(third -> isLinked(one, third) && isLinked(other, third));
  }

  @Override
  public String toString() {
    return processes().stream()
        .map(
            one ->
                one.id
                    + " "
                    + one.members
                    + " "
                    + one.lease.grants()
                    + " "
                    + one.electorate.count()
                    + " "
                    + one.electorate.ballot())
        .collect(Collectors.joining("\n"));
  }

  private void allAct() {
    assertThat(processes()).as("%s", this).allMatch(Life::mayAct);
  }

  private void noneActs() {
    assertThat(processes()).as("%s", this).noneMatch(Life::mayAct);
  }

  private void sizes(int size) {
    assertThat(processes())
        .as("%s", this)
        .allMatch(one -> one.electorate.count().size() == size)
        .allMatch(one -> one.electorate.ballot().votes());
  }

  @Test
  void a_first_start_needs_a_majority_and_a_lone_node_waits() {
    start(1);
    pass(60_000);
    noneActs();
    start(1);
    pass(6_000);
    allAct();
  }

  @Test
  void the_size_grows_with_the_nodes_and_nothing_is_interrupted() {
    start(3);
    pass(6_000);
    allAct();
    start(4);
    pass(6_000);
    allAct();
    assertThat(machines.get(6).running().electorate.ballot().votes()).isFalse();
    pass(60_000);
    sizes(7);
    allAct();
    assertThat(interrupted).isEmpty();
    machines.subList(3, 7).forEach(Machine::crash);
    pass(20_000);
    noneActs();
    assertThat(machines.get(0).running().electorate.describe(3))
        .startsWith("3 of the 7 nodes of its largest steady size")
        .endsWith("and 4 are needed");
  }

  @Test
  void a_crash_never_lowers_the_size_and_a_successor_takes_the_place() {
    start(5);
    pass(60_000);
    sizes(5);
    machines.get(3).crash();
    machines.get(4).crash();
    pass(300_000);
    assertThat(machines.get(0).running().electorate.count().size()).isEqualTo(5);
    allAct();
    start(2);
    pass(60_000);
    sizes(5);
    machines.get(0).crash();
    machines.get(1).crash();
    pass(20_000);
    allAct();
  }

  @Test
  void nodes_that_leave_in_order_lower_it_but_not_at_once_and_not_below_the_least() {
    start(5);
    pass(60_000);
    leave(machines.get(3));
    leave(machines.get(4));
    pass(25_000);
    assertThat(machines.get(0).running().electorate.count().size()).isEqualTo(5);
    pass(30_000);
    sizes(3);
    leave(machines.get(2));
    pass(60_000);
    assertThat(machines.get(0).running().electorate.count().size()).isEqualTo(3);
    allAct();
  }

  @Test
  void a_restart_of_all_remembers_the_size() {
    start(5);
    pass(60_000);
    machines.forEach(Machine::crash);
    machines.subList(0, 2).forEach(Machine::start);
    pass(60_000);
    noneActs();
    machines.get(2).start();
    pass(15_000);
    allAct();
    sizes(5);
  }

  @Test
  void a_rolling_restart_with_disks_interrupts_nobody_and_keeps_every_vote() {
    start(3);
    pass(30_000);
    interrupted.clear();
    for (Machine machine : machines) {
      leave(machine);
      pass(5_000);
      machine.start();
      pass(15_000);
      sizes(3);
    }
    assertThat(interrupted).isEmpty();
  }

  @Test
  void a_side_that_was_cut_off_for_long_gets_its_votes_again() {
    start(5);
    pass(60_000);
    Set<Machine> side = Set.of(machines.get(3), machines.get(4));
    split(side);
    pass(60_000);
    assertThat(side).noneMatch(one -> one.running().mayAct());
    assertThat(machines.subList(0, 3)).allMatch(one -> one.running().mayAct());
    cuts.clear();
    pass(90_000);
    sizes(5);
    allAct();
  }

  /** Its list is of voters that are gone, and those that followed never struck it. */
  @Test
  void a_voter_that_all_others_have_replaced_meanwhile_takes_no_vote_away_when_it_is_back() {
    start(3);
    pass(30_000);
    Machine old = machines.get(2);
    old.crash();
    pass(60_000);
    start(3);
    pass(90_000);
    leave(machines.get(0));
    pass(60_000);
    leave(machines.get(1));
    pass(90_000);
    allAct();
    interrupted.clear();
    old.start();
    pass(120_000);
    assertThat(interrupted).as("%s", this).isEmpty();
    allAct();
    assertThat(processes()).as("%s", this).allMatch(one -> one.electorate.ballot().votes());
  }

  @Test
  void nodes_that_are_cut_off_before_they_have_a_vote_begin_none_of_their_own() {
    start(3);
    pass(30_000);
    start(2);
    pass(5_000);
    Set<Machine> added = Set.of(machines.get(3), machines.get(4));
    split(added);
    pass(60_000);
    added.forEach(Machine::crash);
    added.forEach(Machine::start);
    pass(60_000);
    assertThat(added).noneMatch(one -> one.running().mayAct());
    cuts.clear();
    pass(90_000);
    sizes(5);
    allAct();
  }

  @Test
  void an_old_proposal_is_no_vote_where_there_are_voters() {
    start(3);
    pass(30_000);
    for (String token : List.of("00000000", "ffffffff")) {
      Machine late = machine();
      late.disk = new Ballot(token, false, Set.of("00000000", "ffffffff"), Set.of(), Set.of());
      late.start();
    }
    interrupted.clear();
    for (int i = 0; i < 20; i++) {
      pass(500);
      assertThat(machines.get(3).running().electorate.ballot().votes()).isFalse();
    }
    pass(90_000);
    assertThat(interrupted).isEmpty();
    sizes(5);
  }

  /** They had started where they did not see the cluster, which nothing can keep them from. */
  @Test
  void two_clusters_that_meet_become_one() {
    start(3);
    pass(30_000);
    machine();
    machine();
    split(Set.of(machines.get(3), machines.get(4)));
    for (Machine machine : machines.subList(3, 5)) {
      String token = machine.number == 3 ? "00000000" : "ffffffff";
      machine.disk = new Ballot(token, true, Set.of("00000000", "ffffffff"), Set.of(), Set.of());
      machine.start();
    }
    pass(5_000); // they may not act yet
    cuts.clear();
    pass(120_000);
    sizes(5);
    allAct();
  }

  /** Two nodes had not heard of each other when they proposed. */
  @Test
  void a_node_that_proposed_otherwise_gets_its_vote_after_the_first_vote() {
    least = 5;
    start(5);
    Set<String> all = Set.of("a", "b", "c", "d", "e");
    for (Machine machine : machines) {
      String token = String.valueOf((char) ('a' + machine.number));
      Set<String> proposed = machine.number < 2 ? Set.of("a", "b", "c") : all;
      machine.disk = new Ballot(token, false, proposed, Set.of(), Set.of());
      machine.start();
    }
    pass(90_000);
    sizes(5);
    allAct();
  }

  /** Its {@code vote.json} was copied, or is from a cluster that was there before. */
  @Test
  void a_node_with_the_vote_of_another_cluster_takes_nothing_from_this_one() {
    start(3);
    pass(30_000);
    Machine stranger = machine();
    stranger.disk = new Ballot("00000000", true, Set.of("00000000", "1", "2"), Set.of(), Set.of());
    stranger.start();
    interrupted.clear();
    pass(5_000);
    assertThat(stranger.running().electorate.describe(1)).contains("vote.json");
    pass(55_000);
    assertThat(interrupted).doesNotContain(0, 1, 2);
    sizes(4); // it has given that vote up, and has one of this cluster
    start(1);
    pass(60_000);
    sizes(5);
    allAct();
  }

  /** What the proposals of sizes alone could not: a split while some have raised and some not. */
  @Test
  void a_split_while_nodes_are_added_has_one_side_that_acts_at_most() {
    for (int seed = 1; seed <= 60; seed++) {
      machines.clear();
      cuts.clear();
      random = new Random(seed);
      start(3);
      pass(10_000);
      start(2);
      pass(9_000 + 100L * seed);
      split(Set.of(machines.get(seed % 3), machines.get(3), machines.get(4)));
      pass(60_000);
    }
  }

  @Tag("release")
  @Test
  void whatever_fails_no_two_nodes_act_that_do_not_know_of_each_other() {
    int acted = 0;
    for (int seed = 1; seed <= 150; seed++) {
      machines.clear();
      cuts.clear();
      ended.clear();
      random = new Random(seed);
      start(3);
      pass(4_000);
      for (int event = 0; event < 14; event++) {
        event();
        pass(random.nextInt(45) * 1_000L);
        acted += processes().stream().anyMatch(Life::mayAct) ? 1 : 0;
      }
    }
    assertThat(acted).as("of 2,100 moments").isGreaterThan(1_000);
  }

  private void event() {
    Machine any = machines.get(random.nextInt(machines.size()));
    switch (random.nextInt(8)) {
      case 0 -> {
        if (machines.size() < 7) {
          machine().start();
        }
      }
      case 1 -> any.crash();
      case 2 -> {
        if (any.process != null) {
          leave(any);
        }
      }
      case 3, 4 ->
          machines.stream().filter(one -> one.process == null).limit(2).forEach(Machine::start);
      case 5 ->
          split(machines.stream().filter(one -> random.nextBoolean()).collect(Collectors.toSet()));
      case 6 -> {
        if (random.nextInt(4) == 0) {
          machines.forEach(Machine::crash);
          machines.forEach(Machine::start);
        }
      }
      default -> cuts.clear();
    }
  }

  @Test
  void whatever_has_failed_all_nodes_act_and_vote_when_all_run_and_see_each_other_again() {
    for (int seed = 1; seed <= 15; seed++) {
      random = new Random(seed);
      machines.clear();
      cuts.clear();
      ended.clear();
      start(3);
      pass(4_000);
      for (int event = 0; event < 14; event++) {
        event();
        pass(random.nextInt(45) * 1_000L);
      }
      cuts.clear();
      machines.stream().filter(one -> one.process == null).forEach(Machine::start);
      pass(200_000);
      allAct();
      assertThat(processes())
          .as("%s %s", seed, this)
          .allMatch(one -> one.electorate.ballot().votes());
    }
  }
}
