package dev.mcpbus.bus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mcpbus.bus.McpFailure.Sent;
import dev.mcpbus.protocol.JsonRpcError;
import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The real bus, a connection of which the test says how each attempt ends, and its own time. */
@Timeout(30)
class RepeatedRequestTest {

  private static final ConnectionId SERVER = new ConnectionId("s");
  private static final String CALL = "call-1";
  private final McpFailure lost = McpFailure.maybeSent(FailureCode.OWNER_LOST, "the owner is gone");
  private final McpFailure reset =
      McpFailure.maybeSent(FailureCode.UPSTREAM_RESET, "the connection broke");
  private final McpFailure refused =
      new McpFailure(FailureCode.UNAVAILABLE, Sent.NO, "not ready", 400, null);

  /** One attempt, as the connection got it. */
  private record Attempt(Buffer body, Map<String, String> headers) {}

  private final Vertx vertx = Vertx.vertx();
  private final AtomicLong millis = new AtomicLong(1_000_000);
  private final List<Long> pauses = new CopyOnWriteArrayList<>();
  private final List<Attempt> attempts = new CopyOnWriteArrayList<>();
  private final List<@Nullable McpFailure> endings = new CopyOnWriteArrayList<>();
  private volatile Runnable inPause = () -> {};
  private volatile Consumer<Message<Object>> inAttempt = message -> {};
  private CallRepeats repeats = CallRepeats.of(vertx);
  private RequestSender sender = RequestSender.of(vertx);

  /** Each waiting ends at once, and the clock moves on by it; the event's second ends by hand. */
  private final class Clock implements Timers {

    private final List<Runnable> events = new ArrayList<>();

    @Override
    public synchronized long set(long pause, Runnable task) {
      if (pause == 1_000) {
        events.add(task);
        return 0;
      }
      pauses.add(pause);
      millis.addAndGet(pause);
      inPause.run();
      task.run();
      return 0;
    }

    synchronized void second() {
      events.forEach(Runnable::run);
      events.clear();
    }

    @Override
    public void cancel(long timer) {}
  }

  private final Clock clock = new Clock();

  @BeforeEach
  void open() throws Exception {
    Codecs.register(vertx);
    vertx.sharedData().getLocalMap("dev.mcpbus.sender").clear();
    repeats = new CallRepeats(vertx, () -> TimeUnit.MILLISECONDS.toNanos(millis.get()), clock);
    vertx.sharedData().<String, CallRepeats>getLocalMap("dev.mcpbus.repeats").put("", repeats);
    sender = RequestSender.of(vertx);
    repeats
        .open((server, suffix, tool) -> tool == null || tool.equals("safe"))
        .await(60, TimeUnit.SECONDS);
    for (String suffix :
        List.of(Addresses.TOOLS_CALL, Addresses.RESOURCES_READ, Addresses.REQUEST)) {
      vertx
          .eventBus()
          .consumer(
              Addresses.of(SERVER, suffix),
              message -> {
                Map<String, String> headers = new HashMap<>();
                message.headers().forEach(one -> headers.put(one.getKey(), one.getValue()));
                attempts.add(new Attempt((Buffer) message.body(), headers));
                inAttempt.accept(message);
                int at = attempts.size() - 1;
                McpFailure ending = at < endings.size() ? endings.get(at) : null;
                if (ending == null) {
                  message.reply(Buffer.buffer("{\"n\":1}"));
                } else {
                  ending.replyTo(message);
                }
              });
    }
  }

  @AfterEach
  void close() throws Exception {
    vertx.close().await(60, TimeUnit.SECONDS);
  }

  private static DeliveryOptions options() {
    return CallHeaders.of(CALL, 10_000, CallDeadline.Layer.CALLER);
  }

  private Message<Object> call(String suffix, String params, DeliveryOptions options)
      throws Exception {
    Future<Message<Object>> call =
        sender.request(SERVER, Addresses.of(SERVER, suffix), Buffer.buffer(params), options);
    Awaitility.await().until(call::isComplete);
    if (call.failed()) {
      throw McpFailure.of(call.cause());
    }
    return call.result();
  }

  private McpFailure failure(String params, DeliveryOptions options) throws Exception {
    try {
      Message<Object> reply = call(Addresses.TOOLS_CALL, params, options);
      throw new AssertionError("succeeded with " + reply.body());
    } catch (McpFailure failure) {
      return failure;
    }
  }

  private static String tool(String name) {
    return "{\"name\":\"" + name + "\",\"arguments\":{}}";
  }

  @ParameterizedTest
  @EnumSource(names = {"OWNER_LOST", "UPSTREAM_RESET"})
  void a_safe_call_is_made_again_and_its_reply_says_so(FailureCode code) throws Exception {
    endings.add(McpFailure.maybeSent(code, "lost"));
    Message<Object> reply = call(Addresses.TOOLS_CALL, tool("safe"), options());
    assertThat(reply.body()).isEqualTo(Buffer.buffer("{\"n\":1}"));
    assertThat(CallHeaders.repeats(reply.headers())).isEqualTo(1);
    assertThat(attempts).hasSize(2);
    assertThat(attempts.get(1).body()).isEqualTo(Buffer.buffer(tool("safe")));
  }

