package dev.mcpbus.connection;

import static dev.mcpbus.bus.BusTests.failure;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.Headers;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.connection.BusMessages.Sent;
import dev.mcpbus.connection.input.InputRequests;
import dev.mcpbus.connection.options.ConnectionOptions;
import dev.mcpbus.connection.options.PinOptions;
import dev.mcpbus.connection.options.PinStore;
import dev.mcpbus.connection.session.BusCall;
import dev.mcpbus.connection.session.CallReference;
import dev.mcpbus.connection.session.Clock;
import dev.mcpbus.connection.session.ListenSubscription;
import dev.mcpbus.connection.session.OpenSession;
import dev.mcpbus.connection.session.ResultCache;
import dev.mcpbus.connection.session.Session;
import dev.mcpbus.connection.session.SessionPreferences;
import dev.mcpbus.connection.tasks.ServerTasks;
import dev.mcpbus.connection.tasks.ToolCallSender;
import dev.mcpbus.connection.tools.DriftWatchTest;
import dev.mcpbus.connection.tools.SessionTools;
import dev.mcpbus.connection.tools.ToolCallPipeline;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.protocol.ServerDescription;
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
class StashTest {

  private final List<String> released = new ArrayList<>();
  private Vertx vertx;
  private ReadySession live;

  @BeforeEach
  void session(Vertx given) {
    vertx = given;
    Session session =
        new FakeServer(vertx, method -> null)
            .session(vertx.getOrCreateContext(), ConnectionOptions.DEFAULT, Clock.SYSTEM);
    ServerDescription server = ServerDescription.ofInitialize(RawJson.of(FakeServer.INITIALIZED));
    SessionPreferences wishes = new SessionPreferences(RawJson.EMPTY_OBJECT);
    ServerTasks tasks =
        new ServerTasks(
            new InputRequests(vertx, new ConnectionId("fake"), wishes), wishes, (call, then) -> {});
    SessionTools tools =
        new SessionTools(session, DriftWatchTest.watch(PinOptions.NONE, PinStore.inMemory()));
    OpenSession open =
        new OpenSession(
            session, server, new ListenSubscription(session, wishes, server.capabilities()));
    ToolCallSender sender = new ToolCallSender(open, tasks);
    live =
        new ReadySession(
            open,
            tools,
            new ToolCallPipeline(session, true, tools, sender, call -> {}),
            new ResultCache(Clock.SYSTEM),
            wishes,
            tasks,
            0);
  }

  private Sent hold(Stash stash, String name, String deadline) {
    return hold(
        stash,
        name,
        new DeliveryOptions()
            .addHeader(Headers.CALL_ID, name)
            .addHeader(Headers.DEADLINE, deadline));
  }

  private Sent hold(Stash stash, String name, DeliveryOptions options) {
    Sent sent = BusMessages.send(vertx, new JsonObject(), options);
    BusCall call =
        BusCall.of(sent.message(), "tools/call", ConnectionOptions.DEFAULT, Clock.SYSTEM, null);
    stash.add(call, ready -> released.add(name));
    return sent;
  }

  @Test
  void one_caller_leaves_room_for_another() {
    Stash stash = new Stash(vertx, Clock.SYSTEM, 8, () -> "connection \'x\': connecting");
    for (int i = 0; i < 20; i++) {
      hold(stash, "hers", new DeliveryOptions().addHeader(Headers.PRINCIPAL, "-alice"));
    }
    assertThat(stash.size()).isEqualTo(6);
    hold(stash, "his", new DeliveryOptions().addHeader(Headers.PRINCIPAL, "-bob"));
    stash.release(live);
    assertThat(released).hasSize(7).endsWith("his");
  }

  @Test
  void what_waits_goes_on_in_the_order_of_arrival() {
    Stash stash = new Stash(vertx, Clock.SYSTEM, 10, () -> "connection \'x\': connecting");
    hold(stash, "a", "10000");
    hold(stash, "b", "10000");
    hold(stash, "c", "10000");
    assertThat(stash.size()).isEqualTo(3);
    stash.release(live);
    assertThat(released).containsExactly("a", "b", "c");
    assertThat(stash.size()).isZero();
  }

  @Test
  void a_full_stash_refuses_at_once() {
    Stash stash = new Stash(vertx, Clock.SYSTEM, 1, () -> "connection \'x\': connecting");
    hold(stash, "a", "10000");
    McpFailure refused = failure(hold(stash, "b", "10000").reply());
    assertThat(refused.code()).isEqualTo(FailureCode.OVERLOADED);
    assertThat(refused.sent()).isEqualTo(McpFailure.Sent.NO);
    assertThat(stash.size()).isEqualTo(1);
  }

  @Test
  void each_waits_up_to_its_own_deadline() {
    Stash stash = new Stash(vertx, Clock.SYSTEM, 10, () -> "connection \'x\': connecting");
    hold(stash, "long", "60000");
    McpFailure late = failure(hold(stash, "short", "20").reply());
    assertThat(late.code()).isEqualTo(FailureCode.CALL_TIMEOUT);
    assertThat(late.sent()).isEqualTo(McpFailure.Sent.NO);
    assertThat(late)
        .hasMessage(
            "not ready before the call's deadline, so the call was not sent; connection 'x':"
                + " connecting");
    assertThat(stash.size()).isEqualTo(1);
  }

  @Test
  void a_call_is_cancelled_by_its_name_alone() {
    Stash stash = new Stash(vertx, Clock.SYSTEM, 10, () -> "connection \'x\': connecting");
    hold(stash, "a", "10000");
    Sent b = hold(stash, "b", "10000");
    assertThat(stash.cancel(CallReference.ofCaller("nobody"))).isFalse();
    assertThat(stash.cancel(CallReference.ofCaller("b"))).isTrue();
    assertThat(stash.cancel(CallReference.ofCaller("b"))).isFalse();
    assertThat(failure(b.reply()).code()).isEqualTo(FailureCode.CANCELLED);
    stash.release(live);
    assertThat(released).containsExactly("a");
  }

  @Test
  void all_end_with_the_same_reason() {
    Stash stash = new Stash(vertx, Clock.SYSTEM, 10, () -> "connection \'x\': connecting");
    List<Sent> sent = List.of(hold(stash, "a", "10000"), hold(stash, "b", "10000"));
    stash.failAll(McpFailure.notSent(FailureCode.UNAVAILABLE, "closed"));
    assertThat(sent)
        .allSatisfy(
            call -> assertThat(failure(call.reply()).code()).isEqualTo(FailureCode.UNAVAILABLE));
    assertThat(stash.size()).isZero();
  }

  @Test
  void a_call_whose_deadline_has_passed_is_not_sent_any_more() {
    long[] now = {0};
    Stash stash = new Stash(vertx, () -> now[0], 10, () -> "connection \'x\': connecting");
    Sent sent =
        BusMessages.send(
            vertx, new JsonObject(), new DeliveryOptions().addHeader(Headers.DEADLINE, "50000"));
    stash.add(
        BusCall.of(sent.message(), "tools/call", ConnectionOptions.DEFAULT, () -> now[0], null),
        ready -> released.add("late"));
    now[0] = 50_000;
    stash.release(live);
    assertThat(failure(sent.reply()).code()).isEqualTo(FailureCode.CALL_TIMEOUT);
    assertThat(released).isEmpty();
  }
}
