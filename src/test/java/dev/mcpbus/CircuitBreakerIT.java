package dev.mcpbus;

import static dev.mcpbus.testing.Entries.scripted;
import static dev.mcpbus.testing.TestBus.address;
import static dev.mcpbus.testing.TestBus.server;
import static dev.mcpbus.testing.TestBus.toolCall;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.Events;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.Headers;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.testing.Http;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** The circuit breaker of a server that runs as a process. */
class CircuitBreakerIT {

  private static final DeliveryOptions SHORT =
      new DeliveryOptions().addHeader(Headers.DEADLINE, "150");

  private static McpFailure hang(TestBus bus) {
    return bus.failure(
        address("s", Addresses.TOOLS_CALL), toolCall("hang", new JsonObject()), SHORT);
  }

  private static int counted(TestBus bus) {
    return Integer.parseInt(
        bus.callTool("s", "count", new JsonObject())
            .getJsonArray("content")
            .getJsonObject(0)
            .getString("text"));
  }

  @Test
  void calls_that_time_out_open_it_a_probe_closes_it_and_everybody_can_see_that() {
    JsonObject entry =
        scripted("good").put("breaker", new JsonObject().put("openFor", "4s").put("window", 6));
    try (TestBus bus = TestBus.startWithBridge(server("s", entry))) {
      bus.awaitState("s", "READY");
      int timedOut = 0;
      McpFailure refused = hang(bus);
      while (refused.code() == FailureCode.CALL_TIMEOUT && timedOut < 50) {
        timedOut++; // a call that was late before it was sent does not count for the breaker
        refused = hang(bus);
      }
      assertThat(timedOut).isGreaterThanOrEqualTo(5);
      assertThat(refused.code()).isEqualTo(FailureCode.UNAVAILABLE);
      assertThat(refused.sent()).isEqualTo(McpFailure.Sent.NO);
      assertThat(refused.retryAfterMillis()).isBetween(1L, 4_000L);
      JsonObject status = bus.status("s");
      assertThat(status.getString("state")).isEqualTo("DEGRADED");
      assertThat(status.getJsonObject("breaker").getString("state")).isEqualTo("open");
      assertThat(status.getJsonObject("breaker").getString("reason")).contains("CALL_TIMEOUT");
      Http.Answer rest =
          Http.post(
              bus.port(),
              "/api/servers/s/tools/echo",
              "{\"text\":\"x\"}",
              "Content-Type",
              "application/json");
      assertThat(rest.status()).isEqualTo(503);
      assertThat(rest.headers().firstValue("Retry-After")).isPresent();
      bus.request(address("s", Addresses.PING), new JsonObject());

      Awaitility.await()
          .atMost(Duration.ofSeconds(60))
          .ignoreExceptions()
          .until(() -> counted(bus) == 5);
      bus.awaitState("s", "READY");
      List<String> moves =
          bus.events(Events.BREAKER_CHANGED).stream().map(event -> event.getString("to")).toList();
      assertThat(moves).containsExactly("open", "halfOpen", "closed");
    }
  }

  @Test
  void without_the_key_any_number_of_such_calls_is_sent() {
    try (TestBus bus = TestBus.start(server("s", scripted("good")))) {
      bus.awaitState("s", "READY");
      for (int i = 0; counted(bus) < 6; i++) {
        assertThat(i).as("calls, of which few may be late before they are sent").isLessThan(50);
        assertThat(hang(bus).code()).isEqualTo(FailureCode.CALL_TIMEOUT);
      }
      assertThat(bus.status("s").getString("state")).isEqualTo("READY");
      assertThat(bus.status("s").containsKey("breaker")).isFalse();
    }
  }

  @Test
  void results_with_is_error_count_by_wish_and_a_restart_begins_anew() {
    JsonObject entry =
        scripted("good")
            .put("breaker", new JsonObject().put("errors", true).put("openFor", "10min"));
    try (TestBus bus = TestBus.start(server("s", entry))) {
      bus.awaitState("s", "READY");
      for (int i = 0; i < 5; i++) {
        assertThat(bus.callTool("s", "error", new JsonObject()).getBoolean("isError")).isTrue();
      }
      assertThat(hang(bus).code()).isEqualTo(FailureCode.UNAVAILABLE);

      bus.request(address("s", Addresses.RESTART), new JsonObject());
      Awaitility.await()
          .atMost(Duration.ofSeconds(60))
          .until(
              () ->
                  bus.status("s").getLong("epoch") == 2
                      && bus.status("s").getString("state").equals("READY"));
      assertThat(counted(bus)).isZero();
    }
  }
}
