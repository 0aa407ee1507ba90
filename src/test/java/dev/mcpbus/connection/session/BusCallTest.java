package dev.mcpbus.connection.session;

import static dev.mcpbus.bus.BusTests.await;
import static dev.mcpbus.bus.BusTests.failure;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.mcpbus.bus.CallOrigin;
import dev.mcpbus.bus.Codecs;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.Headers;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.connection.BusMessages;
import dev.mcpbus.connection.BusMessages.Sent;
import dev.mcpbus.connection.options.ConnectionOptions;
import dev.mcpbus.internals.RecordCopy;
import dev.mcpbus.protocol.ParseLimits;
import dev.mcpbus.protocol.RawJson;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.junit5.VertxExtension;
import java.math.BigInteger;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@ExtendWith(VertxExtension.class)
class BusCallTest {

  private static final Clock AT_1000 = () -> 1_000;
  private static final RawJson RESULT = RawJson.of("{ \"n\":0.10 }");

  private static BusCall of(Sent sent) {
    return BusCall.of(sent.message(), "tools/call", ConnectionOptions.DEFAULT, AT_1000, null);
  }

  private static McpFailure refused(Sent sent, ConnectionOptions options) {
    return catchThrowableOfType(
        McpFailure.class, () -> BusCall.of(sent.message(), "tools/call", options, AT_1000, null));
  }

  @Test
  void a_buffer_is_answered_with_the_bytes_that_came(Vertx vertx) {
    Sent sent = BusMessages.send(vertx, Buffer.buffer("{ \"a\" : 1 }"));
    BusCall call = of(sent);
    assertThat(call.isRaw()).isTrue();
    assertThat(call.params()).hasToString("{ \"a\" : 1 }");
    assertThat(call.json()).isEqualTo(new JsonObject().put("a", 1));
    call.complete(RESULT);
    assertThat(await(sent.reply())).hasToString("{ \"n\":0.10 }").isInstanceOf(Buffer.class);
  }

  @Test
  void a_json_object_is_answered_with_one(Vertx vertx) {
    Sent sent = BusMessages.send(vertx, new JsonObject().put("a", 1));
    BusCall call = of(sent);
    assertThat(call.isRaw()).isFalse();
    assertThat(call.params()).hasToString("{\"a\":1}");
    call.complete(RESULT);
    assertThat(await(sent.reply())).isEqualTo(new JsonObject().put("n", 0.10));
  }

  @Test
  void a_json_object_is_handed_over_as_one_copy_of_its_own(Vertx vertx) {
    Sent sent = BusMessages.send(vertx, new JsonObject());
    BusCall.of(
            sent.message(),
            "tools/call",
            ConnectionOptions.DEFAULT,
            AT_1000,
            Codecs.ownedJson(vertx))
        .complete(RawJson.of("{\"big\":123456789012345678901,\"_x\":[{\"n\":0.10},null],\"b\":1}"));
    Object body = await(sent.reply());
    assertThat(body)
        .isEqualTo(
            new JsonObject()
                .put("big", new BigInteger("123456789012345678901"))
                .put("_x", new JsonArray().add(new JsonObject().put("n", 0.10)).addNull())
                .put("b", 1));
    ((JsonObject) body).put("mine", true);
    assertThat(await(sent.reply())).isSameAs(body);
  }

  @Test
  void what_cannot_be_decoded_is_a_protocol_error_with_the_own_codec_too(Vertx vertx) {
    Sent sent = BusMessages.send(vertx, new JsonObject());
    BusCall.of(
            sent.message(),
            "tools/call",
            ConnectionOptions.DEFAULT,
            AT_1000,
            Codecs.ownedJson(vertx))
        .complete(RawJson.of("{\"a\":}"));
    assertThat(failure(sent.reply()).code()).isEqualTo(FailureCode.PROTOCOL_ERROR);
  }

  @Test
  void a_task_is_found_in_either_form_of_a_call_and_in_an_inner_one(Vertx vertx) {
    JsonObject params = new JsonObject().put("name", "a").put("task", new JsonObject().put("t", 1));
    assertThat(of(BusMessages.send(vertx, params)).task()).hasToString("{\"t\":1}");
    assertThat(of(BusMessages.send(vertx, params.toBuffer())).task()).hasToString("{\"t\":1}");
    BusCall outer = of(BusMessages.send(vertx, new JsonObject().put("method", "tools/call")));
    assertThat(outer.task()).isNull();
    assertThat(outer.as("tools/call", RawJson.of(params), ConnectionOptions.DEFAULT).task())
        .hasToString("{\"t\":1}");
  }

  @Test
  void no_body_means_no_params(Vertx vertx) {
    assertThat(of(BusMessages.send(vertx, null)).params()).isEqualTo(RawJson.EMPTY_OBJECT);
  }

  @Test
  void a_failure_is_a_failed_reply(Vertx vertx) {
    Sent sent = BusMessages.send(vertx, new JsonObject());
    of(sent).fail(McpFailure.notSent(FailureCode.OVERLOADED, "full"));
    assertThat(failure(sent.reply()).code()).isEqualTo(FailureCode.OVERLOADED);
  }

