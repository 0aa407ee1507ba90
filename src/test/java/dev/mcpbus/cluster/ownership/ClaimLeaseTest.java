package dev.mcpbus.cluster.ownership;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class ClaimLeaseTest {

  private final AtomicLong now = new AtomicLong(1_000_000);
  private final AtomicBoolean quorum = new AtomicBoolean(true);
  private final ClaimLease lease = new ClaimLease(now::get, 20_000, 4_000, quorum::get);

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
    assertThat(lease.isHeld()).isFalse();
    lease.verified(now.get());
    assertThat(lease.isHeld()).isTrue();
  }

  @Test
  void ends_when_the_claims_cannot_be_read_for_too_long() {
    lease.verified(now.get());
    ticks(20_000);
    assertThat(lease.isHeld()).isTrue();
    ticks(500);
    assertThat(lease.isHeld()).isFalse();
  }

  @Test
  void ends_at_once_where_the_process_has_slept_even_before_a_tick() {
    lease.verified(now.get());
    passes(4_001);
    assertThat(lease.isHeld()).isFalse();
    assertThat(lease.tick())
        .as("the tick after the sleep")
        .isEqualTo("this process did not run for 4 s");
  }

  @Test
  void ends_without_a_quorum() {
    lease.verified(now.get());
    quorum.set(false);
    assertThat(lease.isHeld()).isFalse();
    assertThat(lease.tick()).contains("quorum");
  }

  @Test
  void once_ended_it_is_held_again_only_after_the_claims_were_read() {
    lease.verified(now.get());
    lease.end();
    assertThat(lease.tick()).isEqualTo("the claims could not be read for 20 s");
    lease.verified(now.get());
    assertThat(lease.tick()).isNull();
  }
}
