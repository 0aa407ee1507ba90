package dev.mcpbus.connection;

import static dev.mcpbus.bus.BusTests.failure;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.Headers;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.connection.BusMessages.Sent;
import dev.mcpbus.connection.options.ConnectionOptions;
import dev.mcpbus.connection.session.BusCall;
import dev.mcpbus.connection.session.CallReference;
import dev.mcpbus.connection.session.Clock;
import dev.mcpbus.connection.session.WaitingCalls;
import dev.mcpbus.internals.RecordCopy;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.json.JsonObject;
import io.vertx.junit5.VertxExtension;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(VertxExtension.class)
class WaitingCallsTest {

  private final List<String> served = new ArrayList<>();
  private Promise<String> list = Promise.promise();
  private Vertx vertx;
  private WaitingCalls waiting;

  @BeforeEach
  void session(Vertx given) {
    vertx = given;
    waiting =
        new WaitingCalls(
            new FakeServer(vertx, method -> null)
                .session(
                    vertx.getOrCreateContext(),
                    RecordCopy.with(ConnectionOptions.DEFAULT, "maxPending", 8),
                    Clock.SYSTEM));
  }

  private Sent on(String name, DeliveryOptions options) {
    Sent sent = BusMessages.send(vertx, new JsonObject(), options);
    BusCall call =
        BusCall.of(sent.message(), "tools/list", ConnectionOptions.DEFAULT, Clock.SYSTEM, null);
    waiting.on("the list", list.future(), call, shared -> served.add(name), failed -> {});
    return sent;
  }

  private Sent of(String name, String principal) {
    return on(name, new DeliveryOptions().addHeader(Headers.PRINCIPAL, principal));
  }

  private List<Sent> of(String name, String principal, int count) {
    List<Sent> all = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      all.add(of(name, principal));
    }
    return all;
  }

  @Test
  void one_caller_leaves_room_for_another() {
    List<Sent> hers = of("hers", "-alice", 20);
    McpFailure refused = failure(hers.get(19).reply());
    assertThat(refused.code()).isEqualTo(FailureCode.OVERLOADED);
    assertThat(refused.sent()).isEqualTo(McpFailure.Sent.NO);
    of("his", "-bob");
    list.complete("");
    assertThat(served).hasSize(7).endsWith("his");
  }

  @Test
  void without_login_all_callers_are_one_principal_and_may_hold_all() {
    of("all", "+local", 20);
    list.complete("");
    assertThat(served).hasSize(8);
  }

  @Test
  void what_was_served_makes_room() {
    of("hers", "-alice", 20);
    list.complete("");
    list = Promise.promise();
    of("again", "-alice", 20);
    list.complete("");
    assertThat(served).hasSize(12);
  }

  @Test
  void each_waits_up_to_its_own_deadline() {
    Sent late = on("short", new DeliveryOptions().addHeader(Headers.DEADLINE, "20"));
    on("long", new DeliveryOptions().addHeader(Headers.DEADLINE, "60000"));
    McpFailure failure = failure(late.reply());
    assertThat(failure.code()).isEqualTo(FailureCode.CALL_TIMEOUT);
    assertThat(failure.sent()).isEqualTo(McpFailure.Sent.NO);
    assertThat(failure).hasMessageContaining("while it waited for the list");
    list.complete("");
    assertThat(served).containsExactly("long");
  }

  @Test
  void a_call_is_cancelled_by_its_name_alone() {
    on("a", new DeliveryOptions().addHeader(Headers.CALL_ID, "a"));
    Sent b = on("b", new DeliveryOptions().addHeader(Headers.CALL_ID, "b"));
    assertThat(waiting.cancel(CallReference.ofCaller("nobody"))).isFalse();
    assertThat(waiting.cancel(CallReference.ofCaller("b"))).isTrue();
    assertThat(waiting.cancel(CallReference.ofCaller("b"))).isFalse();
    assertThat(failure(b.reply()).code()).isEqualTo(FailureCode.CANCELLED);
    list.complete("");
    assertThat(served).containsExactly("a");
  }
}
