package dev.mcpbus.connection;

import static dev.mcpbus.bus.BusTests.await;
import static dev.mcpbus.bus.BusTests.failure;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.bus.CallOrigin;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.Headers;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.connection.BusMessages.Sent;
import dev.mcpbus.connection.options.ConnectionOptions;
import dev.mcpbus.connection.session.BusCall;
import dev.mcpbus.connection.session.Clock;
import dev.mcpbus.connection.session.Session;
import dev.mcpbus.internals.InternalContext;
import dev.mcpbus.protocol.RawJson;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import io.vertx.core.json.JsonObject;
import io.vertx.junit5.VertxExtension;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The gate before the wire: what is late, or what nobody waits for, does not pass it. */
@ExtendWith(VertxExtension.class)
class LateCallsTest {

  private static final String DOOR = "mcp.gateway.doors.test";

  private final List<String> asked = new CopyOnWriteArrayList<>();
  private final AtomicLong now = new AtomicLong(CallOrigin.now());
  private final Clock clock = now::get;
  private Vertx vertx;
  private FakeServer server;
  private Session session;

  @BeforeEach
  void session(Vertx given) {
    vertx = given;
    server =
        new FakeServer(
            vertx,
            method ->
                method.equals("initialize")
                    ? "\"result\":" + FakeServer.INITIALIZED
                    : "\"result\":{}");
    session = server.session(vertx.getOrCreateContext(), ConnectionOptions.DEFAULT, clock);
    await(FakeServer.open(session));
    server.sent.clear();
  }

  private void door(boolean waits) {
    door(
        question -> {
          asked.add(question.body());
          question.reply(waits);
        });
  }

  private void door(Handler<Message<String>> questions) {
    await(vertx.eventBus().consumer(DOOR, questions).completion());
  }

  private Sent call(long age, DeliveryOptions options) {
    Sent sent =
        BusMessages.send(
            vertx,
            new JsonObject(),
            options
                .addHeader(Headers.SINCE, CallOrigin.since("", CallOrigin.now() - age))
                .addHeader(Headers.DOOR, DOOR + " 7"));
    BusCall call = BusCall.of(sent.message(), "tools/call", ConnectionOptions.DEFAULT, clock, null);
    session.send(call, call.params());
    return sent;
  }

  private static void assertNotSent(McpFailure failure, FailureCode code) {
    assertThat(failure.code()).isEqualTo(code);
    assertThat(failure.sent()).isEqualTo(McpFailure.Sent.NO);
  }

  @Test
  void an_old_call_is_sent_when_its_door_says_that_its_client_waits() {
    door(true);
    Sent sent = call(400, new DeliveryOptions());
    await(sent.reply());
    assertThat(asked).containsExactly("7");
    assertThat(server.sent).hasSize(1);
  }

  @Test
  void an_old_call_of_a_client_that_has_left_is_not_sent() {
    door(false);
    Sent sent = call(400, new DeliveryOptions());
    assertNotSent(failure(sent.reply()), FailureCode.CANCELLED);
    assertThat(asked).containsExactly("7");
    assertThat(server.sent).isEmpty();
  }

  @Test
  void an_old_call_whose_door_is_gone_is_not_sent() {
    Sent sent = call(400, new DeliveryOptions());
    assertNotSent(failure(sent.reply()), FailureCode.CANCELLED);
    assertThat(server.sent).isEmpty();
  }

  /** The link on which the first question was is cut, and whole again. */
  @Test
  void a_door_that_does_not_answer_is_asked_again() {
    door(
        question -> {
          asked.add(question.body());
          if (asked.size() > 1) {
            question.reply(true);
          }
        });
    await(call(400, new DeliveryOptions()).reply());
    assertThat(asked).containsExactly("7", "7");
    assertThat(server.sent).hasSize(1);
  }

  /** The event loop of the door is slow: its answer comes after the second question. */
  @Test
  void the_answer_to_an_earlier_question_counts() {
    List<Message<String>> questions = new ArrayList<>();
    door(
        question -> {
          questions.add(question);
          if (questions.size() == 2) {
            questions.get(0).reply(true);
          } else if (questions.size() > 2) {
            question.reply(true); // the first answer was old itself
          }
        });
    await(call(400, new DeliveryOptions()).reply());
    assertThat(server.sent).hasSize(1);
  }

  @Test
  void where_no_door_says_whether_the_client_waits_the_call_is_not_sent_and_may_be_made_again() {
    door(one -> asked.add(one.body()));
    McpFailure failure = failure(call(400, new DeliveryOptions()).reply());
    assertNotSent(failure, FailureCode.UNAVAILABLE);
    assertThat(failure).hasMessageContaining("8000 ms").hasMessageContaining("try it again");
    assertThat(asked).hasSize(8);
    assertThat(server.sent).isEmpty();
  }

  @Test
  void a_call_that_has_just_arrived_asks_nobody() {
    door(false);
    await(call(-60_000, new DeliveryOptions()).reply()); // however slow this test is
    assertThat(asked).isEmpty();
    assertThat(server.sent).hasSize(1);
  }

  @Test
  void a_call_whose_time_ends_before_the_gate_is_not_sent() {
    Sent sent =
        BusMessages.send(
            vertx, new JsonObject(), new DeliveryOptions().addHeader(Headers.DEADLINE, "1000"));
    BusCall call = BusCall.of(sent.message(), "tools/call", ConnectionOptions.DEFAULT, clock, null);
    now.addAndGet(1_000); // something before the gate took so long
    session.send(call, call.params());
    assertNotSent(failure(sent.reply()), FailureCode.CALL_TIMEOUT);
    assertThat(server.sent).isEmpty();
  }

  /** The process stands still between the answer of the door and its receipt. */
  @Test
  void an_answer_of_the_door_that_came_long_ago_does_not_count() {
    door(
        question -> {
          boolean first = asked.isEmpty();
          asked.add(question.body());
          now.addAndGet(first ? 12_000 : 0);
          question.reply(first);
        });
    Sent sent = call(400, new DeliveryOptions());
    assertNotSent(failure(sent.reply()), FailureCode.CANCELLED);
    assertThat(asked).hasSize(2);
    assertThat(server.sent).isEmpty();
  }

  @Test
  void a_session_that_drains_waits_for_the_answer_of_a_door_and_then_for_the_server() {
    List<Message<String>> questions = new CopyOnWriteArrayList<>();
    door(questions::add);
    Sent sent = call(400, new DeliveryOptions());
    Awaitility.await().until(() -> questions.size() == 1);
    Future<Void> closed = session.drained(60_000).compose(drained -> session.close());
    questions.get(0).reply(true);
    await(sent.reply());
    await(closed);
    assertThat(server.sent).hasSize(1);
  }

  @Test
  void a_session_that_drains_goes_on_with_a_call_that_has_another_request_to_make() {
    Promise<RawJson> second = Promise.promise();
    List<String> log = new CopyOnWriteArrayList<>();
    Future<Void> closed =
        await(
            onContext(
                () -> {
                  session
                      .request("first", null, Duration.ofMinutes(1))
                      .compose(one -> session.request("second", null, Duration.ofMinutes(1)))
                      .onComplete(second);
                  return Future.succeededFuture(
                      session
                          .drained(60_000)
                          .onSuccess(drained -> log.add("drained"))
                          .compose(drained -> session.close()));
                }));
    await(second.future());
    await(closed);
    assertThat(log).containsExactly("drained");
  }

  private <T> Future<T> onContext(Supplier<Future<T>> task) {
    return InternalContext.of(session.vertx().getOrCreateContext()).call(task);
  }
}
