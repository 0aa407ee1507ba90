package dev.mcpbus.cluster.ownership;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The rules of leases and claims as a model, and every state that it can reach. Three nodes with a
 * quorum of two and one connection: A owns it, B takes it over, C is the third voter. Messages are
 * lost or late without bound, one on its way over each link; nodes drop A from their view and take
 * it back whenever they like; a node that takes no step for a while sleeps. Checked: A never acts
 * after B has claimed.
 *
 * <p>The two rules of promises were found here: they are needed where C loses A and sees it again
 * within the time for which B waits (decision 17).
 *
 * <p>Each rule is left out once, and then a way to two owners is found: so the model can fail.
 */
@Tag("release")
class OwnershipModelTest {

  /** The rules of {@code QuorumLease}, {@code ClaimLease} and {@code LostNodes}. */
  enum Rule {
    /** A grant lasts from the clock value of A that the granting node returns. */
    GRANTS_COUNT_FROM_THE_ECHO,
    /** B claims only after its own grant has ended. */
    OWN_GRANT_HAS_ENDED,
    /** B claims only after C has announced that its grant has ended. */
    OTHER_GRANT_HAS_ENDED,
    /** What C announced counts only for a while. */
    NEWS_ARE_FRESH,
    /** For that while C grants A nothing, although it sees A again. */
    PROMISES_ARE_KEPT,
    /** A looks at its lease before it takes an announcement. */
    LAPSES_ARE_SEEN
  }

  /** A grant lasts for this number of steps of time. */
  private static final int SILENCE = 1;

  /** How long an announcement of C that it grants A nothing counts, and binds C. */
  private static final int PROMISE = 1;

  /** An age or a value that is too old to count, or was never received. */
  private static final int OLD = SILENCE + 1;

  /** No message is on its way. */
  private static final int NONE = OLD + 1;

  // The parts of a state; ages are in steps of time, at most OLD.
  private static final int CLAIMED = 0; // B owns the connection
  private static final int ENDED = 1; // A has ended it, or its life of the lease
  private static final int LEAVE_BY_B = 2; // the age of A's clock value in B's last grant, at A
  private static final int LEAVE_BY_C = 3;
  private static final int SEES_B = 4; // B's view has A
  private static final int SEES_C = 5;
  private static final int HEARD_B = 6; // the age of the last clock value of A that B has
  private static final int HEARD_C = 7;
  private static final int SINCE_B = 8; // since it arrived
  private static final int SINCE_C = 9;
  private static final int GRANT_B = 10; // the age of B's grant to A, as B counts it
  private static final int GRANT_C = 11;
  private static final int NEWS_AT_C =
      12; // the age of the last clock value of B that C has, sent after B lost A
  private static final int C_HAS_ENDED =
      13; // the age of B's value that C returned when it granted A nothing
  private static final int NEWS_AT_A = 14; // A has heard from B since B has lost A
  private static final int RESTS = 15; // B has heard from A, with those news, that it rests
  private static final int A_TO_B = 16; // on its way: the age of the clock value
  private static final int A_TO_B_RESTS = 17; // with it: A rests, and has B's news
  private static final int A_TO_C = 18;
  private static final int B_TO_A = 19; // the age of A's clock value that is returned
  private static final int B_TO_A_NEWS = 20; // with it: B has lost A
  private static final int C_TO_A = 21;
  private static final int B_TO_C = 22; // the age of B's clock value, OLD where B has not lost A
  private static final int C_TO_B =
      23; // the age of B's value that C returns; OLD where C grants A something
  private static final int PROMISED = 24; // since C last announced that it grants A nothing
  private static final int SIZE = 25;

  private static final Set<Integer> AGES =
      Set.of(
          LEAVE_BY_B,
          LEAVE_BY_C,
          HEARD_B,
          HEARD_C,
          SINCE_B,
          SINCE_C,
          GRANT_B,
          GRANT_C,
          A_TO_B,
          A_TO_C,
          B_TO_A,
          C_TO_A,
          NEWS_AT_C,
          C_HAS_ENDED,
          B_TO_C,
          C_TO_B,
          PROMISED);

  private final Set<Rule> rules = EnumSet.allOf(Rule.class);

  /** Every state that was reached, in this order; two bits for each part. */
  private long[] states = new long[1 << 16];

  /** For each state the one before it, and the step between them. */
  private int[] before = new int[1 << 16];

  private String[] steps = new String[1 << 16];
  private int count;

  /** Open addressing: the number of a state plus 1, by its hash. */
  private int[] table = new int[1 << 18];

  private int at;
  private byte[] from = new byte[0];
  private String violation = "";

  private boolean has(Rule rule) {
    return rules.contains(rule);
  }

