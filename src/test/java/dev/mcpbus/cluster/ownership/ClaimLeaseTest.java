package dev.mcpbus.cluster.ownership;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

class ClaimLeaseTest {

  private static final class TestVote implements ClaimLease.PeerVote {
    private boolean allows = true;
    private boolean vouches;

    @Override
    public boolean allows() {
      return allows;
    }

    @Override
    public boolean vouches() {
      return vouches;
    }
  }

  private final AtomicLong now = new AtomicLong(1_000_000);
  private final TestVote word = new TestVote();
  private final ClaimLease lease = new ClaimLease(now::get, 20_000, 4_000, word);

  private boolean isHeld() {
    return lease.life().getAsBoolean();
  }

  private void passes(long millis) {
    now.addAndGet(millis);
  }

  private void ticks(long millis) {
    for (long passed = 0; passed < millis; passed += 500) {
      passes(500);
      lease.tick();
    }
  }

  @Test
  void is_not_held_before_the_claims_were_read() {
    assertThat(isHeld()).isFalse();
    lease.verified(now.get());
    assertThat(isHeld()).isTrue();
  }

  @Test
  void ends_when_the_claims_cannot_be_read_for_too_long() {
    lease.verified(now.get());
    ticks(20_000);
    assertThat(isHeld()).isTrue();
    ticks(500);
    assertThat(isHeld()).isFalse();
  }

  @Test
  void ends_at_once_where_the_process_has_slept_even_before_a_tick() {
    lease.verified(now.get());
    passes(4_001);
    assertThat(isHeld()).isFalse();
    assertThat(lease.tick())
        .as("the tick after the sleep")
        .isEqualTo("this process did not run for 4 s");
  }

  @Test
  void ends_without_a_quorum() {
    lease.verified(now.get());
    word.allows = false;
    assertThat(isHeld()).isFalse();
    assertThat(lease.tick()).contains("quorum");
  }

  @Test
  void while_other_nodes_vouch_neither_a_gap_nor_a_late_reading_ends_it() {
    word.vouches = true;
    BooleanSupplier life = lease.life();
    passes(60_000);
    assertThat(life.getAsBoolean()).isTrue();
    assertThat(lease.tick()).isNull();
    assertThat(life.getAsBoolean()).isTrue();
  }

  @Test
  void a_lapse_that_a_tick_has_seen_ends_the_life_whatever_is_granted_later() {
    word.vouches = true;
    BooleanSupplier life = lease.life();
    passes(8_000);
    word.vouches = false;
    assertThat(lease.tick()).isEqualTo("this process did not run for 8 s");
    word.vouches = true;
    assertThat(life.getAsBoolean()).isFalse();
    assertThat(lease.life().getAsBoolean()).as("the next life").isTrue();
  }

  @Test
  void once_ended_it_is_held_again_only_after_the_claims_were_read() {
    lease.verified(now.get());
    lease.end();
    assertThat(lease.tick()).isEqualTo("the claims could not be read for 20 s");
    lease.verified(now.get());
    assertThat(lease.tick()).isNull();
    assertThat(isHeld()).isTrue();
  }
}
