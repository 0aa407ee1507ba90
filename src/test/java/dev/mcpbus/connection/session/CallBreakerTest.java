package dev.mcpbus.connection.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.connection.options.BreakerOptions;
import dev.mcpbus.internals.RecordCopy;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.protocol.Redactor;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class CallBreakerTest {

  private final McpFailure late =
      McpFailure.maybeSent(FailureCode.CALL_TIMEOUT, "no answer before the deadline");

  private final List<JsonObject> changes = new ArrayList<>();
  private long now = 1_000_000;

  private CallBreaker breaker(String component, Object value) {
    return breaker(RecordCopy.with(BreakerOptions.DEFAULT, component, value), changes::add);
  }

  private CallBreaker breaker(BreakerOptions options, CallBreaker.BreakerListener listener) {
    return Objects.requireNonNull(CallBreaker.of(options, () -> now, listener));
  }

  private CallBreaker breaker() {
    return breaker("active", true);
  }

  private static final class ToolRequest extends PendingRequest {
    private final @Nullable String tool;

    ToolRequest(String method, @Nullable String tool) {
      super(method, Long.MAX_VALUE, 0, Long.MAX_VALUE);
      this.tool = tool;
    }

    @Override
    public boolean isCallers() {
      return true;
    }

    @Override
    public @Nullable String item() {
      return tool;
    }

    @Override
    public void complete(RawJson result) {}

    @Override
    protected void failed(McpFailure failure) {}
  }

  private static PendingRequest call() {
    return new ToolRequest(Methods.TOOLS_CALL, null);
  }

  private static void fail(CallBreaker breaker, String tool, McpFailure failure, int times) {
    for (int i = 0; i < times; i++) {
      PendingRequest call = new ToolRequest(Methods.TOOLS_CALL, tool);
      if (breaker.refusal(call) == null) {
        call.fail(failure);
      }
    }
  }

  private static void fail(CallBreaker breaker, McpFailure failure, int times) {
    fail(breaker, "t", failure, times);
  }

  private static void succeed(CallBreaker breaker, boolean toolError, int times) {
    for (int i = 0; i < times; i++) {
      PendingRequest call = call();
      assertThat(breaker.refusal(call)).isNull();
      call.answered(toolError);
    }
  }

  private static McpFailure refusal(CallBreaker breaker, PendingRequest call) {
    return Objects.requireNonNull(breaker.refusal(call), "it was let through");
  }

  private List<String> moves() {
    return changes.stream()
        .map(change -> change.getString("from") + " > " + change.getString("to"))
        .toList();
  }

  @Test
  void without_the_key_there_is_none() {
    assertThat(CallBreaker.of(BreakerOptions.NONE, () -> now, changes::add)).isNull();
  }

  @Test
  void six_calls_without_an_answer_open_it_and_the_refusal_says_when_and_why() {
    CallBreaker breaker = breaker();
    fail(breaker, late, 6);

    now += 10_000;
    McpFailure refused = refusal(breaker, call());
    assertThat(refused.code()).isEqualTo(FailureCode.UNAVAILABLE);
    assertThat(refused.sent()).isEqualTo(McpFailure.Sent.NO);
    assertThat(refused.retryAfterMillis()).isEqualTo(20_000);
    assertThat(refused)
        .hasMessageContaining("circuit breaker of this server is open")
        .hasMessageContaining("5 of the last 5 calls failed")
        .hasMessageContaining("the last with CALL_TIMEOUT");
    assertThat(moves()).containsExactly("closed > open");
    assertThat(changes.get(0).getLong("retryAfter")).isEqualTo(30_000);
    assertThat(breaker.isClosed()).isFalse();
    assertThat(breaker.open()).isEqualTo(1);
    assertThat(breaker.toJson().getString("state")).isEqualTo("open");
  }

  @Test
  void fewer_failures_than_half_of_the_window_leave_it_closed() {
    CallBreaker breaker = breaker();
    succeed(breaker, false, 15);
    fail(breaker, late, 9);
    assertThat(breaker.isClosed()).isTrue();
    fail(breaker, late, 1);
    assertThat(breaker.isClosed()).isFalse();
  }

  @Test
  void after_its_time_one_probe_leaves_and_its_answer_closes_it() {
    CallBreaker breaker = breaker();
    fail(breaker, late, 5);
    now += 29_999;
    assertThat(breaker.refusal(call())).isNotNull();
    assertThat(breaker.probeIn()).isEqualTo(1);
    now += 2;
    PendingRequest probe = call();
    assertThat(breaker.refusal(probe)).isNull();
    McpFailure meanwhile = refusal(breaker, call());
    assertThat(meanwhile.data().getString("breaker")).isEqualTo("halfOpen");
    probe.answered(false);
    assertThat(breaker.refusal(call())).isNull();
    assertThat(moves()).containsExactly("closed > open", "open > halfOpen", "halfOpen > closed");
  }

  @Test
  void a_probe_that_fails_opens_it_again_for_the_whole_time() {
    CallBreaker breaker = breaker();
    fail(breaker, late, 5);
    now += 30_001;
    fail(breaker, late, 1);
    McpFailure refused = refusal(breaker, call());
    assertThat(refused.retryAfterMillis()).isEqualTo(30_000);
    assertThat(refused).hasMessageContaining("a probe failed");
  }

  @Test
  void a_cancelled_probe_counts_for_nothing_and_the_next_call_is_the_probe() {
    CallBreaker breaker = breaker();
    fail(breaker, late, 5);
    now += 30_001;
    fail(breaker, McpFailure.maybeSent(FailureCode.CANCELLED, "cancelled"), 1);
    assertThat(breaker.refusal(call())).isNull();
  }

  @Test
  void what_the_server_answers_counts_only_by_wish() {
    McpFailure answer =
        McpFailure.upstream(RawJson.of("{\"code\":-1,\"message\":\"no\"}"), Redactor.NONE);
    CallBreaker usual = breaker();
    succeed(usual, true, 20);
    fail(usual, answer, 20);
    assertThat(usual.isClosed()).isTrue();

    CallBreaker strict = breaker("errors", true);
    succeed(strict, true, 5);
    assertThat(strict.isClosed()).isFalse();
    CallBreaker refused = breaker("errors", true);
    fail(refused, answer, 5);
    assertThat(refused.isClosed()).isFalse();
  }

  @Test
  void pings_and_the_connections_own_requests_pass_and_do_not_count() {
    CallBreaker breaker = breaker();
    fail(breaker, late, 5);
    assertThat(breaker.refusal(new ToolRequest(Methods.PING, null))).isNull();
    assertThat(breaker.refusal(new InternalRequest(Methods.TOOLS_LIST, Long.MAX_VALUE))).isNull();
  }

  @Test
  void one_tool_that_fails_keeps_no_other_tool_from_being_called() {
    CallBreaker breaker = breaker("perTool", true);
    fail(breaker, "bad", late, 5);
    McpFailure refused = refusal(breaker, new ToolRequest(Methods.TOOLS_CALL, "bad"));
    assertThat(refused).hasMessageContaining("circuit breaker of the tool 'bad' is open");
    assertThat(breaker.refusal(new ToolRequest(Methods.TOOLS_CALL, "good"))).isNull();
    assertThat(breaker.isClosed()).as("the server's own").isTrue();
    assertThat(breaker.open()).isEqualTo(1);
    assertThat(changes.get(0).getString("tool")).isEqualTo("bad");
    assertThat(breaker.toJson().getJsonArray("tools").getJsonObject(0).getString("tool"))
        .isEqualTo("bad");
  }

  @Test
  void nobody_reads_the_words_of_a_failure_that_another_caller_got() {
    CallBreaker breaker = breaker("errors", true);
    String words = "{\"code\":-32000,\"message\":\"no account of alice@example.org\"}";
    fail(breaker, McpFailure.upstream(RawJson.of(words), Redactor.NONE), 5);
    McpFailure refused = refusal(breaker, call());
    assertThat(refused.toJson().encode()).contains("UPSTREAM_ERROR").doesNotContain("alice");
    assertThat(breaker.toJson().encode()).doesNotContain("alice");
    assertThat(changes.toString()).doesNotContain("alice");
  }

  @Test
  void what_was_sent_before_it_opened_is_no_probe() {
    CallBreaker breaker = breaker();
    List<PendingRequest> before = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      before.add(call());
      assertThat(breaker.refusal(before.get(i))).isNull();
    }
    fail(breaker, late, 5);
    now += 30_001;
    PendingRequest probe = call();
    assertThat(breaker.refusal(probe)).isNull();
    before.get(0).answered(false);
    before.get(1).fail(late);
    before.get(2).fail(McpFailure.notSent(FailureCode.CANCELLED, "cancelled"));
    assertThat(moves()).containsExactly("closed > open", "open > halfOpen");
    assertThat(breaker.refusal(call())).as("the probe is on its way").isNotNull();
    probe.answered(false);
    assertThat(breaker.isClosed()).isTrue();
  }

  @Test
  void a_probe_that_was_cancelled_makes_room_for_another_and_that_is_told() {
    List<String> told = new ArrayList<>();
    CallBreaker breaker =
        breaker(
            BreakerOptions.DEFAULT,
            new CallBreaker.BreakerListener() {
              @Override
              public void changed(JsonObject change) {
                told.add(change.getString("to"));
              }

              @Override
              public void wantsProbe() {
                told.add("one more");
              }
            });
    fail(breaker, late, 5);
    now += 30_001;
    PendingRequest probe = call();
    assertThat(breaker.refusal(probe)).isNull();
    assertThat(breaker.probeIn()).as("one is on its way").isEqualTo(-1);
    probe.fail(McpFailure.notSent(FailureCode.CANCELLED, "cancelled"));
    assertThat(told).containsExactly("open", "halfOpen", "one more");
    assertThat(breaker.refusal(call())).isNull();
  }

  @Test
  void a_probe_that_another_session_sends_again_is_still_that_probe() {
    CallBreaker breaker = breaker();
    fail(breaker, late, 5);
    now += 30_001;
    PendingRequest probe = call();
    assertThat(breaker.refusal(probe)).isNull();
    assertThat(breaker.refusal(probe)).isNull();
    probe.answered(false);
    assertThat(breaker.isClosed()).isTrue();
  }

  @Test
  void the_breakers_of_all_tools_remember_a_bounded_number_of_calls() {
    BreakerOptions options =
        RecordCopy.with(BreakerOptions.DEFAULT, Map.of("perTool", true, "window", 10_000));
    CallBreaker breaker = breaker(options, changes::add);
    for (int i = 0; i < 100; i++) {
      fail(breaker, "tool-" + i, late, 5);
    }
    assertThat(breaker.toJson().getJsonArray("tools")).hasSize(10);
    assertThat(breaker.isClosed()).as("the others share that of the connection").isFalse();
  }

  @Test
  void a_restart_by_a_caller_closes_it() {
    CallBreaker breaker = breaker();
    fail(breaker, late, 5);
    breaker.reset();
    assertThat(breaker.refusal(call())).isNull();
  }
}
