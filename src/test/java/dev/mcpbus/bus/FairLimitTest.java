package dev.mcpbus.bus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mcpbus.bus.FairLimit.Outcome;
import dev.mcpbus.bus.FairLimit.Verdict;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FairLimitTest {

  private final FairLimit<Integer> bound = new FairLimit<>(8);
  private int next;

  private int idle(String owner) {
    int entry = used(owner);
    bound.use(entry, false);
    return entry;
  }

  private int used(String owner) {
    Verdict<Integer> verdict = bound.admit(next, owner);
    assertThat(verdict.isRefused()).isFalse();
    return next++;
  }

  @Test
  void a_bound_is_at_least_one() {
    assertThatThrownBy(() -> new FairLimit<>(0)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void the_longest_idle_one_makes_room() {
    int first = idle(FairLimit.ANYBODY);
    for (int i = 0; i < 7; i++) {
      idle(FairLimit.ANYBODY);
    }
    bound.use(first, false); // used just now

    Verdict<Integer> verdict = bound.admit(100, FairLimit.ANYBODY);

    assertThat(verdict).isEqualTo(new Verdict<>(Outcome.EVICT, first + 1));
    assertThat(bound.contains(first + 1)).isFalse();
    assertThat(bound.size()).isEqualTo(8);
  }

  @Test
  void an_entry_in_use_is_never_ended_for_another_owner() {
    for (int i = 0; i < 8; i++) {
      used(FairLimit.ANYBODY);
    }

    assertThat(bound.admit(100, "else").outcome()).isEqualTo(Outcome.REFUSED);
    assertThat(bound.admit(100, FairLimit.ANYBODY).outcome()).isEqualTo(Outcome.REFUSED);
    assertThat(bound.toJson().getLong("refused")).isEqualTo(2);
  }

  @Test
  void one_owner_alone_leaves_a_quarter_of_what_is_in_use_to_others() {
    for (int i = 0; i < 6; i++) {
      used("greedy");
    }

    assertThat(bound.ask("greedy").outcome()).isEqualTo(Outcome.REFUSED);
    assertThat(bound.ask("else").outcome()).isEqualTo(Outcome.ADMITTED);
  }

  @Test
  void beyond_its_share_an_owner_loses_its_own_idle_entry() {
    int first = idle("greedy");
    for (int i = 0; i < 5; i++) {
      idle("greedy");
    }

    assertThat(bound.ask("greedy")).isEqualTo(new Verdict<>(Outcome.EVICT, first));
  }

  @Test
  void an_owner_loses_its_own_idle_entry_before_an_owner_that_holds_less() {
    int small = idle("small");
    int big = idle("big");
    for (int i = 0; i < 3; i++) {
      idle("big");
    }
    for (int i = 0; i < 3; i++) {
      idle("other");
    }

    assertThat(bound.ask("big")).isEqualTo(new Verdict<>(Outcome.EVICT, big));
    assertThat(bound.ask("new")).isEqualTo(new Verdict<>(Outcome.EVICT, small));
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 3, 4, 8, 100})
  void an_owner_without_entries_is_admitted_whatever_one_other_owner_does(int max) {
    for (int idle : List.of(1, 3, Integer.MAX_VALUE)) {
      FairLimit<Integer> fair = new FairLimit<>(max);
      for (int entry = 0; entry < 3 * max; entry++) {
        if (!fair.admit(entry, "greedy").isRefused() && entry % idle == 0) {
          fair.use(entry, false);
        }
        assertThat(fair.ask("newcomer").isRefused()).isFalse();
      }
    }
  }

  /** The rule written down as plainly as possible, in linear time. */
  private static final class Model {

    private record Entry(int id, String owner, boolean inUse, long at) {}

    private final int max;
    private final List<Entry> entries = new ArrayList<>();
    private long time;

    Model(int max) {
      this.max = max;
    }

    private long of(String owner) {
      return entries.stream().filter(one -> one.owner().equals(owner)).count();
    }

    private @Nullable Entry longestIdle(@Nullable String owner) {
      return entries.stream()
          .filter(one -> !one.inUse() && (owner == null || one.owner().equals(owner)))
          .min(Comparator.comparingLong(Entry::at))
          .orElse(null);
    }

    Verdict<Integer> ask(String owner) {
      long others =
          entries.stream().filter(one -> one.inUse() && !one.owner().equals(owner)).count();
      long left = max - others - of(owner);
      boolean may =
          left > 0
              && (owner.equals(FairLimit.ANYBODY)
                  || of(owner) == 0
                  || (left > 1 && of(owner) < 3 * left));
      if (may && entries.size() < max) {
        return new Verdict<>(Outcome.ADMITTED, null);
      }
      Entry own = longestIdle(owner);
      Entry any = may ? longestIdle(null) : null;
      if (any == null || (own != null && of(any.owner()) <= of(owner))) {
        any = own;
      }
      return any == null
          ? new Verdict<>(Outcome.REFUSED, null)
          : new Verdict<>(Outcome.EVICT, any.id());
    }

    void add(int id, String owner) {
      entries.add(new Entry(id, owner, true, 0));
    }

    void remove(int id) {
      entries.removeIf(one -> one.id() == id);
    }

    void use(int id, boolean inUse) {
      entries.replaceAll(one -> one.id() == id ? new Entry(id, one.owner(), inUse, ++time) : one);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 5, 8, 13, 40})
  void it_decides_as_the_rule_says_whatever_happens(int max) {
    for (long seed = 0; seed < 60; seed++) {
      Random random = new Random(seed);
      FairLimit<Integer> fair = new FairLimit<>(max);
      Model model = new Model(max);
      List<String> names = List.of(FairLimit.ANYBODY, "a", "b", "c", "d");
      int owners = 1 + random.nextInt(names.size());
      for (int step = 0; step < 400; step++) {
        String owner = names.get(random.nextInt(owners));
        int some =
            model.entries.isEmpty()
                ? -1
                : model.entries.get(random.nextInt(model.entries.size())).id();
        switch (random.nextInt(5)) {
          case 0, 1 -> {
            Verdict<Integer> wanted = model.ask(owner);
            assertThat(fair.admit(step, owner)).as("seed %d step %d", seed, step).isEqualTo(wanted);
            if (wanted.victim() != null) {
              model.remove(wanted.victim());
            }
            if (!wanted.isRefused()) {
              model.add(step, owner);
            }
          }
          case 2 -> {
            assertThat(fair.remove(some)).isEqualTo(some >= 0);
            model.remove(some);
          }
          default -> {
            boolean inUse = random.nextInt(3) == 0;
            fair.use(some, inUse);
            model.use(some, inUse);
          }
        }
        assertThat(fair.size()).isEqualTo(model.entries.size()).isLessThanOrEqualTo(max);
        assertThat(fair.sizeOf(owner)).isEqualTo((int) model.of(owner));
      }
    }
  }

  @Test
  void it_shows_what_is_used() {
    idle("a");
    used("b");

    assertThat(bound.toJson().encode())
        .isEqualTo("{\"used\":2,\"inUse\":1,\"max\":8,\"owners\":2,\"evicted\":0,\"refused\":0}");
  }
}
