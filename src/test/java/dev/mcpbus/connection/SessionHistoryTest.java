package dev.mcpbus.connection;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.protocol.Redactor;
import dev.mcpbus.transport.OutputListener.OutputStreamName;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class SessionHistoryTest {

  private final OutputLog output = new OutputLog(() -> 0);
  private final SessionHistory history = new SessionHistory(output, Redactor.NONE);

  private JsonArray endings() {
    return history.toJson().getJsonArray("endings");
  }

  private void write(String text) {
    output.line(OutputStreamName.STDERR, text.getBytes(StandardCharsets.UTF_8), false);
  }

  private static McpFailure exit(String message) {
    return McpFailure.maybeSent(FailureCode.UPSTREAM_EXITED, message);
  }

  @Test
  void an_ending_has_its_cause_and_the_last_lines_of_its_own_session() {
    write("of the first");
    history.starting(1_000);
    for (int i = 1; i <= 12; i++) {
      write("line " + i);
    }
    history.ended(7, true, exit("exit code 3"), 4_500);

    JsonObject ending = endings().getJsonObject(0);
    assertThat(ending.getLong("epoch")).isEqualTo(7);
    assertThat(ending.getBoolean("wasReady")).isTrue();
    assertThat(ending.getLong("lastedMillis")).isEqualTo(3_500);
    assertThat(ending.getString("code")).isEqualTo("UPSTREAM_EXITED");
    assertThat(ending.getString("message")).isEqualTo("exit code 3");
    JsonArray lines = ending.getJsonArray("output");
    assertThat(lines).hasSize(10);
    assertThat(lines.getJsonObject(0).getString("text")).isEqualTo("line 3");

    history.starting(5_000);
    history.ended(8, false, exit("again"), 5_100);
    assertThat(endings().getJsonObject(0).getJsonArray("output")).isEmpty();
  }

  @Test
  void the_last_twenty_are_kept_the_newest_first_with_bounded_messages() {
    for (int i = 1; i <= 25; i++) {
      history.starting(0);
      history.ended(i, false, exit("x".repeat(9_000)), 0);
    }
    assertThat(endings()).hasSize(20);
    assertThat(endings().getJsonObject(0).getLong("epoch")).isEqualTo(25);
    assertThat(endings().getJsonObject(19).getLong("epoch")).isEqualTo(6);
    assertThat(endings().getJsonObject(0).getString("message")).hasSize(2_000);
  }
}
