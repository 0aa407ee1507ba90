package dev.mcpbus.connection.tasks;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** How often a task is polled. */
class TaskPollingTest {

  @Test
  void the_interval_that_a_server_wishes_is_kept_within_bounds() {
    assertThat(TaskPolling.bounded(-1)).isEqualTo(1_000);
    assertThat(TaskPolling.bounded(0)).isEqualTo(50);
    assertThat(TaskPolling.bounded(5_000)).isEqualTo(5_000);
    assertThat(TaskPolling.bounded(3_600_000)).isEqualTo(60_000);
  }
}