  @Test
  void a_call_that_succeeds_at_once_says_nothing() throws Exception {
    Message<Object> reply = call(Addresses.TOOLS_CALL, tool("safe"), options());
    assertThat(reply.headers().contains(Headers.REPEATED)).isFalse();
    assertThat(attempts).hasSize(1);
  }

  private static long age(Attempt one) {
    return CallOrigin.age(MultiMap.caseInsensitiveMultiMap().addAll(one.headers()));
  }

  @Test
  void a_repeat_has_the_same_call_id_and_the_time_that_is_left() throws Exception {
    inAttempt = message -> millis.addAndGet(100);
    endings.addAll(List.of(lost, reset));
    DeliveryOptions options = options().addHeader(Headers.PRINCIPAL, "someone");
    assertThat(CallHeaders.repeats(call(Addresses.TOOLS_CALL, tool("safe"), options).headers()))
        .isEqualTo(2);
    assertThat(pauses).containsExactly(50L, 250L);
    assertThat(attempts.stream().map(one -> one.headers().get(Headers.DEADLINE)))
        .containsExactly("10000", "10000", "10000");
    // Its time counts from the first attempt.
    assertThat(age(attempts.get(1))).isGreaterThanOrEqualTo(150);
    assertThat(age(attempts.get(2))).isGreaterThanOrEqualTo(500);
    assertThat(attempts)
        .allSatisfy(
            one ->
                assertThat(one.headers())
                    .containsEntry(Headers.CALL_ID, CALL)
                    .containsEntry(Headers.PRINCIPAL, "someone")
                    .doesNotContainKey(Headers.TO));
  }