  private static byte[] start() {
    byte[] state = new byte[SIZE];
    for (int age : AGES) {
      state[age] = OLD;
    }
    for (int way : new int[] {A_TO_B, A_TO_C, B_TO_A, C_TO_A, B_TO_C, C_TO_B}) {
      state[way] = NONE;
    }
    state[SEES_B] = 1;
    state[SEES_C] = 1;
    state[LEAVE_BY_B] = 0;
    state[LEAVE_BY_C] = 0;
    state[HEARD_B] = 0;
    state[HEARD_C] = 0;
    state[SINCE_B] = 0;
    state[SINCE_C] = 0;
    state[GRANT_B] = 0;
    state[GRANT_C] = 0;
    return state;
  }

  private static boolean mayAct(byte[] s) {
    return s[LEAVE_BY_B] <= SILENCE || s[LEAVE_BY_C] <= SILENCE;
  }

  private interface Change {
    void in(byte[] next);
  }

  private void reach(String step, Change change) {
    byte[] next = from.clone();
    change.in(next);
    if (add(pack(next), step)
        && violation.isEmpty()
        && next[CLAIMED] == 1
        && next[ENDED] == 0
        && mayAct(next)) {
      violation = way(count - 1);
    }
  }

  private static long pack(byte[] state) {
    long packed = 0;
    for (byte part : state) {
      packed = (packed << 2) | part;
    }
    return packed;
  }

  private static byte[] unpack(long packed) {
    byte[] state = new byte[SIZE];
    for (int i = SIZE - 1; i >= 0; i--) {
      state[i] = (byte) (packed & 3);
      packed >>= 2;
    }
    return state;
  }

  private boolean add(long state, String step) {
    int slot = slot(state);
    if (table[slot] != 0) {
      return false;
    }
    if (count == states.length) {
      states = Arrays.copyOf(states, 2 * count);
      before = Arrays.copyOf(before, 2 * count);
      steps = Arrays.copyOf(steps, 2 * count);
      table = new int[2 * table.length];
      for (int i = 0; i < count; i++) {
        table[slot(states[i])] = i + 1;
      }
      slot = slot(state);
    }
    states[count] = state;
    before[count] = at;
    steps[count] = step;
    table[slot] = ++count;
    return true;
  }

