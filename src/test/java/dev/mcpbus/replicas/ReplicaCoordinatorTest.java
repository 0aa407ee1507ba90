package dev.mcpbus.replicas;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.bus.Headers;
import io.vertx.core.MultiMap;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class ReplicaCoordinatorTest {

  private static Duration timeout(MultiMap headers) {
    return Duration.ofMillis(ReplicaCoordinator.timeout(headers));
  }

  @Test
  void a_call_without_a_deadline_waits_for_the_speaker_longer_than_any_connection_works_on_it() {
    assertThat(timeout(MultiMap.caseInsensitiveMultiMap())).isGreaterThan(Duration.ofMinutes(30));
  }

  @Test
  void a_call_with_a_deadline_leaves_the_speaker_time_to_report_that_it_has_passed() {
    MultiMap headers = MultiMap.caseInsensitiveMultiMap().add(Headers.DEADLINE, "5000");
    assertThat(timeout(headers)).isBetween(Duration.ofMillis(5_100), Duration.ofMillis(6_000));

    headers.set(Headers.DEADLINE, "0");
    assertThat(timeout(headers)).isPositive();
  }
}
