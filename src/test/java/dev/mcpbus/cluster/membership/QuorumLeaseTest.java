package dev.mcpbus.cluster.membership;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Nodes that announce themselves every half second, over links that may be slow or cut. */
class QuorumLeaseTest {

  private static final long SILENCE = 7_000;
  private static final int STEP = 100;
  private static final int TICK = 500;
  private static final long PROMISE_AND_WAY = QuorumLease.PROMISE_MILLIS + 2L * TICK;

  private long now = 1_000_000;
  private final Map<String, Peer> peers = new HashMap<>();

  private record Letter(long due, NodeMessage.Announcement told) {}

  /** A node, with a clock of its own. */
  private final class Peer {
    private final String name;
    private final long offset;
    private final QuorumLease lease;
    private final Set<String> members = new HashSet<>();
    private final Map<String, Deque<Letter>> inbox = new HashMap<>();

    /** Senders whose messages are delayed until the link heals. */
    private final Set<String> deaf = new HashSet<>();

    private boolean serves = true;

    Peer(String name, long offset) {
      this.name = name;
      this.offset = offset;
      this.lease = new QuorumLease(name, () -> now + offset, SILENCE);
      peers.put(name, this);
    }

    private long now() {
      return now + offset;
    }

    private void tell(Random random) {
      NodeMessage.Announcement told = lease.announcement(new HashSet<>(members), !serves);
      for (Peer other : peers.values()) {
        if (other != this) {
          Deque<Letter> letters = other.inbox.computeIfAbsent(name, none -> new ArrayDeque<>());
          letters.add(new Letter(now + random.nextInt(300), told));
        }
      }
    }

    private void read() {
      inbox.forEach(
          (from, letters) -> {
            while (!deaf.contains(from) && !letters.isEmpty() && letters.peek().due() <= now) {
              lease.receive(letters.remove().told());
            }
          });
    }

    private void lose(String node) {
      if (members.remove(node)) {
        lease.lost(node);
      }
    }

    private int gaveUp(String node) {
      return lease.gaveUp(node, new HashSet<>(members));
    }
  }

  private List<Peer> nodes(int count) {
    peers.clear();
    List<Peer> all = new ArrayList<>();
    for (int i = 1; i <= count; i++) {
      all.add(new Peer("n" + i, i * 7_777_777L));
    }
    all.forEach(one -> one.members.addAll(peers.keySet()));
    return all;
  }

  private void pass(long millis, Random random) {
    for (long until = now + millis; now < until; now += STEP) {
      for (Peer one : peers.values()) {
        one.read();
        if ((now / STEP + one.offset) % (TICK / STEP) == 0) {
          one.tell(random);
        }
      }
    }
  }

  private void pass(long millis) {
    pass(millis, new Random(1));
  }

  private static void cut(Peer one, Peer other) {
    one.deaf.add(other.name);
    other.deaf.add(one.name);
  }

  @Test
  void a_grant_holds_for_the_silence_after_the_last_announcement() {
    List<Peer> all = nodes(3);
    assertThat(all.get(0).lease.grants()).isEqualTo(1);
    pass(2_000);
    assertThat(all).allMatch(one -> one.lease.grants() == 3);
    cut(all.get(0), all.get(1));
    cut(all.get(1), all.get(2));
    pass(SILENCE - 2_000);
    assertThat(all.get(1).lease.grants()).isEqualTo(3);
    pass(2_000);
    assertThat(all.get(1).lease.grants()).isEqualTo(1);
    assertThat(all.get(0).lease.grants()).isEqualTo(2);
  }

  /**
   * The first node gives up the second, at the other end of a cut link; then the third does, which
   * can reach both.
   */
  @Test
  void a_node_that_others_gave_up_stops_although_it_receives_their_announcements() {
    List<Peer> all = nodes(3);
    Peer first = all.get(0);
    Peer second = all.get(1);
    Peer third = all.get(2);
    pass(2_000);
    cut(first, second);
    pass(10_000);
    assertThat(second.lease.grants()).as("the third lets it act").isEqualTo(2);
    first.lose("n2");
    assertThat(first.gaveUp("n2")).as("the third still sees it").isEqualTo(1);
    pass(2_000);
    assertThat(first.gaveUp("n2")).isEqualTo(1);
    third.lose("n2");
    pass(1_000);
    assertThat(second.lease.grants()).isEqualTo(1);
    assertThat(first.gaveUp("n2")).as("it has not said that it rests").isEqualTo(1);
    second.serves = false;
    pass(2_000);
    assertThat(first.gaveUp("n2")).as("long before the silence is over").isEqualTo(2);
  }

  @Test
  void a_silent_node_counts_as_stopped_only_when_its_grants_have_ended() {
    List<Peer> all = nodes(3);
    pass(2_000);
    Peer second = all.get(1);
    cut(all.get(0), second);
    all.get(0).lose("n2");
    all.get(2).lose("n2");
    cut(second, all.get(2));
    pass(SILENCE - 1_000);
    assertThat(all.get(0).gaveUp("n2")).isLessThan(2);
    pass(3_000);
    assertThat(all.get(0).gaveUp("n2")).isEqualTo(2);
  }

