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
}
