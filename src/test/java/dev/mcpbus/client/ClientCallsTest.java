package dev.mcpbus.client;

import static dev.mcpbus.bus.BusTests.await;
import static dev.mcpbus.bus.BusTests.failure;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.CacheMode;
import dev.mcpbus.bus.CallDeadline.Layer;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.FakeConnection;
import dev.mcpbus.bus.Headers;
import dev.mcpbus.bus.McpFailure;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.Message;
import io.vertx.core.json.JsonObject;
import io.vertx.junit5.VertxExtension;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(VertxExtension.class)
class ClientCallsTest {

  private static final ConnectionId GIT = new ConnectionId("git");
  private static final String CALL = Addresses.of(GIT, Addresses.TOOLS_CALL);

  private Vertx vertx;
  private FakeConnection git;
  private ClientCalls calls;

  @BeforeEach
  void prepare(Vertx vertx) {
    this.vertx = vertx;
    git = new FakeConnection(vertx, "git");
    calls = new ClientCalls(vertx, CallOptions.DEFAULT, Layer.ROUTING);
  }

  private Future<JsonObject> call(CallOptions options) {
    return calls.send(CALL, GIT, new JsonObject(), JsonObject.class, options);
  }

  /** A connection that keeps its calls. */
  private List<Message<Object>> keeping() {
    List<Message<Object>> kept = new CopyOnWriteArrayList<>();
    git.on(Addresses.TOOLS_CALL, kept::add);
    return kept;
  }

  @Test
  void options_travel_as_headers() {
    CompletableFuture<Message<Object>> seen = new CompletableFuture<>();
    git.on(
        Addresses.TOOLS_CALL,
        message -> {
          seen.complete(message);
          message.reply(new JsonObject());
        });

    await(
        call(
            CallOptions.timeout(Duration.ofSeconds(3))
                .withCache(CacheMode.REFRESH)
                .withValidate(false)
                .withTraceparent("00-1-2-03")));

    assertThat(seen.join().headers().get(Headers.DEADLINE)).isEqualTo("3000");
    assertThat(seen.join().headers().get(Headers.CACHE)).isEqualTo("refresh");
    assertThat(seen.join().headers().get(Headers.VALIDATE)).isEqualTo("false");
    assertThat(seen.join().headers().get(Headers.TRACEPARENT)).isEqualTo("00-1-2-03");
    assertThat(seen.join().headers().get(Headers.CALL_ID)).isNotBlank();
    assertThat(seen.join().headers().contains(Headers.PROGRESS)).isFalse();
  }

  @Test
  void what_a_call_leaves_open_comes_from_the_client() {
    CompletableFuture<Message<Object>> seen = new CompletableFuture<>();
    git.on(
        Addresses.TOOLS_CALL,
        message -> {
          seen.complete(message);
          message.reply(new JsonObject());
        });
    calls =
        new ClientCalls(
            vertx, CallOptions.timeout(Duration.ofSeconds(9)).withValidate(true), Layer.ROUTING);

    await(call(CallOptions.DEFAULT.withValidate(false)));

    assertThat(seen.join().headers().get(Headers.DEADLINE)).isEqualTo("9000");
    assertThat(seen.join().headers().get(Headers.VALIDATE)).isEqualTo("false");
  }

  @Test
  void the_failure_of_the_connection_arrives_with_all_its_members() {
    git.on(
        Addresses.TOOLS_CALL,
        message ->
            message.reply(
                new McpFailure(
                    FailureCode.UNAVAILABLE,
                    McpFailure.Sent.NO,
                    "restarting",
                    250,
                    new JsonObject().put("state", "RECONNECTING"))));

    McpFailure failure = failure(call(CallOptions.DEFAULT));

    assertThat(failure.code()).isEqualTo(FailureCode.UNAVAILABLE);
    assertThat(failure.sent()).isEqualTo(McpFailure.Sent.NO);
    assertThat(failure.retryAfterMillis()).isEqualTo(250);
    assertThat(failure.data().getString("state")).isEqualTo("RECONNECTING");
    assertThat(git.cancelled()).isEmpty();
  }

