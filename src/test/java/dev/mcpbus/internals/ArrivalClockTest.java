package dev.mcpbus.internals;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.embedded.EmbeddedChannel;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class ArrivalClockTest {

  private static final long TICK = ArrivalClock.TICK_MILLIS;

  private final AtomicLong now = new AtomicLong(TimeUnit.MILLISECONDS.toNanos(-300));
  private final ArrivalClock clock = new ArrivalClock(now::get);
  private final ArrivalClock acceptor = new ArrivalClock(now::get);
  private final InboundConnection connection = new InboundConnection(new EmbeddedChannel(), "one");

  private void pass(long millis) {
    now.addAndGet(TimeUnit.MILLISECONDS.toNanos(millis));
  }

  private void onTimeFor(long millis) {
    for (long at = 0; at < millis; at += TICK) {
      pass(TICK);
      clock.tick();
      acceptor.tick();
    }
  }

  /** How long what is read now may have waited. */
  private long waited() {
    return clock.waited(clock.arrived(connection));
  }

  private void openedLongAgo() {
    clock.opened(connection, acceptor);
    onTimeFor(1_000);
  }

  @Test
  void an_event_loop_that_is_on_time_makes_nothing_wait() {
    clock.opened(connection, acceptor);
    assertThat(waited()).isZero();
    for (int i = 0; i < 20; i++) {
      pass(TICK - 1);
      assertThat(waited()).isZero();
      pass(1);
      clock.tick();
      assertThat(waited()).isZero();
    }
  }

  @Test
  void what_is_read_after_a_pause_may_have_waited_for_all_of_it() {
    openedLongAgo();
    pass(15_000);

    assertThat(waited()).isBetween(15_000 - TICK, 15_000L);
    clock.tick();
    assertThat(waited()).isBetween(15_000 - 2 * TICK, 15_000L);
    clock.tick();
    assertThat(waited()).isZero();
  }

  @Test
  void an_event_loop_that_is_late_each_time_makes_what_it_reads_wait_for_its_last_round() {
    openedLongAgo();
    for (int round = 0; round < 5; round++) {
      pass(600);
      clock.tick();
    }

    assertThat(waited()).isBetween(600 - 2 * TICK, 600L);
    pass(400); // it reads one socket after another
    assertThat(waited()).isBetween(1_000 - 2 * TICK, 1_000L);
  }

  @Test
  void the_first_request_of_a_connection_may_have_waited_since_before_its_event_loop_got_it() {
    onTimeFor(1_000);
    pass(2_000);
    clock.tick();
    clock.opened(connection, acceptor);
    pass(700);

    assertThat(waited()).isBetween(2_700 - 4 * TICK, 2_700L);
    clock.tick(); // the event loop has looked at the connection meanwhile
    assertThat(waited()).isBetween(700 - 2 * TICK, 700L);
  }

  @Test
  void a_client_that_sends_long_after_it_has_connected_has_not_waited() {
    onTimeFor(1_000);
    clock.opened(connection, acceptor);
    for (int i = 0; i < 20; i++) {
      assertThat(waited()).isZero();
      onTimeFor(TICK);
    }
  }

  @Test
  void a_connection_that_is_accepted_late_after_a_pause_may_have_waited_for_all_of_it() {
    onTimeFor(1_000);
    pass(15_000);
    for (int round = 0; round < 5; round++) {
      clock.tick(); // it catches up, once between two looks at its sockets
    }
    pass(1);
    clock.opened(connection, acceptor); // the one that accepts has not ticked yet
    assertThat(waited()).isBetween(15_000 - 4 * TICK, 15_000L);

    acceptor.tick();
    onTimeFor(900);
    InboundConnection late = new InboundConnection(new EmbeddedChannel(), "two");
    clock.opened(late, acceptor);
    assertThat(clock.waited(clock.arrived(late))).isBetween(15_000 - 4 * TICK, 15_000L);
  }

  @Test
  void a_second_after_a_pause_nothing_is_left_of_it() {
    onTimeFor(1_000);
    pass(15_000);
    acceptor.tick();
    clock.tick();
    onTimeFor(500);
    pass(3 * TICK); // a short one does not hide the long one, and does not last longer
    acceptor.tick();
    clock.tick();
    onTimeFor(900);
    clock.opened(connection, acceptor);
    assertThat(waited()).isBetween(15_000 - 4 * TICK, 15_000L);

    onTimeFor(200);
    InboundConnection fresh = new InboundConnection(new EmbeddedChannel(), "two");
    clock.opened(fresh, acceptor);
    assertThat(clock.waited(clock.arrived(fresh))).isZero();
  }

  @Test
  void time_that_passes_after_the_head_of_the_request_counts() {
    openedLongAgo();
    long arrived = clock.arrived(connection);
    onTimeFor(3_000);

    assertThat(clock.waited(arrived)).isEqualTo(3_000);
  }

  @Test
  void on_a_machine_that_is_always_late_a_pause_does_not_last_for_ever() {
    onTimeFor(1_000);
    pass(15_000);
    for (int i = 0; i < 50; i++) {
      acceptor.tick();
      clock.tick();
      pass(3 * TICK);
    }
    clock.opened(connection, acceptor);
    assertThat(waited()).isLessThan(10 * TICK);
  }
}
