package dev.mcpbus.bus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mcpbus.protocol.JsonRpcError;
import dev.mcpbus.protocol.MessageWriter;
import dev.mcpbus.protocol.RawJson;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import io.vertx.core.eventbus.ReplyException;
import io.vertx.core.eventbus.ReplyFailure;
import io.vertx.core.json.JsonObject;
import io.vertx.junit5.VertxExtension;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

@ExtendWith(VertxExtension.class)
class CodecsTest {

  private final McpFailureCodec failures = new McpFailureCodec();

  private McpFailure overTheWire(McpFailure failure) {
    Buffer wire = Buffer.buffer("before");
    failures.encodeToWire(wire, failure);
    wire.appendString("after");
    return failures.decodeFromWire("before".length(), wire);
  }

  @ParameterizedTest
  @EnumSource(FailureCode.class)
  void a_failure_arrives_at_another_node_with_all_its_members(FailureCode code) {
    JsonObject data = new JsonObject().put("path", "/a").put("n", 1);
    McpFailure failure = new McpFailure(code, McpFailure.Sent.MAYBE, "why \u00e9", 250, data);
    McpFailure got = overTheWire(failure);
    assertThat(got.code()).isEqualTo(code);
    assertThat(got.sent()).isEqualTo(McpFailure.Sent.MAYBE);
    assertThat(got).hasMessage("why \u00e9");
    assertThat(got.retryAfterMillis()).isEqualTo(250);
    assertThat(got.data()).isEqualTo(data);
    assertThat(got.failureCode()).isEqualTo(code.busCode());
    assertThat(got.failureType()).isEqualTo(ReplyFailure.RECIPIENT_FAILURE);
  }

  @Test
  void the_error_of_a_server_arrives_at_another_node_as_the_server_wrote_it() {
    RawJson error = RawJson.of("{ \"message\":\"n\\u006f\",\"code\":-1,\"data\":1.0,\"x\":\"é\"}");
    McpFailure failure = McpFailure.upstream(error);
    assertThat(overTheWire(failure).upstream()).isEqualTo(error);
    assertThat(overTheWire(McpFailure.upstream(JsonRpcError.of(error))).upstream()).isNull();
  }

  @Test
  void a_failure_shows_code_sent_retry_and_message_in_one_line() {
    assertThat(new McpFailure(FailureCode.OVERLOADED, McpFailure.Sent.NO, "full", 500, null))
        .hasToString("McpFailure OVERLOADED (not sent, retry in 500 ms): full");
    assertThat(McpFailure.maybeSent(FailureCode.CALL_TIMEOUT, "late"))
        .hasToString("McpFailure CALL_TIMEOUT (maybe sent): late");
  }

  @Test
  void an_unknown_code_of_a_newer_version_becomes_a_known_one() {
    JsonObject json =
        new JsonObject()
            .put("code", "MOON_IS_FULL")
            .put("message", "wait")
            .put("sent", "no")
            .put("retryAfter", 70)
            .put("phase", new JsonObject().put("of", "moon"));
    McpFailure unsent = fromWire(json);
    assertThat(unsent.code()).isEqualTo(FailureCode.UNAVAILABLE);
    assertThat(unsent.sent()).isEqualTo(McpFailure.Sent.NO);
    assertThat(unsent.retryAfterMillis()).isEqualTo(70);
    assertThat(unsent).hasMessage("MOON_IS_FULL, as a newer mcpbus says: wait");
    McpFailure sent = fromWire(json.put("sent", "maybe"));
    assertThat(sent.code()).isEqualTo(FailureCode.INTERNAL);
    assertThat(sent.sent()).isEqualTo(McpFailure.Sent.MAYBE);
  }

  private McpFailure fromWire(JsonObject json) {
    Buffer text = json.toBuffer();
    return failures.decodeFromWire(0, Buffer.buffer().appendInt(text.length()).appendBuffer(text));
  }

  @Test
  void a_caller_that_sends_its_wire_form_decodes_failures_of_mcpbus() {
    assertThat(WireForm.isSpoken(null)).isFalse();
    assertThat(WireForm.isSpoken("1")).isTrue();
    assertThat(WireForm.isSpoken("12")).isTrue();
  }

  @Test
  void what_is_absent_stays_absent() {
    McpFailure got = overTheWire(McpFailure.notSent(FailureCode.OVERLOADED, "full"));
    assertThat(got.sent()).isEqualTo(McpFailure.Sent.NO);
    assertThat(got.retryAfterMillis()).isEqualTo(-1);
    assertThat(got.data()).isEmpty();
  }

  @Test
  void an_error_of_the_server_keeps_its_code_and_data() {
    McpFailure got =
        overTheWire(
            McpFailure.upstream(
                JsonRpcError.of(
                    RawJson.of("{\"code\":-32050,\"message\":\"m\",\"data\":{\"why\":1}}"))));
    assertThat(got.toJsonRpcError())
        .isEqualTo(new JsonObject("{\"code\":-32050,\"message\":\"m\",\"data\":{\"why\":1}}"));
  }

  @Test
  void on_one_node_messages_pass_by_reference() {
    McpFailure failure = McpFailure.notSent(FailureCode.OVERLOADED, "full");
    assertThat(failures.transform(failure)).isSameAs(failure);
    LocalMessageCodec<LifecycleMessage.Started> local =
        new LocalMessageCodec<>(LifecycleMessage.Started.class);
    LifecycleMessage.Started started = new LifecycleMessage.Started("a", 1);
    assertThat(local.transform(started)).isSameAs(started);
    assertThat(local.systemCodecID()).isEqualTo((byte) -1);
    assertThat(local.name())
        .isNotEqualTo(new LocalMessageCodec<>(LifecycleMessage.Ended.class).name());
  }