  @Test
  void a_call_is_repeated_twice_at_most() throws Exception {
    endings.addAll(List.of(lost, reset, lost, lost));
    McpFailure failure = failure(tool("safe"), options());
    assertThat(failure.code()).isEqualTo(FailureCode.OWNER_LOST);
    assertThat(failure.sent()).isEqualTo(Sent.MAYBE);
    assertThat(failure.repeats()).isEqualTo(2);
    assertThat(attempts).hasSize(3);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"name\":\"unsafe\"}",
        "{\"arguments\":{}}",
        "{\"name\":\"safe\",\"task\":{}}",
        "{\"name\":\"safe\",\"inputResponses\":{}}",
        "{\"name\":\"safe\",\"requestState\":\"s\"}"
      })
  void what_is_not_safe_is_made_once_and_fails_as_it_failed(String params) throws Exception {
    endings.add(lost);
    McpFailure failure = failure(params, options());
    assertThat(failure.toJson()).isEqualTo(lost.toJson());
    assertThat(attempts).hasSize(1);
    assertThat(pauses).isEmpty();
  }

  @Test
  void a_call_that_asks_for_a_task_is_made_once() throws Exception {
    endings.add(lost);
    assertThat(failure(tool("safe"), options().addHeader(Headers.TASK, "true")).repeats()).isZero();
    assertThat(attempts).hasSize(1);
  }

  @ParameterizedTest
  @EnumSource(
      mode = EnumSource.Mode.EXCLUDE,
      names = {"OWNER_LOST", "UPSTREAM_RESET"})
  void no_other_failure_is_followed_by_a_repeat(FailureCode code) throws Exception {
    endings.add(McpFailure.maybeSent(code, "failed"));
    assertThat(failure(tool("safe"), options()).code()).isEqualTo(code);
    assertThat(attempts).hasSize(1);
  }

  @Test
  void a_call_without_an_id_could_not_be_cancelled_and_is_made_once() throws Exception {
    endings.add(lost);
    assertThat(failure(tool("safe"), new DeliveryOptions()).repeats()).isZero();
    assertThat(attempts).hasSize(1);
  }

  @Test
  void a_reading_is_repeated_and_a_raw_request_is_not() throws Exception {
    endings.add(lost);
    assertThat(CallHeaders.repeats(call(Addresses.RESOURCES_READ, "{}", options()).headers()))
        .isEqualTo(1);
    attempts.clear();
    assertThatThrownBy(() -> call(Addresses.REQUEST, "{}", options()))
        .isInstanceOf(McpFailure.class);
    assertThat(attempts).hasSize(1);
  }

  @Test
  void a_call_of_which_something_reached_its_client_is_made_once() throws Exception {
    inAttempt = message -> vertx.eventBus().send(message.headers().get(Headers.REACHED), CALL);
    endings.add(reset);
    McpFailure failure = failure(tool("safe"), options());
    assertThat(failure.code()).isEqualTo(FailureCode.UPSTREAM_RESET);
    assertThat(failure.repeats()).isZero();
    assertThat(attempts).hasSize(1);
  }

  @Test
  void a_note_that_was_forgotten_for_many_others_counts_all_the_same() throws Exception {
    inAttempt =
        message -> {
          String notes = message.headers().get(Headers.REACHED);
          vertx.eventBus().send(notes, CALL);
          for (int i = 0; i < CallRepeats.MAX_REACHED; i++) {
            vertx.eventBus().send(notes, "other-" + i);
          }
        };
    endings.add(reset);
    assertThat(failure(tool("safe"), options()).repeats()).isZero();
    assertThat(attempts).hasSize(1);
    inAttempt = message -> {};
    attempts.clear();
    millis.addAndGet(1);
    assertThat(CallHeaders.repeats(call(Addresses.TOOLS_CALL, tool("safe"), again()).headers()))
        .as("a call that began later")
        .isEqualTo(1);
  }

  private static DeliveryOptions again() {
    return CallHeaders.of("call-2", 10_000, CallDeadline.Layer.CALLER);
  }

  @Test
  void a_cancellation_between_two_attempts_ends_the_call() throws Exception {
    inPause = () -> CallCancellation.publish(vertx, SERVER, CALL);
    endings.add(lost);
    McpFailure failure = failure(tool("safe"), options());
    assertThat(failure.code()).isEqualTo(FailureCode.CANCELLED);
    assertThat(failure.sent()).as("the first attempt may have run").isEqualTo(Sent.MAYBE);
    assertThat(attempts).hasSize(1);
    assertThat(repeats.isCancelled(CALL)).as("kept after the end").isFalse();
  }

  @Test
  void a_cancellation_while_the_repeat_runs_ends_it_and_hides_no_first_attempt() throws Exception {
    endings.addAll(List.of(lost, McpFailure.notSent(FailureCode.CANCELLED, "cancelled")));
    McpFailure failure = failure(tool("safe"), options());
    assertThat(failure.code()).isEqualTo(FailureCode.CANCELLED);
    assertThat(failure.sent()).isEqualTo(Sent.MAYBE);
    assertThat(attempts).hasSize(2);
  }

  @Test
  void no_repeat_begins_after_the_deadline() throws Exception {
    inAttempt = message -> millis.addAndGet(9_960);
    endings.add(lost);
    McpFailure failure = failure(tool("safe"), options());
    assertThat(failure.code()).isEqualTo(FailureCode.OWNER_LOST);
    assertThat(failure.repeats()).isZero();
    assertThat(attempts).hasSize(1);
  }

  @Test
  void a_repeat_that_was_not_sent_leaves_the_first_failure() throws Exception {
    endings.addAll(List.of(lost, refused, refused));
    McpFailure failure = failure(tool("safe"), options());
    assertThat(failure.code()).isEqualTo(FailureCode.OWNER_LOST);
    assertThat(failure.sent()).as("the first attempt may have run").isEqualTo(Sent.MAYBE);
    assertThat(failure.getMessage()).contains("the owner is gone").contains("not ready");
    assertThat(failure.repeats()).isEqualTo(2);
    assertThat(pauses).as("the refusal says when").containsExactly(50L, 400L);
  }

  @Test
  void the_servers_own_error_is_the_end() throws Exception {
    McpFailure own = McpFailure.upstream(new JsonRpcError(-32_050, "no", null));
    endings.addAll(List.of(reset, own));
    McpFailure failure = failure(tool("safe"), options());
    assertThat(failure.isUpstream(-32_050)).isTrue();
    assertThat(failure.toJsonRpcError()).isEqualTo(own.toJsonRpcError());
    assertThat(failure.repeats()).isEqualTo(1);
    assertThat(attempts).hasSize(2);
  }

  @Test
  void one_event_a_second_counts_the_repeats() throws Exception {
    List<JsonObject> events = new CopyOnWriteArrayList<>();
    vertx.eventBus().<JsonObject>consumer(Addresses.ALL_EVENTS, one -> events.add(one.body()));
    AtomicInteger ofServer = new AtomicInteger();
    vertx
        .eventBus()
        .consumer(Addresses.of(SERVER, Addresses.EVENTS), one -> ofServer.incrementAndGet());
    endings.addAll(List.of(lost, lost));
    call(Addresses.TOOLS_CALL, tool("safe"), options());
    clock.second();
    Awaitility.await().until(() -> events.size() == 1 && ofServer.get() == 1);
    assertThat(events.get(0).getString("type")).isEqualTo(Events.CALLS_REPEATED);
    assertThat(events.get(0).getString("id")).isEqualTo("s");
    assertThat(events.get(0).getString("code")).isEqualTo("OWNER_LOST");
    assertThat(events.get(0).getInteger("count")).isEqualTo(2);
  }

  @Test
  void after_the_end_nothing_is_repeated() throws Exception {
    repeats.close().await(60, TimeUnit.SECONDS);
    endings.add(lost);
    assertThat(failure(tool("safe"), options()).repeats()).isZero();
    assertThat(attempts).hasSize(1);
  }
}
