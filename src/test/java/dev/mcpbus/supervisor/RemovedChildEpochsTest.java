package dev.mcpbus.supervisor;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RemovedChildEpochsTest {

  private final RemovedChildEpochs epochs = new RemovedChildEpochs();

  @Test
  void a_child_of_the_same_id_continues_and_another_begins() {
    epochs.put("a", 7);
    epochs.put("a", 0);
    assertThat(epochs.before("a")).isEqualTo(7);
    assertThat(epochs.before("b")).isZero();
  }

  @Test
  void the_oldest_of_many_is_dropped_and_no_epoch_is_used_twice() {
    epochs.put("first", 5);
    for (int i = 0; i < RemovedChildEpochs.MAX; i++) {
      epochs.put("lease-" + i, 1);
    }
    assertThat(epochs.before("first")).isEqualTo(5);
    assertThat(epochs.before("never seen")).isEqualTo(5);
    assertThat(epochs.before("lease-" + (RemovedChildEpochs.MAX - 1))).isEqualTo(1);
  }
}