  @Test
  void a_local_message_has_no_wire_form() {
    LocalMessageCodec<LifecycleMessage.Started> local =
        new LocalMessageCodec<>(LifecycleMessage.Started.class);
    assertThatThrownBy(
            () -> local.encodeToWire(Buffer.buffer(), new LifecycleMessage.Started("a", 1)))
        .isInstanceOf(UnsupportedOperationException.class);
    assertThatThrownBy(() -> local.decodeFromWire(0, Buffer.buffer()))
        .isInstanceOf(UnsupportedOperationException.class);
  }

  @Test
  void registering_twice_is_harmless(Vertx vertx) {
    Codecs.register(vertx);
    Codecs.register(vertx);
    var consumer = vertx.eventBus().<LifecycleMessage.Started>localConsumer("to");
    consumer.handler(message -> message.reply(McpFailure.notSent(FailureCode.FORBIDDEN, "no")));
    assertThat(
            BusTests.failure(vertx.eventBus().request("to", new LifecycleMessage.Started("a", 1)))
                .code())
        .isEqualTo(FailureCode.FORBIDDEN);
  }

  @Test
  void failures_of_the_event_bus_become_failures_of_mcpbus() {
    assertThat(of(ReplyFailure.NO_HANDLERS, "x").code()).isEqualTo(FailureCode.UNKNOWN_CONNECTION);
    assertThat(of(ReplyFailure.TIMEOUT, "Timed out").code()).isEqualTo(FailureCode.CALL_TIMEOUT);
    assertThat(
            of(
                    ReplyFailure.TIMEOUT,
                    "Timed out after waiting 500(ms) for a reply. address: __vertx.reply.7,"
                        + " repliedAddress: mcp.git.ping")
                .getMessage())
        .isEqualTo("server 'git' has not answered (ping) within 500 ms");
    assertThat(McpFailure.of(new IllegalStateException("secret")))
        .hasMessageNotContaining("secret");
  }

  @Test
  void a_call_whose_consumer_was_removed_before_it_received_the_call_was_not_sent(Vertx vertx) {
    var consumer = vertx.eventBus().<String>consumer("to");
    consumer.pause();
    consumer.handler(message -> message.reply("seen"));
    var call = vertx.eventBus().<String>request("to", "hello");
    consumer.unregister();
    assertThat(BusTests.await(call.map(Message::body).otherwise("failed"))).isEqualTo("failed");
    McpFailure failure = McpFailure.of(call.cause());
    assertThat(failure.code()).isIn(FailureCode.UNAVAILABLE, FailureCode.UNKNOWN_CONNECTION);
    assertThat(failure.sent()).isEqualTo(McpFailure.Sent.NO);
  }

  private static McpFailure of(ReplyFailure type, String message) {
    return McpFailure.of(new ReplyException(type, message));
  }

  @ParameterizedTest
  @ValueSource(strings = {"a", "0", "a-b", "git-2"})
  void a_dns_label_is_an_id(String text) {
    assertThat(ConnectionId.parse(text)).map(ConnectionId::value).contains(text);
    assertThat(new ConnectionId(text)).hasToString(text);
  }

  @Test
  void an_id_has_sixty_three_characters_at_most() {
    assertThat(ConnectionId.parse("a".repeat(63))).isPresent();
    assertThat(ConnectionId.parse("a".repeat(64))).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "-a", "a-", "A", "a.b", "a b", "a\n", "\u00e9", "tools", "events", "servers"})
  void anything_else_is_refused_with_the_remedy(String text) {
    assertThat(ConnectionId.parse(text)).isEmpty();
    assertThatThrownBy(() -> new ConnectionId(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageMatching("(?s).*(use 1 to 63|choose another).*")
        .hasMessageNotContaining("\n");
  }

  @Test
  void a_shared_buffer_is_copied_between_nodes_only(Vertx vertx) {
    Codecs.register(vertx);
    Buffer sent = MessageWriter.written(RawJson.of("7"), RawJson.string("x".repeat(20_000)));
    vertx.eventBus().<Buffer>consumer("shared", m -> m.reply(m.body(), shared()));
    Buffer back =
        BusTests.await(
            vertx.eventBus().<Buffer>request("shared", sent, shared()).map(Message::body));
    assertThat(back).isSameAs(sent);

    SharedBufferCodec codec = new SharedBufferCodec();
    Buffer wire = Buffer.buffer("before");
    codec.encodeToWire(wire, sent);
    wire.appendString("after");
    Buffer arrived = codec.decodeFromWire("before".length(), wire);
    assertThat(arrived.getBytes()).isEqualTo(sent.getBytes());
    assertThat(arrived.toJsonObject().getString("result")).hasSize(20_000);
  }

  @Test
  void a_long_result_is_written_as_it_is_with_its_type_before_it() {
    String text = "y".repeat(20_000);
    RawJson result = RawJson.of("{ \"text\": \"" + text + "\"}");
    assertThat(MessageWriter.written(RawJson.of("7"), result).toString())
        .isEqualTo("{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":" + result + "}");
    assertThat(MessageWriter.writtenComplete(RawJson.of("7"), result).toJsonObject())
        .isEqualTo(
            new JsonObject()
                .put("jsonrpc", "2.0")
                .put("id", 7)
                .put("result", new JsonObject().put("resultType", "complete").put("text", text)));
  }

  private static DeliveryOptions shared() {
    return new DeliveryOptions().setCodecName(Codecs.SHARED);
  }
}
