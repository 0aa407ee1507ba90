package dev.mcpbus.connection;

import static dev.mcpbus.connection.NotificationBudget.BURST;
import static dev.mcpbus.connection.NotificationBudget.FLOOD;
import static dev.mcpbus.connection.NotificationBudget.PER_SECOND;
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
    assertThat(budget.isFlood()).isFalse();
  }

  @Test
  void it_fills_up_by_so_many_a_second() {
    taken(BURST, 0);
    assertThat(taken(BURST, 500)).isEqualTo(PER_SECOND / 2);
    assertThat(taken(BURST, 1_500)).isEqualTo(PER_SECOND);
  }

  @Test
  void one_that_goes_on_is_a_flood() {
    taken(BURST + FLOOD, 0);
    assertThat(budget.isFlood()).isTrue();
  }

  @Test
  void a_quiet_time_makes_earlier_excess_forgotten() {
    taken(BURST + FLOOD - 1, 0);
    taken(1, 60_000);
    taken(BURST + 1, 60_000);
    assertThat(budget.isFlood()).isFalse();
    assertThat(budget.dropped()).isGreaterThan(FLOOD);
  }
}
