package dev.mcpbus.bus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertx.core.json.JsonObject;
import org.junit.jupiter.api.Test;

class CallCancellationTest {

  @Test
  void the_body_names_the_call() {
    assertThat(CallCancellation.callId(CallCancellation.body("a-1"))).isEqualTo("a-1");
  }

  @Test
  void a_body_that_names_no_call_is_refused() {
    for (Object body : new Object[] {new JsonObject(), new JsonObject().put("callId", 1), "a-1"}) {
      assertThatThrownBy(() -> CallCancellation.callId(body))
          .isInstanceOfSatisfying(
              McpFailure.class,
              failure -> assertThat(failure.code()).isEqualTo(FailureCode.BAD_REQUEST))
          .hasMessageContaining("the body must be {\"callId\": string}");
    }
    assertThatThrownBy(() -> CallCancellation.callId(null)).isInstanceOf(McpFailure.class);
  }

  @Test
  void what_the_client_says_is_one_json_object_or_nothing() {
    JsonObject body = CallCancellation.body("a-1");
    assertThat(CallCancellation.params(body)).isNull();
    assertThat(CallCancellation.params(body.put("params", "{\"reason\":\n1.0}")))
        .hasToString("{\"reason\": 1.0}");
    assertThatThrownBy(() -> CallCancellation.params(body.put("params", "{},\"id\":1")))
        .isInstanceOfSatisfying(
            McpFailure.class,
            failure -> assertThat(failure.code()).isEqualTo(FailureCode.BAD_REQUEST));
  }
}
