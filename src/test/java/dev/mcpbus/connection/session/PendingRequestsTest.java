package dev.mcpbus.connection.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.protocol.RawJson;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import io.vertx.junit5.VertxTestContext;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(VertxExtension.class)
class PendingRequestsTest {

  private static final long NEVER = Long.MAX_VALUE;
  private final McpFailure lost = McpFailure.maybeSent(FailureCode.UPSTREAM_RESET, "lost");

  private long now;
  private final List<Long> expired = new ArrayList<>();

  private PendingRequests calls(Vertx vertx) {
    return new PendingRequests(
        vertx,
        () -> now,
        (id, pending) -> {
          expired.add(id);
          pending.fail(lost);
        });
  }

  private static InternalRequest call(long deadline) {
    return new InternalRequest("tools/call", deadline);
  }

  @Test
  void ids_rise_from_one_and_never_repeat(Vertx vertx) {
    PendingRequests calls = calls(vertx);
    assertThat(calls.add(call(NEVER))).isEqualTo(1);
    assertThat(calls.add(call(NEVER))).isEqualTo(2);
    assertThat(calls.remove(2)).isNotNull();
    assertThat(calls.add(call(NEVER))).isEqualTo(3);
    assertThat(calls.size()).isEqualTo(2);
  }

  @Test
  void what_was_taken_out_is_not_there_again(Vertx vertx) {
    PendingRequests calls = calls(vertx);
    InternalRequest call = call(NEVER);
    long id = calls.add(call);
    assertThat(calls.get(id)).isSameAs(call);
    assertThat(calls.remove(id)).isSameAs(call);
    assertThat(calls.remove(id)).isNull();
    assertThat(calls.get(id)).isNull();
    assertThat(calls.remove(99)).isNull();
  }

  @Test
  void a_call_is_found_by_its_callers_name_while_it_waits(Vertx vertx) {
    PendingRequests calls = calls(vertx);
    long id = calls.add(new OwnedCall("mine", null, NEVER));
    assertThat(calls.find(CallReference.ofCaller("mine"))).isEqualTo(id);
    assertThat(calls.find(CallReference.ofCaller("other"))).isEqualTo(-1);
    calls.remove(id);
    assertThat(calls.find(CallReference.ofCaller("mine"))).isEqualTo(-1);
  }

  @Test
  void a_name_that_is_used_twice_means_the_later_call(Vertx vertx) {
    PendingRequests calls = calls(vertx);
    long first = calls.add(new OwnedCall("mine", null, NEVER));
    long second = calls.add(new OwnedCall("mine", null, NEVER));
    calls.remove(first);
    assertThat(calls.find(CallReference.ofCaller("mine"))).isEqualTo(second);
  }

  @Test
  void all_fail_together_and_nothing_is_left(Vertx vertx) {
    PendingRequests calls = calls(vertx);
    List<InternalRequest> all = List.of(call(NEVER), call(NEVER), call(NEVER));
    all.forEach(calls::add);
    Future<Void> drained = calls.drained();
    assertThat(drained.isComplete()).isFalse();
    calls.failAll(lost);
    assertThat(all).allSatisfy(call -> assertThat(call.future().cause()).isSameAs(lost));
    assertThat(calls.size()).isZero();
    assertThat(drained.succeeded()).isTrue();
  }

  @Test
  void it_is_drained_when_the_last_call_has_ended(Vertx vertx) {
    PendingRequests calls = calls(vertx);
    assertThat(calls.drained().succeeded()).isTrue();
    long first = calls.add(call(NEVER));
    long second = calls.add(call(NEVER));
    Future<Void> drained = calls.drained();
    calls.remove(first);
    assertThat(drained.isComplete()).isFalse();
    calls.remove(second);
    assertThat(drained.succeeded()).isTrue();
  }

  @Test
  void only_what_has_expired_ends_and_the_rest_waits_on(Vertx vertx, VertxTestContext test) {
    PendingRequests calls = calls(vertx);
    InternalRequest late = call(1_000);
    InternalRequest early = call(5);
    vertx.runOnContext(
        go -> {
          calls.add(late);
          long id = calls.add(early);
          now = 5;
          early
              .future()
              .onComplete(
                  test.failing(
                      cause ->
                          test.verify(
                              () -> {
                                assertThat(cause).isSameAs(lost);
                                assertThat(expired).containsExactly(id);
                                assertThat(late.future().isComplete()).isFalse();
                                assertThat(calls.size()).isEqualTo(1);
                                test.completeNow();
                              })));
        });
  }

  @Test
  void a_deadline_that_progress_has_moved_is_met_later(Vertx vertx, VertxTestContext test) {
    PendingRequests calls = calls(vertx);
    PendingRequest moved =
        new PendingRequest("m", 5, 100, 1_000) {
          @Override
          public void complete(RawJson result) {}

          @Override
          protected void failed(McpFailure failure) {
            test.failNow(failure);
          }
        };
    InternalRequest other = call(6);
    vertx.runOnContext(
        go -> {
          calls.add(moved);
          calls.add(other);
          moved.extend(6);
          now = 6;
          other.future().onComplete(test.failing(cause -> test.completeNow()));
        });
    assertThat(moved.hardDeadline()).isEqualTo(1_000);
  }

  @Test
  void progress_moves_a_deadline_ahead_but_never_past_the_hard_one() {
    PendingRequest pending = new InternalPending(10, 100, 150);
    pending.extend(20);
    assertThat(pending.deadline()).isEqualTo(120);
    pending.extend(0);
    assertThat(pending.deadline()).isEqualTo(120);
    pending.extend(90);
    assertThat(pending.deadline()).isEqualTo(150);
    PendingRequest fixed = new InternalPending(10, 0, 10);
    fixed.extend(9);
    assertThat(fixed.deadline()).isEqualTo(10);
  }

  private static final class InternalPending extends PendingRequest {
    InternalPending(long deadline, long idle, long hard) {
      super("m", deadline, idle, hard);
    }

    @Override
    public void complete(RawJson result) {}

    @Override
    protected void failed(McpFailure failure) {}
  }
}
