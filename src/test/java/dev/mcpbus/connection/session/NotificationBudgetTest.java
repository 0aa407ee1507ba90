package dev.mcpbus.connection.session;

import static dev.mcpbus.connection.session.NotificationBudget.BURST;
import static dev.mcpbus.connection.session.NotificationBudget.PER_SECOND;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class NotificationBudgetTest {

  private final NotificationBudget budget = new NotificationBudget(0);

  private long taken(int times, long now) {
    return IntStream.range(0, times).filter(i -> budget.take(now)).count();
  }

  @Test
  void a_burst_passes_and_what_goes_beyond_is_dropped_and_counted() {
    assertThat(taken(BURST + 10, 0)).isEqualTo(BURST);
    assertThat(budget.dropped()).isEqualTo(10);
  }

  @Test
  void it_fills_up_by_so_many_a_second() {
    taken(BURST, 0);
    assertThat(taken(BURST, 500)).isEqualTo(PER_SECOND / 2);
    assertThat(taken(BURST, 1_500)).isEqualTo(PER_SECOND);
  }

  @Test
  void every_notification_is_either_taken_or_counted() {
    long taken = 0;
    for (long now = 0; now < 60_000; now += 10) {
      taken += taken(500, now);
    }
    assertThat(taken).isBetween(60_000L, 65_000L);
    assertThat(taken + budget.dropped()).isEqualTo(3_000_000);
  }
}
