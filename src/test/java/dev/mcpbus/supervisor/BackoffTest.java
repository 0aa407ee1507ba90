package dev.mcpbus.supervisor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.LongSummaryStatistics;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class BackoffTest {

  @Test
  void grows_by_its_factor_up_to_its_ceiling_and_stays_there() {
    assertThat(
            IntStream.of(1, 2, 3, 8, 9, 10, 1_000_000, Integer.MAX_VALUE)
                .mapToObj(n -> Backoff.DEFAULT.delay(n, SupervisionDriver.NO_CHANCE).toMillis()))
        .containsExactly(100L, 200L, 400L, 12_800L, 25_600L, 30_000L, 30_000L, 30_000L);
  }

  @Test
  void jitter_stays_within_its_share_and_uses_all_of_it() {
    Random random = new Random(7);
    LongSummaryStatistics delays =
        IntStream.range(0, 10_000)
            .mapToLong(i -> Backoff.DEFAULT.delay(5, random).toMillis())
            .summaryStatistics();
    assertThat(delays.getMin()).isBetween(1_280L, 1_300L);
    assertThat(delays.getMax()).isBetween(1_900L, 1_920L);
    assertThat(delays.getAverage()).isBetween(1_590.0, 1_610.0);
  }

  @Test
  void refuses_to_shrink() {
    Duration second = Duration.ofSeconds(1);
    assertThatThrownBy(() -> new Backoff(second, second, 0.5, 0))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new Backoff(second, Duration.ZERO, 2, 0))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new Backoff(second, second, 2, 1.1))
        .hasMessageContaining("jitter must be 0 to 1");
  }
}