  @Test
  void a_tools_own_failure_fails_the_call_on_wish() {
    JsonObject result =
        new JsonObject(
            "{\"isError\":true,\"content\":[{\"type\":\"text\",\"text\":\"no such branch\"}]}");
    git.on(Addresses.TOOLS_CALL, message -> FakeConnection.replyInKind(message, result.encode()));
    CallOptions wish = CallOptions.DEFAULT.withToolFailure(true);
    McpServerClient server = McpClient.create(vertx, wish).server(GIT);

    McpFailure failure = failure(call(wish));

    assertThat(failure.code()).isEqualTo(FailureCode.TOOL_FAILED);
    assertThat(failure).hasMessage("no such branch");
    assertThat(failure.data()).isEqualTo(result);
    assertThat(failure(server.callTool("any", Map.of())).code()).isEqualTo(FailureCode.TOOL_FAILED);
    assertThat(
            await(server.callTool("any", Map.of(), CallOptions.DEFAULT.withToolFailure(false)))
                .isError())
        .isTrue();
    assertThat(await(call(CallOptions.DEFAULT))).isEqualTo(result);
  }

  @Test
  void at_the_deadline_the_connection_may_speak_first() {
    git.on(
        Addresses.TOOLS_CALL,
        message ->
            vertx.setTimer(
                Long.parseLong(message.headers().get(Headers.DEADLINE)),
                timer ->
                    message.reply(
                        McpFailure.notSent(FailureCode.CALL_TIMEOUT, "waited in the stash"))));
    calls = new ClientCalls(vertx, CallOptions.DEFAULT, Layer.CALLER);

    McpFailure failure = failure(call(CallOptions.timeout(Duration.ofMillis(20))));

    assertThat(failure.getMessage()).isEqualTo("waited in the stash");
    assertThat(failure.sent()).isEqualTo(McpFailure.Sent.NO);
  }

  @Test
  void a_call_without_a_reply_after_its_slack_is_cancelled_at_the_connection() {
    List<Message<Object>> kept = keeping();

    McpFailure failure = failure(call(CallOptions.timeout(Duration.ofMillis(20))));

    assertThat(failure.code()).isEqualTo(FailureCode.CALL_TIMEOUT);
    assertThat(failure.sent()).isEqualTo(McpFailure.Sent.MAYBE);
    await().until(() -> git.cancelled().size() == 1);
    assertThat(git.cancelled()).containsExactly(kept.get(0).headers().get(Headers.CALL_ID));
    await().until(() -> calls.outstanding() == 0);
  }

  @Test
  void an_address_without_a_consumer_is_an_unknown_connection() {
    McpFailure failure = failure(call(CallOptions.DEFAULT));

    assertThat(failure.code()).isEqualTo(FailureCode.UNKNOWN_CONNECTION);
    assertThat(failure.sent()).isEqualTo(McpFailure.Sent.NO);
  }

  @Test
  void a_reply_of_the_other_kind_is_a_protocol_error() {
    git.on(Addresses.TOOLS_CALL, message -> message.reply(Buffer.buffer("{}")));

    assertThat(failure(call(CallOptions.DEFAULT)).code()).isEqualTo(FailureCode.PROTOCOL_ERROR);
  }

