package dev.mcpbus.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mcpbus.bus.McpFailure;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class McpTaskTest {

  private static JsonObject task() {
    return new JsonObject()
        .put("taskId", "t")
        .put("status", "input_required")
        .put("createdAt", "then")
        .put("lastUpdatedAt", "now");
  }

  @Test
  void both_eras_read_the_same() {
    McpTask discover = McpTask.of(task().put("ttlMs", 5).put("pollIntervalMs", 6));
    McpTask initialize = McpTask.of(task().put("ttl", 5).put("pollInterval", 6));
    assertThat(discover.ttlMillis()).isEqualTo(5).isEqualTo(initialize.ttlMillis());
    assertThat(discover.pollMillis()).isEqualTo(6).isEqualTo(initialize.pollMillis());
    assertThat(discover.status()).isEqualTo(McpTask.Status.INPUT_REQUIRED);
    assertThat(discover.status().isFinal()).isFalse();
    assertThat(discover.createdAt()).isEqualTo("then");
    assertThat(discover.raw().getInteger("ttlMs")).isEqualTo(5);
  }

  @Test
  void no_bound_is_minus_one() {
    assertThat(McpTask.of(task().putNull("ttlMs")).ttlMillis()).isEqualTo(-1);
    assertThat(McpTask.of(task()).pollMillis()).isEqualTo(-1);
  }

  @Test
  void an_answer_is_a_task_in_the_words_of_either_era_or_a_result() {
    McpTask discover = McpTask.ofAnswer(task().put("resultType", "task").put("content", "[]"));
    McpTask initialize = McpTask.ofAnswer(new JsonObject().put("task", task()));
    assertThat(Objects.requireNonNull(discover).id()).isEqualTo("t");
    assertThat(Objects.requireNonNull(initialize).id()).isEqualTo("t");
    JsonObject result = new JsonObject().put("content", new JsonArray()).put("task", task());
    assertThat(McpTask.ofAnswer(result)).isNull();
  }

  @Test
  void what_is_no_task_is_refused() {
    assertThatThrownBy(() -> McpTask.of(new JsonObject().put("status", "working")))
        .isInstanceOf(McpFailure.class);
    assertThatThrownBy(() -> McpTask.of(task().put("status", "perhaps")))
        .isInstanceOf(McpFailure.class);
  }
}