  @Test
  void a_result_that_cannot_be_decoded_is_a_protocol_error_for_json_only(Vertx vertx) {
    Sent sent = BusMessages.send(vertx, new JsonObject());
    of(sent).complete(RawJson.of("{\"a\":}"));
    assertThat(failure(sent.reply()).code()).isEqualTo(FailureCode.PROTOCOL_ERROR);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "[]", "1", "{\"a\":}", "{} {}"})
  void bytes_that_are_not_one_json_object_are_refused(String body, Vertx vertx) {
    McpFailure failure =
        refused(BusMessages.send(vertx, Buffer.buffer(body)), ConnectionOptions.DEFAULT);
    assertThat(failure.code()).isEqualTo(FailureCode.BAD_REQUEST);
    assertThat(failure.sent()).isEqualTo(McpFailure.Sent.NO);
  }

  @Test
  void a_body_of_another_kind_is_refused_by_its_name(Vertx vertx) {
    assertThat(refused(BusMessages.send(vertx, "text"), ConnectionOptions.DEFAULT))
        .hasMessageContaining("not String");
  }

  @Test
  void a_call_beyond_the_limits_is_refused(Vertx vertx) {
    ConnectionOptions tight =
        RecordCopy.with(ConnectionOptions.DEFAULT, "limits", new ParseLimits(20, 64, 100));
    JsonObject big = new JsonObject().put("a", "0123456789012345");
    assertThat(refused(BusMessages.send(vertx, big), tight).code())
        .isEqualTo(FailureCode.LIMIT_EXCEEDED);
    assertThat(refused(BusMessages.send(vertx, big.toBuffer()), tight).code())
        .isEqualTo(FailureCode.LIMIT_EXCEEDED);
  }

  @Test
  void a_deadline_header_is_a_budget_that_progress_does_not_move(Vertx vertx) {
    BusCall call = BusMessages.call(vertx, new JsonObject(), Headers.DEADLINE, " 250 ", AT_1000);
    assertThat(call.deadline()).isEqualTo(1_250);
    call.extend(1_200);
    assertThat(call.deadline()).isEqualTo(1_250);
  }

  @Test
  void a_budget_is_cut_at_the_longest_call(Vertx vertx) {
    BusCall call =
        BusMessages.call(vertx, new JsonObject(), Headers.DEADLINE, "" + Long.MAX_VALUE, AT_1000);
    assertThat(call.deadline())
        .isEqualTo(1_000 + ConnectionOptions.DEFAULT.maxCallDuration().toMillis());
  }

  @Test
  void without_a_header_the_request_timeout_holds_and_progress_moves_it(Vertx vertx) {
    ConnectionOptions options =
        RecordCopy.with(
            ConnectionOptions.DEFAULT,
            Map.of(
                "requestTimeout",
                Duration.ofMillis(100),
                "maxCallDuration",
                Duration.ofMillis(150)));
    Sent sent = BusMessages.send(vertx, new JsonObject());
    BusCall call = BusCall.of(sent.message(), "tools/call", options, AT_1000, null);
    assertThat(call.deadline()).isEqualTo(1_100);
    call.extend(1_040);
    assertThat(call.deadline()).isEqualTo(1_140);
    call.extend(1_140);
    assertThat(call.deadline()).isEqualTo(1_150);
  }

  @ParameterizedTest
  @ValueSource(strings = {"-1", "soon", "1.5", ""})
  void a_deadline_that_is_no_budget_is_refused_with_an_example(String value, Vertx vertx) {
    McpFailure failure =
        catchThrowableOfType(
            McpFailure.class,
            () -> BusMessages.call(vertx, new JsonObject(), Headers.DEADLINE, value, AT_1000));
    assertThat(failure.code()).isEqualTo(FailureCode.BAD_REQUEST);
    assertThat(failure).hasMessageContaining("5000");
  }

  @Test
  void the_callers_names_are_read_from_the_headers(Vertx vertx) {
    BusCall named = BusMessages.call(vertx, new JsonObject(), Headers.CALL_ID, "c-1", AT_1000);
    assertThat(named.callId()).isEqualTo("c-1");
    assertThat(named.progressAddress()).isNull();
    BusCall other = named.as("prompts/get", RawJson.EMPTY_OBJECT, ConnectionOptions.DEFAULT);
    assertThat(other.method()).isEqualTo("prompts/get");
    assertThat(other.callId()).isEqualTo("c-1");
    assertThat(other.deadline()).isEqualTo(named.deadline());
    assertThat(
            BusMessages.call(vertx, new JsonObject(), Headers.PROGRESS, "to.me", AT_1000)
                .progressAddress())
        .isEqualTo("to.me");
  }

  private static BusCall asked(Vertx vertx, String method, ConnectionOptions options) {
    Sent sent = BusMessages.send(vertx, new JsonObject());
    return BusCall.of(sent.message(), "request", options, AT_1000, null)
        .as(method, RawJson.EMPTY_OBJECT, options);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"events/stream", "subscriptions/listen", "tasks/stream", "x.example/tail"})
  void a_request_that_may_be_a_stream_lasts_as_long_as_its_server_speaks(
      String method, Vertx vertx) {
    ConnectionOptions options =
        RecordCopy.with(
            ConnectionOptions.DEFAULT,
            Map.of(
                "requestTimeout",
                Duration.ofMillis(100),
                "maxCallDuration",
                Duration.ofMillis(150)));
    BusCall stream = asked(vertx, method, options);
    assertThat(stream.deadline()).as("silent").isEqualTo(1_100);
    for (long now = 1_050; now < 100_000; now += 50) {
      stream.extend(now);
      assertThat(stream.deadline()).isEqualTo(now + 100);
    }
    stream.open();
    assertThat(stream.deadline()).as("opened, it may be silent").isEqualTo(Long.MAX_VALUE);

    BusCall bounded =
        asked(vertx, method, RecordCopy.with(options, "maxStreamDuration", Duration.ofMillis(300)));
    bounded.extend(1_250);
    assertThat(bounded.deadline()).isEqualTo(1_300);
    bounded.open();
    assertThat(bounded.deadline()).isEqualTo(1_300);

    BusCall call = asked(vertx, "prompts/get", options);
    call.extend(1_100);
    assertThat(call.deadline()).as("no stream").isEqualTo(1_150);
  }

  /** The header of a call that arrived so long ago, at a door of a node. */
  private static DeliveryOptions arrived(long millisAgo) {
    return new DeliveryOptions()
        .addHeader(Headers.SINCE, CallOrigin.since("", CallOrigin.now() - millisAgo))
        .addHeader(Headers.DOOR, "door 1");
  }

  @Test
  void a_call_whose_time_is_over_is_refused_with_its_age(Vertx vertx) {
    DeliveryOptions options = arrived(3_000).addHeader(Headers.DEADLINE, "2000");
    Sent sent = BusMessages.send(vertx, new JsonObject(), options);
    McpFailure late = refused(sent, ConnectionOptions.DEFAULT);
    assertThat(late.code()).isEqualTo(FailureCode.CALL_TIMEOUT);
    assertThat(late.sent()).isEqualTo(McpFailure.Sent.NO);
    assertThat(late).hasMessageMatching(".* it had 2000 ms, and arrived 3\\d+ ms ago; .*");
  }

  @Test
  void without_a_time_of_its_own_the_request_time_out_counts_from_the_arrival(Vertx vertx) {
    ConnectionOptions short1s =
        RecordCopy.with(ConnectionOptions.DEFAULT, "requestTimeout", Duration.ofSeconds(1));
    Sent late = BusMessages.send(vertx, new JsonObject(), arrived(1_000));
    assertThat(refused(late, short1s).code()).isEqualTo(FailureCode.CALL_TIMEOUT);

    Sent young = BusMessages.send(vertx, new JsonObject(), arrived(500));
    BusCall call = of(young);
    assertThat(call.began()).isLessThanOrEqualTo(500);
    assertThat(call.deadline() - call.began())
        .isEqualTo(ConnectionOptions.DEFAULT.requestTimeout().toMillis());
  }

  @Test
  void a_message_that_says_nothing_may_have_waited_for_the_event_loop(Vertx vertx) {
    Clock busy =
        new Clock() {
          @Override
          public long millis() {
            return 1_000;
          }

          @Override
          public long waited() {
            return 400;
          }
        };
    Sent sent = BusMessages.send(vertx, new JsonObject());
    BusCall call = BusCall.of(sent.message(), "tools/call", ConnectionOptions.DEFAULT, busy, null);
    assertThat(call.began()).isEqualTo(600);
  }

  @Test
  void only_an_old_call_asks_its_door_and_only_until_it_has_left(Vertx vertx) {
    BusCall call = of(BusMessages.send(vertx, new JsonObject(), arrived(0)));
    long began = call.began();
    assertThat(call.doorToAsk(began + CallOrigin.STALE_MILLIS)).isNull();
    assertThat(call.doorToAsk(began + CallOrigin.STALE_MILLIS + 1)).isEqualTo("door 1");
    call.confirm(began + 300, began + 400);
    assertThat(call.doorToAsk(began + 301)).isNull();
    assertThat(call.doorToAsk(began + 301 + CallOrigin.STALE_MILLIS)).isEqualTo("door 1");
    call.leaves();
    assertThat(call.doorToAsk(began + 60_000)).isNull();
  }

  /** A round trip or a task may be between its requests when the time ends. */
  @Test
  void a_call_that_its_server_has_got_is_not_said_to_be_unsent(Vertx vertx) {
    Sent sent =
        BusMessages.send(
            vertx, new JsonObject(), new DeliveryOptions().addHeader(Headers.DEADLINE, "1000"));
    BusCall call = of(sent);
    call.leaves();
    assertThat(call.expire(AT_1000.millis() + 1_000)).isTrue();
    McpFailure failure = failure(sent.reply());
    assertThat(failure.code()).isEqualTo(FailureCode.CALL_TIMEOUT);
    assertThat(failure.sent()).isEqualTo(McpFailure.Sent.MAYBE);
  }
}
