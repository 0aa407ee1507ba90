package dev.mcpbus.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.Headers;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.connection.options.ConnectionOptions;
import dev.mcpbus.internals.RecordCopy;
import dev.mcpbus.testing.ScriptedPeer;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.Future;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** One caller's calls do not fill a connection that others use, too. */
class CallShareTest {

  private static final String ALICE = "-alice";
  private static final String BOB = "-bob";

  private final TestBus bus = TestBus.start(new JsonObject());
  private final ScriptedPeer peer =
      ScriptedPeer.discover(
          bus.vertx(),
          (method, params, connection) ->
              switch (method) {
                case "tools/list" ->
                    "\"result\":{\"tools\":[{\"name\":\"never\",\"inputSchema\":{\"type\":\"object\"}}],"
                        + "\"ttlMs\":60000}";
                default -> null;
              });

  @AfterEach
  void close() {
    bus.close();
  }

  private void add(ConnectionOptions options) {
    bus.add("s", peer.transport(), options, Duration.ofMillis(200));
  }

  private Future<Object> call(String who) {
    return bus.send(
        "mcp.s.tools.call",
        TestBus.toolCall("never", new JsonObject()),
        new DeliveryOptions().addHeader(Headers.PRINCIPAL, who));
  }

  private List<Future<Object>> calls(String who, int count) {
    List<Future<Object>> all = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      all.add(call(who));
    }
    return all;
  }

  private static long refused(List<Future<Object>> calls) {
    return calls.stream()
        .filter(Future::failed)
        .filter(one -> McpFailure.of(one.cause()).code() == FailureCode.OVERLOADED)
        .count();
  }

  @Test
  void a_caller_has_three_quarters_of_the_calls_in_flight_at_most() {
    add(RecordCopy.with(ConnectionOptions.DEFAULT, "maxPending", 8));
    bus.awaitState("s", "READY");
    List<Future<Object>> hers = calls(ALICE, 20);
    await().until(() -> refused(hers) == 14);
    Future<Object> his = call(BOB);
    await().until(() -> peer.received("tools/call").size() == 7);
    assertThat(his.isComplete()).isFalse();
    bus.request("mcp.s.disconnect", new JsonObject());
    await().until(() -> hers.stream().allMatch(Future::isComplete) && his.isComplete());
  }

  @Test
  void without_login_all_callers_are_one_principal_and_may_hold_all() {
    add(RecordCopy.with(ConnectionOptions.DEFAULT, "maxPending", 8));
    bus.awaitState("s", "READY");
    List<Future<Object>> all = calls("+local", 20);
    await().until(() -> refused(all) == 12);
  }
}