  /** The third node has said that it grants n2 nothing, and sees it again at once. */
  @Test
  void what_a_node_has_announced_as_ended_binds_it_for_a_while() {
    List<Peer> all = nodes(3);
    Peer first = all.get(0);
    Peer second = all.get(1);
    Peer third = all.get(2);
    pass(2_000);
    cut(first, second);
    cut(third, second);
    first.lose("n2");
    third.lose("n2");
    pass(SILENCE + 2_000);
    assertThat(first.gaveUp("n2")).isEqualTo(2);

    third.deaf.remove("n2");
    second.deaf.remove("n3");
    third.members.add("n2");
    long until = now + QuorumLease.PROMISE_MILLIS;
    third.deaf.add("n1");
    first.deaf.add("n3");
    while (now < until - TICK) {
      pass(STEP);
      boolean taken = first.gaveUp("n2") == 2;
      assertThat(taken && second.lease.grants() > 1).as("at %s of %s", now, until).isFalse();
    }
    pass(2L * TICK);
    assertThat(first.gaveUp("n2")).as("the news are too old").isEqualTo(1);
    pass(PROMISE_AND_WAY);
    assertThat(second.lease.grants()).as("the third grants again").isEqualTo(2);
  }

  /** An announcement of n2, which has just received n1's clock. */
  private static NodeMessage.Announcement told(Peer one, long at, Set<String> sees) {
    return new NodeMessage.Announcement(
        "n2", at, Map.of("n1", one.now()), sees, Set.of(), false, false, null);
  }

  @Test
  void receive_reports_each_withdrawn_grant() {
    Peer one = nodes(1).get(0);
    NodeMessage.Announcement told = told(one, 5, Set.of("n1", "n3"));
    assertThat(one.lease.receive(told)).isFalse();
    assertThat(one.lease.receive(told)).isFalse();
    assertThat(one.lease.receive(told(one, 5, Set.of("n1"))))
        .as("n2 has withdrawn its grant to n3")
        .isTrue();
    assertThat(one.lease.grants()).isEqualTo(2);
    assertThat(one.lease.receive(told(one, 5, Set.of()))).isTrue();
    assertThat(one.lease.grants()).isEqualTo(1);
  }

  @Test
  void an_old_or_repeated_announcement_extends_no_grant() {
    Peer one = nodes(1).get(0);
    one.members.add("n2");
    NodeMessage.Announcement first = told(one, 5, Set.of("n1"));
    NodeMessage.Announcement last = told(one, 6, Set.of());
    one.lease.receive(first);
    one.lease.receive(last);
    assertThat(one.lease.grants()).isEqualTo(1);
    assertThat(one.lease.receive(first)).isFalse();
    assertThat(one.lease.grants()).as("an older announcement grants nothing").isEqualTo(1);
    now += SILENCE + 1;
    one.lease.receive(last);
    assertThat(one.lease.announcement(Set.of("n1", "n2"), false).heard())
        .as("a repeated announcement does not count as received")
        .isEmpty();
  }

  /**
   * The promise: a lost node holds no quorum of grants once another node counts it as given up by a
   * quorum.
   */
  @Test
  void no_node_takes_over_from_a_node_that_may_still_act_whichever_links_are_cut() {
    noNodeTakesOverTooSoon(400);
  }

  @Tag("long")
  @Test
  void no_node_takes_over_from_a_node_that_may_still_act_in_3000_histories() {
    noNodeTakesOverTooSoon(3_000);
  }

  private void noNodeTakesOverTooSoon(int seeds) {
    int takeovers = 0;
    for (int seed = 1; seed <= seeds; seed++) {
      Random random = new Random(seed);
      List<Peer> all = nodes(seed % 2 == 0 ? 3 : 5);
      int quorum = all.size() / 2 + 1;
      pass(2_000, random);
      Peer victim = all.get(random.nextInt(all.size()));
      List<Peer> others = new ArrayList<>(all);
      others.remove(victim);
      Collections.shuffle(others, random);
      Map<Long, List<Runnable>> faults = faults(random, victim, others);
      boolean taken = false;
      for (int step = 0; step < 250; step++) {
        faults.getOrDefault(now, List.of()).forEach(Runnable::run);
        pass(STEP, random);
        if (victim.lease.grants() < quorum && random.nextInt(5) == 0) {
          victim.serves = false;
        } else if (victim.lease.grants() >= quorum) {
          victim.serves = true;
        }
        for (Peer taker : others) {
          if (!taker.members.contains(victim.name) && taker.gaveUp(victim.name) >= quorum) {
            taken = true;
            assertThat(victim.lease.grants())
                .as("seed %s, %s takes over from %s", seed, taker.name, victim.name)
                .isLessThan(quorum);
          }
        }
      }
      takeovers += taken ? 1 : 0;
    }
    assertThat(takeovers).as("of %d", seeds).isGreaterThan(seeds * 5 / 6);
  }

  /** Links that are cut and heal, and each other node gives the victim up at a time of its own. */
  private Map<Long, List<Runnable>> faults(Random random, Peer victim, List<Peer> others) {
    Map<Long, List<Runnable>> faults = new HashMap<>();
    for (Peer other : others) {
      if (random.nextInt(3) > 0) {
        long begin = random.nextInt(120);
        at(faults, begin, () -> cut(victim, other));
        if (random.nextBoolean()) {
          at(
              faults,
              begin + 10 + random.nextInt(60),
              () -> {
                victim.deaf.remove(other.name);
                other.deaf.remove(victim.name);
              });
        }
      }
      long lost = 20L + random.nextInt(100);
      at(faults, lost, () -> other.lose(victim.name));
      if (random.nextInt(4) == 0) {
        at(faults, lost + 1 + random.nextInt(100), () -> other.members.add(victim.name));
      }
      if (random.nextInt(4) == 0) {
        at(faults, random.nextInt(150), () -> victim.lose(other.name));
      }
    }
    return faults;
  }

  private void at(Map<Long, List<Runnable>> faults, long step, Runnable fault) {
    faults.computeIfAbsent(now + step * STEP, none -> new ArrayList<>()).add(fault);
  }
}
