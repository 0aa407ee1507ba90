package dev.mcpbus.bridge;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class PauseDetectorTest {

  private final AtomicLong clock = new AtomicLong(5_000);
  private final PauseDetector naps = new PauseDetector(clock::get);

  private void runFor(long millis) {
    for (long at = 0; at < millis; at += PauseDetector.TICK_MILLIS) {
      clock.addAndGet(PauseDetector.TICK_MILLIS);
      naps.tick();
    }
  }

  @Test
  void a_process_that_runs_makes_nothing_wait() {
    assertThat(naps.waited()).isZero();
    runFor(3_000);
    clock.addAndGet(900);
    assertThat(naps.waited()).isZero();
  }

  @Test
  void a_read_before_the_first_tick_after_a_pause_may_have_waited_for_all_of_it() {
    runFor(1_000);
    clock.addAndGet(15_000);

    assertThat(naps.waited()).isEqualTo(15_000);
    assertThat(naps.waited()).isEqualTo(15_000);
  }

  @Test
  void what_is_read_soon_after_the_tick_too_and_later_nothing() {
    runFor(1_000);
    clock.addAndGet(2_000);
    naps.tick();
    runFor(1_000);
    assertThat(naps.waited()).isEqualTo(2_000);

    runFor(250);
    assertThat(naps.waited()).isZero();
  }
}
