package dev.mcpbus.transport.sdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.mcpbus.transport.RawClient;
import dev.mcpbus.transport.memory.InMemoryTransport;
import io.modelcontextprotocol.server.McpAsyncServer;
import io.modelcontextprotocol.server.McpServer;
import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
import io.modelcontextprotocol.spec.McpSchema.ServerCapabilities;
import io.modelcontextprotocol.spec.McpSchema.Tool;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

class SdkServerTransportProviderTest {

  private static final Map<String, Object> NO_ARGUMENTS = Map.of("type", "object");

  private final Vertx vertx = Vertx.vertx();
  private final Context serverContext = vertx.getOrCreateContext();
  private final SdkServerTransportProvider provider = new SdkServerTransportProvider();
  private final List<Boolean> onEventLoop = new CopyOnWriteArrayList<>();
  private final CountDownLatch gate = new CountDownLatch(1);
  private final AtomicInteger entered = new AtomicInteger();
  private final AtomicBoolean cancelled = new AtomicBoolean();
  private McpAsyncServer server = build();

  private McpAsyncServer build() {
    return McpServer.async(provider)
        .serverInfo("test", "1")
        .capabilities(ServerCapabilities.builder().tools(true).build())
        .toolCall(
            Tool.builder("where", NO_ARGUMENTS).build(),
            (exchange, request) -> {
              onEventLoop.add(Context.isOnEventLoopThread());
              return Mono.just(text("here"));
            })
        .toolCall(
            Tool.builder("block", NO_ARGUMENTS).build(), (exchange, request) -> Mono.just(block()))
        .toolCall(
            Tool.builder("never", NO_ARGUMENTS).build(),
            (exchange, request) -> {
              entered.incrementAndGet();
              return Mono.<CallToolResult>never().doOnCancel(() -> cancelled.set(true));
            })
        .toolCall(
            Tool.builder("notify", NO_ARGUMENTS).build(),
            (exchange, request) ->
                provider
                    .notifyClients("notifications/tools/list_changed", Map.of())
                    .then(
                        Mono.fromCallable(
                            () -> {
                              onEventLoop.add(Context.isOnEventLoopThread());
                              return text("told");
                            })))
        .build();
  }

  private CallToolResult block() {
    entered.incrementAndGet();
    try {
      return text(gate.await(60, TimeUnit.SECONDS) ? "free" : "stuck");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return text("interrupted");
    }
  }

  private static CallToolResult text(String text) {
    return CallToolResult.builder().addTextContent(text).build();
  }

  private RawClient client = open();

  private RawClient open() {
    try {
      RawClient opened =
          RawClient.open(vertx, new InMemoryTransport("test", serverContext, provider));
      opened.handshake();
      return opened;
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  @BeforeEach
  void one_session() {
    assertThat(provider.sessions()).isEqualTo(1);
  }

  @AfterEach
  void close() throws Exception {
    gate.countDown();
    RawClient.get(vertx.close());
  }

  @Test
  void handlers_and_what_follows_a_send_stay_off_the_event_loop() throws Exception {
    assertThat(client.call("where", "{}")).isEqualTo("here");
    assertThat(client.call("notify", "{}")).isEqualTo("told");
    assertThat(onEventLoop).containsExactly(false, false);
  }

  @Test
  void a_blocking_handler_holds_up_neither_the_event_loop_nor_another_session() throws Exception {
    Future<JsonObject> blocked =
        client.request("tools/call", "{\"name\":\"block\",\"arguments\":{}}");
    await().until(() -> entered.get() == 1);
    Promise<String> loop = Promise.promise();
    serverContext.runOnContext(nothing -> loop.complete("turns"));
    assertThat(RawClient.get(loop.future())).isEqualTo("turns");
    assertThat(open().call("where", "{}")).isEqualTo("here");
    assertThat(blocked.isComplete()).isFalse();
    gate.countDown();
    assertThat(RawClient.get(blocked).encode()).contains("free");
  }

  @Test
  void many_calls_at_once_are_all_answered_by_their_own_id() throws Exception {
    List<Future<JsonObject>> calls =
        IntStream.range(0, 500)
            .mapToObj(i -> client.request("tools/call", "{\"name\":\"where\",\"arguments\":{}}"))
            .toList();
    for (Future<JsonObject> call : calls) {
      assertThat(RawClient.get(call).getJsonObject("result")).isNotNull();
    }
  }

  @Test
  void more_calls_than_the_bound_are_refused_at_once() throws Exception {
    for (int sent = 256; sent <= 1_024; sent += 256) {
      IntStream.range(0, 256)
          .forEach(i -> client.request("tools/call", "{\"name\":\"never\",\"arguments\":{}}"));
      int expected = sent;
      await().until(() -> entered.get() == expected);
    }
    JsonObject refused =
        RawClient.get(client.request("tools/call", "{\"name\":\"where\",\"arguments\":{}}"));
    assertThat(refused.getJsonObject("error").getInteger("code")).isEqualTo(-32003);
  }

  @Test
  void a_client_that_leaves_ends_its_session_and_cancels_its_calls() throws Exception {
    client.request("tools/call", "{\"name\":\"never\",\"arguments\":{}}");
    await().until(() -> entered.get() == 1);
    client.close();
    await().until(() -> provider.sessions() == 0);
    await().untilTrue(cancelled);
  }

  @Test
  void a_notification_reaches_every_client() throws Exception {
    RawClient second = open();
    server.notifyToolsListChanged().block();
    await().until(() -> client.notifications().size() == 1);
    await().until(() -> second.notifications().size() == 1);
    assertThat(second.notifications().get(0).method())
        .isEqualTo("notifications/tools/list_changed");
  }

  @Test
  void closing_the_server_closes_every_connection() throws Exception {
    server.closeGracefully().block();
    await().until(() -> client.closings().size() == 1);
    assertThat(provider.sessions()).isZero();
  }

  @Test
  void an_unknown_method_is_answered_with_method_not_found() throws Exception {
    JsonObject answer = RawClient.get(client.request("no/such", "{}"));
    assertThat(answer.getJsonObject("error").getInteger("code")).isEqualTo(-32601);
  }
}