  private int slot(long state) {
    int mask = table.length - 1;
    int slot = (int) ((state * 0x9e3779b97f4a7c15L) >>> 40) & mask;
    while (table[slot] != 0 && states[table[slot] - 1] != state) {
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  private String way(int number) {
    StringBuilder way = new StringBuilder();
    for (int i = number; i > 0; i = before[i]) {
      way.insert(0, steps[i] + "; ");
    }
    return way.toString();
  }

  /** Explores every reachable state; stops at the first violation. */
  private void explore() {
    add(pack(start()), "");
    for (at = 0; at < count && violation.isEmpty(); at++) {
      from = unpack(states[at]);
      steps(from);
    }
  }

  private void steps(byte[] s) {
    reach("time passes", OwnershipModelTest::age);
    reach("A looks", OwnershipModelTest::look);
    reach("A announces", OwnershipModelTest::announceA);
    if (s[B_TO_A] != NONE) {
      reach("A hears B", this::hearB);
    }
    if (s[C_TO_A] != NONE) {
      reach("A hears C", this::hearC);
    }
    reach("B announces", this::announceB);
    reach("C announces", this::announceC);
    if (s[A_TO_B] != NONE) {
      reach("B hears A", this::hearAatB);
    }
    if (s[A_TO_C] != NONE) {
      reach("C hears A", OwnershipModelTest::hearAatC);
    }
    if (s[B_TO_C] != NONE) {
      reach("C hears B", OwnershipModelTest::hearBatC);
    }
    if (s[C_TO_B] != NONE) {
      reach("B hears C", OwnershipModelTest::hearCatB);
    }
    if (s[SEES_B] == 1) {
      reach("B loses A", OwnershipModelTest::loseAtB);
    } else {
      reach("B sees A again", n -> n[SEES_B] = 1);
      if (s[CLAIMED] == 0 && hasStopped(s)) {
        reach("B claims", n -> n[CLAIMED] = 1);
      }
    }
    reach(s[SEES_C] == 1 ? "C loses A" : "C sees A again", n -> n[SEES_C] = (byte) (1 - s[SEES_C]));
  }

  private boolean hasStopped(byte[] s) {
    boolean own = s[RESTS] == 1 || s[GRANT_B] > SILENCE || !has(Rule.OWN_GRANT_HAS_ENDED);
    int limit = has(Rule.NEWS_ARE_FRESH) ? PROMISE : OLD;
    boolean other =
        (s[C_HAS_ENDED] != NONE && s[C_HAS_ENDED] <= limit) || !has(Rule.OTHER_GRANT_HAS_ENDED);
    return own && other;
  }

  private static void age(byte[] n) {
    for (int age : AGES) {
      if (n[age] < OLD) {
        n[age]++;
      }
    }
  }

  private static void look(byte[] n) {
    if (!mayAct(n)) {
      n[ENDED] = 1;
    }
  }

  private static void announceA(byte[] n) {
    boolean resting = n[ENDED] == 1 && !mayAct(n);
    n[A_TO_B] = 0;
    n[A_TO_B_RESTS] = (byte) (resting && n[NEWS_AT_A] == 1 ? 1 : 0);
    n[A_TO_C] = 0;
  }

  private void announceB(byte[] n) {
    boolean sees = n[SEES_B] == 1;
    if (sees) {
      n[GRANT_B] = n[SINCE_B];
    }
    n[B_TO_A] = sees ? echo(n[HEARD_B]) : OLD;
    n[B_TO_A_NEWS] = (byte) (sees ? 0 : 1);
    n[B_TO_C] = (byte) (sees ? OLD : 0);
  }

  private void announceC(byte[] n) {
    boolean sees = n[SEES_C] == 1;
    boolean mayGrant = n[PROMISED] > PROMISE || !has(Rule.PROMISES_ARE_KEPT);
    boolean grants = sees && mayGrant;
    if (grants) {
      n[GRANT_C] = n[SINCE_C];
    }
    n[C_TO_A] = grants ? echo(n[HEARD_C]) : OLD;
    boolean stated = has(Rule.PROMISES_ARE_KEPT) ? !sees : !grants;
    boolean ended = stated && n[GRANT_C] > SILENCE;
    if (ended) {
      n[PROMISED] = 0;
    }
    n[C_TO_B] = ended ? n[NEWS_AT_C] : OLD;
  }

  /** What the receiver counts from: the returned clock value, or the moment of sending. */
  private byte echo(byte heard) {
    return has(Rule.GRANTS_COUNT_FROM_THE_ECHO) ? heard : 0;
  }

  private void lookFirst(byte[] n) {
    if (has(Rule.LAPSES_ARE_SEEN)) {
      look(n);
    }
  }

  private void hearB(byte[] n) {
    lookFirst(n);
    n[LEAVE_BY_B] = n[B_TO_A];
    n[NEWS_AT_A] = n[B_TO_A_NEWS];
    n[B_TO_A] = NONE;
    n[B_TO_A_NEWS] = 0;
  }

  private void hearC(byte[] n) {
    lookFirst(n);
    n[LEAVE_BY_C] = n[C_TO_A];
    n[C_TO_A] = NONE;
  }

  private void hearAatB(byte[] n) {
    n[HEARD_B] = n[A_TO_B];
    n[SINCE_B] = 0;
    n[RESTS] = n[SEES_B] == 0 ? n[A_TO_B_RESTS] : 0;
    n[A_TO_B] = NONE;
    n[A_TO_B_RESTS] = 0;
  }

  private static void hearAatC(byte[] n) {
    n[HEARD_C] = n[A_TO_C];
    n[SINCE_C] = 0;
    n[A_TO_C] = NONE;
  }

  private static void hearBatC(byte[] n) {
    n[NEWS_AT_C] = n[B_TO_C];
    n[B_TO_C] = NONE;
  }

  private static void hearCatB(byte[] n) {
    n[C_HAS_ENDED] = n[C_TO_B];
    n[C_TO_B] = NONE;
  }

  /** News of an earlier loss are none of this one. */
  private static void loseAtB(byte[] n) {
    n[SEES_B] = 0;
    n[RESTS] = 0;
    n[NEWS_AT_A] = 0;
    n[B_TO_A_NEWS] = 0;
    n[A_TO_B_RESTS] = 0;
    n[C_HAS_ENDED] = OLD;
    n[NEWS_AT_C] = OLD;
    n[B_TO_C] = n[B_TO_C] == NONE ? NONE : (byte) OLD;
    n[C_TO_B] = n[C_TO_B] == NONE ? NONE : (byte) OLD;
  }

  @Test
  void no_reachable_state_has_two_owners() {
    explore();
    assertThat(violation).isEmpty();
    assertThat(count).as("states").isGreaterThan(1_000_000);
    assertThat(Arrays.stream(steps)).as("B can claim").contains("B claims");
  }

  @ParameterizedTest
  @EnumSource
  void without_one_of_the_rules_there_is_a_way_to_two_owners(Rule rule) {
    rules.remove(rule);
    explore();
    assertThat(violation).as("a way without " + rule).isNotEmpty();
    assertThat(Arrays.stream(violation.split("; ", -1))).contains("B claims");
  }
}
