package dev.mcpbus.cluster.membership;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class ClockOffsetsTest {

  private static final long AHEAD = 300_000;
  private static final long BUCKET = 600_000;

  private final AtomicLong clock = new AtomicLong(10 * BUCKET);
  private final ClockOffsets transit = new ClockOffsets(clock::get);

  /** What the other node's clock shows now. */
  private long theirs() {
    return clock.get() + AHEAD;
  }

  private void arrivesAfter(long millis, Runnable arrival) {
    clock.addAndGet(millis);
    arrival.run();
  }

  @Test
  void a_message_of_a_node_without_a_known_clock_counts_as_new() {
    assertThat(transit.underWay("n1", 0)).isZero();
  }

  @Test
  void clocks_that_differ_by_five_minutes_do_not_matter() {
    long told = theirs();
    arrivesAfter(3, () -> transit.heard("n1", told));

    long sent = theirs();
    clock.addAndGet(3);
    assertThat(transit.underWay("n1", sent)).isZero();
    clock.addAndGet(11_000);
    assertThat(transit.underWay("n1", sent)).isEqualTo(11_000);
  }

  @Test
  void the_fastest_fact_counts_and_not_those_that_lay_in_a_buffer() {
    long slow = theirs();
    arrivesAfter(12_000, () -> transit.heard("n1", slow));
    long fast = theirs();
    arrivesAfter(1, () -> transit.heard("n1", fast));
    long slowAgain = theirs();
    arrivesAfter(12_000, () -> transit.heard("n1", slowAgain));

    long sent = theirs();
    clock.addAndGet(500);
    assertThat(transit.underWay("n1", sent)).isEqualTo(499);
  }

  @Test
  void what_is_faster_than_anything_before_was_not_under_way_at_all() {
    long told = theirs();
    arrivesAfter(50, () -> transit.heard("n1", told));

    assertThat(transit.underWay("n1", theirs())).isZero();
  }

  @Test
  void a_difference_is_forgotten_in_time_for_clocks_drift() {
    long told = theirs();
    arrivesAfter(0, () -> transit.heard("n1", told));
    // The other clock loses 100 ms in each bucket.
    for (int i = 1; i <= 2; i++) {
      clock.addAndGet(BUCKET);
      transit.heard("n1", theirs() - 100L * i);
    }

    assertThat(transit.underWay("n1", theirs() - 200)).isEqualTo(100);
    clock.addAndGet(BUCKET);
    transit.heard("n1", theirs() - 300);
    assertThat(transit.underWay("n1", theirs() - 300)).isEqualTo(100);
  }

  @Test
  void each_node_has_a_clock_of_its_own() {
    transit.heard("n1", theirs());
    transit.heard("n2", clock.get());
    clock.addAndGet(10);

    assertThat(transit.underWay("n1", theirs() - 10)).isEqualTo(10);
    assertThat(transit.underWay("n2", clock.get() - 10)).isEqualTo(10);
  }

  @Test
  void the_clock_of_a_machine_that_was_suspended_is_right_again_with_its_next_answer() {
    long told = theirs();
    arrivesAfter(3, () -> transit.heard("n1", told));
    clock.addAndGet(60_000);
    long asleep = 60_000; // its clock stood still for so long
    long asked = clock.get();
    long answered = theirs() - asleep + 5;
    arrivesAfter(10, () -> transit.heard("n1", answered));
    transit.answered("n1", answered, asked);

    long sent = theirs() - asleep;
    clock.addAndGet(400);
    assertThat(transit.underWay("n1", sent)).isBetween(390L, 410L);
  }
}
