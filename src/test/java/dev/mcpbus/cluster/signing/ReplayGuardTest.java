package dev.mcpbus.cluster.signing;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ReplayGuardTest {

  private static final long MINUTE = Duration.ofMinutes(1).toMillis();
  private static final long HOUR = Duration.ofHours(1).toMillis();

  /** The time of day of this process; each message names its sender's. */
  private long time = 1_700_000_000_000L;

  private long clock = 5_000;
  private final ReplayGuard senders =
      new ReplayGuard(() -> Instant.ofEpochMilli(time), () -> clock);

  private @Nullable String sent(long number, long theirTime, long theirClock) {
    return senders.refusal("them", number, true, theirTime, theirClock);
  }

  private void pass(long millis) {
    time += millis;
    clock += millis;
  }

  @Test
  void a_sent_message_passes_once_and_a_published_one_for_each_receiver() {
    assertThat(sent(1, time, 77)).isNull();
    assertThat(sent(1, time, 77)).contains("before");
    assertThat(sent(2, time, 77)).isNull();
    for (int listener = 0; listener < 3; listener++) {
      assertThat(senders.refusal("them", 3, false, time, 77)).isNull();
    }
  }

  @Test
  void a_message_that_was_kept_back_does_not_pass_later() {
    assertThat(sent(1, time, 0)).isNull();
    long sentAt = time;
    pass(3 * MINUTE);
    assertThat(sent(2, sentAt, 0)).contains("more than 120 s ago");
    assertThat(senders.refusal("them", 3, false, sentAt, 0)).contains("more than 120 s ago");
    assertThat(sent(4, time, 3 * MINUTE)).isNull();
  }

  @Test
  void times_of_day_that_differ_by_ten_minutes_do_no_harm_in_either_direction() {
    for (long skew : new long[] {10 * MINUTE, -10 * MINUTE}) {
      String them = "skewed by " + skew;
      for (int i = 0; i < 10; i++) {
        assertThat(senders.refusal(them, i, true, time + skew, clock + 1_000)).isNull();
        pass(MINUTE);
      }
    }
  }

  @Test
  void a_clock_that_is_set_while_it_runs_does_no_harm() {
    assertThat(sent(1, time, 0)).isNull();
    pass(MINUTE);
    assertThat(sent(2, time - 30 * MINUTE, MINUTE)).isNull();
  }

  @Test
  void messages_of_a_machine_that_was_suspended_pass_again() {
    assertThat(sent(1, time, 0)).isNull();
    pass(HOUR);
    assertThat(sent(2, time, 1)).isNull();
  }

  @Test
  void an_old_message_of_an_unknown_sender_does_not_pass() {
    assertThat(sent(1, time - HOUR - 1, 0)).contains("3600 s ago").contains("NTP");
    assertThat(sent(1, time + HOUR + 1_000, 0)).contains("in the future");
    assertThat(sent(1, time, 0)).isNull();
  }

  @Test
  void so_many_senders_are_remembered_and_those_silent_longest_make_room() {
    for (int i = 0; i < 5_000; i++) {
      assertThat(senders.refusal("s" + i, 0, true, time, 0)).isNull();
    }
    assertThat(senders.refusal("s4999", 0, true, time, 0)).contains("before");
  }
}
