package dev.mcpbus.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TaskIdTest {

  private static final String MARK = "\"io.modelcontextprotocol/related-task\"";

  private static RawJson json(String text) {
    return RawJson.of(text);
  }

  @Test
  void the_id_of_a_task_is_replaced_and_everything_else_stays() {
    RawJson task = json("{\"status\":\"working\",\"taskId\":\"1\",\"x\":1.0}");
    assertThat(TaskId.of(task)).isEqualTo("1");
    assertThat(TaskId.with(task, "a"))
        .hasToString("{\"status\":\"working\",\"taskId\":\"a\",\"x\":1.0}");
  }

  @Test
  void the_mark_of_a_message_keeps_what_else_the_server_put_there() {
    RawJson message =
        json("{\"_meta\":{\"a\":1," + MARK + ":{\"x\":[2],\"taskId\":\"1\"}},\"content\":[]}");
    assertThat(TaskId.related(message)).isEqualTo("1");
    assertThat(TaskId.withRelated(message, "b"))
        .hasToString(
            "{\"_meta\":{\"a\":1," + MARK + ":{\"x\":[2],\"taskId\":\"b\"}},\"content\":[]}");
  }

  @Test
  void all_that_a_task_names_gets_another_name_and_the_rest_keeps_its_bytes() {
    String task =
        "{\"taskId\":\"1\",\"x\":1.0,\"_meta\":{"
            + MARK
            + ":{\"taskId\":\"1\"}},\"result\":{\"n\":0.10,\"_meta\":{"
            + MARK
            + ":{\"taskId\":\"2\"}}},\"inputRequests\":{\"q\":{\"method\":\"m\",\"params\":{\"_meta\":{"
            + MARK
            + ":{\"taskId\":\"1\"}}}},\"p\":7}}";
    assertThat(TaskId.renamed(json(task), own -> "to" + own))
        .hasToString(task.replaceAll("\"taskId\":\"(.)\"", "\"taskId\":\"to$1\""));
    String plain = "{\"status\": \"x\", \"result\":{ \"_meta\":{} },\"inputRequests\":[1]}";
    assertThat(TaskId.renamed(json(plain), own -> "to" + own)).hasToString(plain);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "{\"_meta\":null}",
        "{\"_meta\":{" + MARK + ":7}}",
        "{\"_meta\":{" + MARK + ":{\"taskId\":7}}}"
      })
  void a_message_without_a_mark_belongs_to_no_task_and_can_get_one(String message) {
    assertThat(TaskId.related(json(message))).isEmpty();
    assertThat(TaskId.withRelated(json(message), "1"))
        .hasToString("{\"_meta\":{" + MARK + ":{\"taskId\":\"1\"}}}");
  }
}
