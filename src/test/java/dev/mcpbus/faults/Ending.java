package dev.mcpbus.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.McpFailure.Sent;
import io.vertx.core.json.JsonObject;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * How a call ended, and when.
 *
 * @param sentAt {@code System.nanoTime()} before it was sent
 * @param endedAt the same when its ending arrived
 */
record Ending(@Nullable JsonObject result, @Nullable McpFailure failed, long sentAt, long endedAt) {

  long millis() {
    return TimeUnit.NANOSECONDS.toMillis(endedAt - sentAt);
  }

  /** The failure, which must be this one. */
  McpFailure failure(FailureCode code, Sent sent) {
    assertThat(failed).as("expected %s but got %s", code, result).isNotNull();
    McpFailure failure = failed == null ? new McpFailure(code, sent, "") : failed;
    assertThat(failure.code()).as(failure.getMessage()).isEqualTo(code);
    assertThat(failure.sent()).as(failure.getMessage()).isEqualTo(sent);
    return failure;
  }

  /** The text of a tool's result. */
  String text() {
    assertThat(failed).isNull();
    assertThat(result).isNotNull();
    return result == null
        ? ""
        : result.getJsonArray("content").getJsonObject(0).getString("text", "");
  }
}
