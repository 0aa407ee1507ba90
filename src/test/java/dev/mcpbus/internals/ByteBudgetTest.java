package dev.mcpbus.internals;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.internals.ByteBudget.ByteAccount;
import dev.mcpbus.internals.ByteBudget.ByteUse;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ByteBudgetTest {

  private static final long MIB = 1 << 20;

  /** 64 MiB for each use, of which 8 are for small accounts. */
  private final ByteBudget budget = new ByteBudget(128 * MIB, 0);

  private int taken(String owner, int most, long each) {
    int count = 0;
    while (count < most && budget.account(ByteUse.REQUESTS, owner).take(each)) {
      count++;
    }
    return count;
  }

  @Test
  void an_owner_holds_no_more_than_it_leaves_to_others() {
    assertThat(taken("attacker", 30, 15 * MIB)).isEqualTo(1);
    assertThat(taken("attacker", 30, MIB)).as("and 28 of 56 MiB in all").isEqualTo(13);
    assertThat(taken("other", 1, 14 * MIB)).isEqualTo(1);
  }

  @Test
  void an_account_gives_back_no_more_than_it_holds() {
    ByteAccount account = budget.account(ByteUse.ANSWERS, "attacker");
    account.take(MIB);
    account.give(MIB);
    account.give(MIB);
    account.close();
    account.give(MIB);
    assertThat(budget.used()).isZero();
  }

  @Test
  void an_account_of_a_few_bytes_is_not_counted() {
    ByteBudget counting = new ByteBudget(128 * MIB, 4096);
    ByteAccount account = counting.account(ByteUse.ANSWERS, "ann");
    assertThat(account.take(4000)).isTrue();
    assertThat(counting.used()).isZero();
    assertThat(account.take(MIB)).isTrue();
    assertThat(counting.used()).isEqualTo(4000 + MIB);
    account.give(MIB - 1000);
    assertThat(counting.used()).isEqualTo(5000);
    account.give(1000);
    assertThat(counting.used()).isZero();
    account.take(MIB);
    account.close();
    assertThat(counting.used()).isZero();
    assertThat(account.take(1)).isFalse();
  }

  @Test
  void each_use_has_room_of_its_own_and_all_together_half_of_that() {
    for (ByteUse use : ByteUse.values()) {
      for (int i = 0; i < 20; i++) {
        budget.account(use, "owner-" + i).take(7 * MIB);
      }
    }
    assertThat(budget.used()).isBetween(60 * MIB, 128 * MIB);
    budget.each((name, counts) -> assertThat(counts.get("used")).as(name).isLessThan(64 * MIB));
  }

  @Test
  void where_long_bodies_of_all_have_taken_their_part_small_ones_still_pass() {
    for (int i = 0; i < 100; i++) {
      taken("owner-" + i, 100, MIB);
    }
    assertThat(budget.account(ByteUse.REQUESTS, "next").take(MIB)).isFalse();
    assertThat(taken("next", 60, ByteBudget.SMALL)).isEqualTo(60);
    assertThat(taken("owner-1", 1, ByteBudget.SMALL)).as("one with its share").isZero();
  }

  @Test
  void a_refusal_names_the_bound_the_share_and_the_remedy() {
    taken("ann", 30, 15 * MIB);
    assertThat(budget.account(ByteUse.REQUESTS, "ann").refusal(15 * MIB))
        .contains("15 MiB more", "of requests", "at most 64 MiB", "'ann' 15 MiB")
        .contains("bridge.maxBytesInFlight", "-Xmx");
  }

  @Test
  void what_is_closed_pays_for_nothing_more() {
    ByteAccount account = budget.account(ByteUse.RESULTS, "s");
    assertThat(account.take(MIB)).isTrue();
    account.close();
    assertThat(account.take(1)).isFalse();
    account.close();
    account.give(MIB);
    assertThat(budget.used()).isZero();
  }

  @Test
  void an_announced_body_is_paid_at_once_and_another_as_it_grows() {
    HeldBytes announced = new HeldBytes(100_000, 0, budget.account(ByteUse.REQUESTS, "a"));
    assertThat(announced.announce(90_000)).isEqualTo(HeldBytes.Fit.HELD);
    assertThat(budget.used()).isEqualTo(90_000);
    assertThat(announced.announce(100_001)).isEqualTo(HeldBytes.Fit.TOO_LONG);
    announced.clear();
    for (int i = 0; i < 100; i++) {
      assertThat(announced.add(Buffer.buffer(new byte[1_000]))).isEqualTo(HeldBytes.Fit.HELD);
      assertThat(budget.used()).isBetween((long) announced.length(), 100_000L);
    }
    assertThat(announced.add(new byte[1], 0, 1)).isEqualTo(HeldBytes.Fit.TOO_LONG);
    assertThat(announced.length()).isEqualTo(100_000);
    announced.clear();
    assertThat(budget.used()).isZero();
  }

  /** Bodies that begin, grow, are given back in part, end, end again, or grow after their end. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void in_any_order_no_bound_is_passed_and_nothing_is_left_at_the_end(long seed) {
    Random random = new Random(seed);
    List<ByteAccount> open = new ArrayList<>();
    List<HeldBytes> bodies = new ArrayList<>();
    for (int step = 0; step < 20_000; step++) {
      if (open.isEmpty() || random.nextInt(5) == 0) {
        ByteUse use =
            List.of(ByteUse.REQUESTS, ByteUse.RESULTS, ByteUse.ANSWERS, ByteUse.KEPT)
                .get(random.nextInt(4));
        ByteAccount fresh = budget.account(use, "owner-" + random.nextInt(6));
        open.add(fresh);
        bodies.add(new HeldBytes((int) (4 * MIB), random.nextInt(2) * 1_000, fresh));
        continue;
      }
      int which = random.nextInt(open.size());
      switch (random.nextInt(6)) {
        case 0 -> bodies.get(which).announce(random.nextInt((int) MIB));
        case 1, 2 -> bodies.get(which).add(new byte[9_000], 0, random.nextInt(9_000));
        case 3 -> bodies.get(which).clear();
        case 4 -> {
          Promise<Void> end = Promise.promise();
          open.get(which).closeAfter(end.future());
          end.fail("reset");
        }
        default -> {
          open.get(which).closeAfter(Future.succeededFuture());
          bodies.remove(which);
          open.remove(which);
        }
      }
      assertThat(budget.used()).isBetween(0L, 128 * MIB);
    }
    open.forEach(ByteAccount::close);
    assertThat(budget.used()).isZero();
    budget.each(
        (name, counts) ->
            assertThat(counts).as(name).containsAllEntriesOf(Map.of("used", 0L, "owners", 0L)));
  }
}