  @Test
  void a_token_fails_its_calls_at_once_and_cancels_them_at_the_server() {
    List<Message<Object>> kept = keeping();
    CancellationToken token = new CancellationToken();
    Future<JsonObject> first = call(CallOptions.DEFAULT.withCancel(token));
    Future<JsonObject> second = call(CallOptions.DEFAULT.withCancel(token));
    Future<JsonObject> other = call(CallOptions.DEFAULT);
    await().until(() -> kept.size() == 3);

    token.cancel();

    assertThat(failure(first).code()).isEqualTo(FailureCode.CANCELLED);
    assertThat(failure(second).code()).isEqualTo(FailureCode.CANCELLED);
    await().until(() -> git.cancelled().size() == 2);
    assertThat(git.cancelled())
        .containsExactlyInAnyOrder(
            kept.get(0).headers().get(Headers.CALL_ID), kept.get(1).headers().get(Headers.CALL_ID));
    kept.forEach(message -> message.reply(new JsonObject().put("late", true)));
    assertThat(await(other).getBoolean("late")).isTrue();
    assertThat(first.failed()).as("still the one ending").isTrue();
    await().until(() -> calls.outstanding() == 0);
  }

  @Test
  void a_cancel_after_the_ending_changes_nothing() {
    git.answering(Addresses.TOOLS_CALL, "{}");
    CancellationToken token = new CancellationToken();
    Future<JsonObject> call = call(CallOptions.DEFAULT.withCancel(token));
    await(call);

    token.cancel();

    assertThat(call.succeeded()).isTrue();
    await(barrier());
    assertThat(git.cancelled()).isEmpty();
  }

  @Test
  void a_call_with_a_token_that_is_spent_is_never_sent() {
    List<Message<Object>> kept = keeping();
    CancellationToken token = new CancellationToken();
    token.cancel();

    McpFailure failure = failure(call(CallOptions.DEFAULT.withCancel(token)));

    assertThat(failure.code()).isEqualTo(FailureCode.CANCELLED);
    assertThat(failure.sent()).isEqualTo(McpFailure.Sent.NO);
    await(barrier());
    assertThat(kept).isEmpty();
  }

  @Test
  void progress_arrives_in_order_before_the_result_and_then_its_address_is_gone() {
    CompletableFuture<String> address = new CompletableFuture<>();
    git.on(
        Addresses.TOOLS_CALL,
        message -> {
          String progress = message.headers().get(Headers.PROGRESS);
          vertx.eventBus().send(progress, progress(1));
          vertx.eventBus().send(progress, new JsonObject().put("progress", "not a number"));
          vertx.eventBus().send(progress, progress(2).toBuffer());
          message.reply(new JsonObject());
          address.complete(progress);
        });
    List<String> seen = new CopyOnWriteArrayList<>();

    Future<JsonObject> call =
        call(
            CallOptions.DEFAULT.withProgress(
                progress -> seen.add(progress.progress() + " " + progress.message())));
    await(call.onSuccess(result -> seen.add("result")));

    await().until(() -> seen.contains("result"));
    assertThat(seen).containsExactly("1.0 step 1", "2.0 step 2", "result");
    await()
        .until(
            () ->
                failure(
                            vertx
                                .eventBus()
                                .request(address.join(), progress(3))
                                .recover(gone -> Future.failedFuture(McpFailure.of(gone))))
                        .code()
                    == FailureCode.UNKNOWN_CONNECTION);
    assertThat(seen).hasSize(3);
  }

  @Test
  void closing_cancels_what_is_outstanding_and_refuses_the_rest() {
    List<Message<Object>> kept = keeping();
    Future<JsonObject> call = call(CallOptions.DEFAULT.withProgress(progress -> {}));
    await().until(() -> kept.size() == 1);

    calls.close();

    assertThat(failure(call).code()).isEqualTo(FailureCode.CANCELLED);
    assertThat(failure(call(CallOptions.DEFAULT)).sent()).isEqualTo(McpFailure.Sent.NO);
    await().until(() -> git.cancelled().size() == 1);
  }

  /** A cancel that was sent before this would have arrived before its reply. */
  private Future<?> barrier() {
    git.on("barrier", message -> message.reply(new JsonObject()));
    return vertx.eventBus().request(Addresses.of(GIT, "barrier"), new JsonObject());
  }

  private static JsonObject progress(int step) {
    return new JsonObject()
        .put("progressToken", "t")
        .put("progress", step)
        .put("message", "step " + step);
  }
}
