package dev.mcpbus.bus;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.testing.TestBus;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Requests on one node, whose connection the test replaces. */
class LocalRequestSenderTest {

  private static final ConnectionId SERVER = new ConnectionId("git");
  private static final String ADDRESS = Addresses.of(SERVER, Addresses.TOOLS_CALL);

  private final Vertx vertx = Vertx.vertx();
  private final RequestSender sender = RequestSender.of(vertx);
  private final Promise<Void> replacement = Promise.promise();
  private final AtomicInteger calls = new AtomicInteger();

  LocalRequestSenderTest() {
    Codecs.register(vertx);
  }

  @AfterEach
  void close() {
    TestBus.await(vertx.close());
  }

  private Future<Message<Object>> call(DeliveryOptions options) {
    return sender.request(SERVER, ADDRESS, new JsonObject(), options);
  }

  private void answers() {
    vertx
        .eventBus()
        .consumer(
            ADDRESS,
            call -> {
              calls.incrementAndGet();
              call.reply(new JsonObject());
            });
  }

  private static McpFailure failure(Future<?> of) {
    Awaitility.await().atMost(Duration.ofSeconds(60)).until(of::isComplete);
    assertThat(of.succeeded()).as("succeeded").isFalse();
    return McpFailure.of(of.cause());
  }

  @Test
  void a_request_waits_for_the_connection_that_takes_the_place_of_another() {
    Future<Void> replaced = sender.whileReplaced(SERVER, replacement::future);
    Future<Message<Object>> waiting = call(new DeliveryOptions());
    answers();
    replacement.complete();
    assertThat(TestBus.await(waiting).body()).isEqualTo(new JsonObject());
    assertThat(replaced.succeeded()).isTrue();
  }

  @Test
  void one_whose_time_is_over_was_not_sent_and_may_come_again() {
    sender.whileReplaced(SERVER, replacement::future);
    McpFailure told = failure(call(new DeliveryOptions().addHeader(Headers.DEADLINE, "1")));
    assertThat(told.code()).isEqualTo(FailureCode.UNAVAILABLE);
    assertThat(told.sent()).isEqualTo(McpFailure.Sent.NO);
    assertThat(told.retryAfterMillis()).isPositive();
    assertThat(told).hasMessage("the connection of 'git' is being replaced; the call was not sent");
  }

  @Test
  void a_server_that_is_gone_after_the_replacement_is_unknown() {
    sender.whileReplaced(SERVER, replacement::future);
    Future<Message<Object>> waiting = call(new DeliveryOptions());
    replacement.complete();
    assertThat(failure(waiting).code()).isEqualTo(FailureCode.UNKNOWN_CONNECTION);
    assertThat(failure(call(new DeliveryOptions())).code())
        .isEqualTo(FailureCode.UNKNOWN_CONNECTION);
  }

  @Test
  void a_call_that_is_cancelled_while_it_waits_is_never_made() {
    sender.whileReplaced(SERVER, replacement::future);
    Future<Message<Object>> waiting = call(new DeliveryOptions().addHeader(Headers.CALL_ID, "c"));
    Awaitility.await()
        .atMost(Duration.ofSeconds(60))
        .until(
            () -> {
              CallCancellation.publish(vertx, SERVER, "c");
              return waiting.isComplete();
            });
    answers();
    replacement.complete();
    assertThat(failure(waiting).code()).isEqualTo(FailureCode.CANCELLED);
    assertThat(calls).hasValue(0);
    assertThat(CallRepeats.of(vertx).isCancelled("c")).as("kept after the end").isFalse();
  }
}
