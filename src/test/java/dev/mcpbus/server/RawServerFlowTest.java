package dev.mcpbus.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.Headers;
import dev.mcpbus.client.CallOptions;
import dev.mcpbus.testing.McpHttp;
import dev.mcpbus.testing.TestBus;
import dev.mcpbus.transport.RawClient;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.json.JsonObject;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a call says before its result: how much of it there may be, and in which order it comes. */
class RawServerFlowTest {

  private static final int MANY = 50_000;
  private static final int SOME = 300; // within what a connection passes on of a flood
  private static final String TOLD = "{\"name\":\"%s\",\"arguments\":{},%s}";
  private static final String META = "\"_meta\":{\"progressToken\":\"p\"}";

  private final TestBus bus = TestBus.startWithBridge(new JsonObject());
  private final Context context = bus.vertx().getOrCreateContext();
  private final AtomicInteger refused = new AtomicInteger();
  private final RawServer server =
      RawServer.of("flow", "1")
          .tool("flood", "", Sample.NO_ARGUMENTS, this::flood)
          .tool("patient", "", Sample.NO_ARGUMENTS, RawServerFlowTest::patient)
          .tool("talk", "", Sample.NO_ARGUMENTS, this::talk)
          .tool("some", "", Sample.NO_ARGUMENTS, RawServerFlowTest::some)
          .tool("worker", "", Sample.NO_ARGUMENTS, RawServerFlowTest::worker);

  @AfterEach
  void stop() {
    bus.close();
  }

  private Future<JsonObject> flood(ServerRequest request, JsonObject arguments) {
    for (int i = 1; i <= MANY; i++) {
      request.progress(i, (double) MANY, null).onFailure(lost -> refused.incrementAndGet());
    }
    // Now the client takes what is in its window, and the rest still waits.
    return HandlerWrappers.blocking(() -> ToolResult.text("flooded"));
  }

  private static Future<JsonObject> patient(ServerRequest request, JsonObject arguments) {
    Future<Void> sent = Future.succeededFuture();
    for (int i = 1; i <= MANY; i++) {
      int at = i;
      sent = sent.compose(before -> request.progress(at, null, null));
    }
    return sent.map(all -> ToolResult.text("done"));
  }

  private Future<JsonObject> talk(ServerRequest request, JsonObject arguments) {
    for (int i = 1; i <= MANY; i++) {
      request.log(LogLevel.ERROR, "flow", i).onFailure(lost -> refused.incrementAndGet());
    }
    return Future.succeededFuture(ToolResult.text("talked"));
  }

  private static Future<JsonObject> some(ServerRequest request, JsonObject arguments) {
    for (int i = 1; i <= SOME; i++) {
      request.progress(i, null, null);
    }
    return Future.succeededFuture(ToolResult.text("some"));
  }

  private static Future<JsonObject> worker(ServerRequest request, JsonObject arguments) {
    return HandlerWrappers.blocking(
        () -> {
          TestBus.await(some(request, arguments));
          return ToolResult.text("some");
        });
  }

  private RawClient client() throws Exception {
    RawClient client = RawClient.open(bus.vertx(), server.inMemory(context));
    client.handshake();
    return client;
  }

  private static List<Integer> told(RawClient client) {
    return client.notifications().stream()
        .map(one -> one.params().toJsonObject().getInteger("progress"))
        .toList();
  }

  @Test
  void a_flood_of_progress_ends_no_session_and_its_last_word_comes_before_the_result()
      throws Exception {
    RawClient other = client();
    RawClient client = client();

    JsonObject result = client.result("tools/call", TOLD.formatted("flood", META));

    assertThat(result).isEqualTo(ToolResult.text("flooded"));
    List<Integer> told = told(client);
    assertThat(told).isSorted().endsWith(MANY).hasSizeLessThan(MANY / 10);
    assertThat(refused).hasValue(0);
    assertThat(server.sessions()).hasSize(2);
    assertThat(other.result("ping", "{}")).isEmpty();
    assertThat(client.closings()).isEmpty();
  }

  @Test
  void a_handler_that_waits_for_its_client_loses_nothing() throws Exception {
    RawClient client = client();

    client.result("tools/call", TOLD.formatted("patient", META));

    assertThat(told(client)).isEqualTo(IntStream.rangeClosed(1, MANY).boxed().toList());
  }

  @Test
  void a_flood_of_log_messages_is_refused_at_the_bound_and_the_result_comes() throws Exception {
    RawClient client = client();

    client.result("tools/call", TOLD.formatted("talk", META));

    assertThat(refused.get()).isPositive();
    assertThat(client.notifications()).hasSize(MANY - refused.get());
    assertThat(client.closings()).isEmpty();
  }

  @Test
  void on_stdin_and_stdout_the_last_word_of_a_flood_comes_before_the_result() throws Exception {
    PipedOutputStream toServer = new PipedOutputStream();
    PipedInputStream fromServer = new PipedInputStream(1 << 16);
    StdioServer.serve(
        bus.vertx(), server, new PipedInputStream(toServer), new PipedOutputStream(fromServer));
    toServer.write(
        """
        {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25",\
        "capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}
        {"jsonrpc":"2.0","method":"notifications/initialized"}
        {"jsonrpc":"2.0","id":2,"method":"tools/call","params":%s}
        """
            .formatted(TOLD.formatted("flood", META))
            .getBytes(StandardCharsets.UTF_8));
    toServer.flush();
    List<String> lines = new ArrayList<>();
    BufferedReader reader =
        new BufferedReader(new InputStreamReader(fromServer, StandardCharsets.UTF_8));
    while (lines.isEmpty() || !lines.get(lines.size() - 1).contains("\"id\":2")) {
      lines.add(reader.readLine());
    }
    toServer.close();

    assertThat(lines.get(lines.size() - 1)).contains("flooded");
    assertThat(lines.get(lines.size() - 2)).contains("\"progress\":" + MANY);
    assertThat(lines).hasSizeLessThan(MANY / 10);
  }

  private void serve(String way) {
    if (way.equals("memory")) {
      TestBus.await(bus.bus().add("flow", server.inMemory(context)));
    } else {
      TestBus.await(bus.vertx().deployVerticle(server.deployable("my.flow")));
      bus.<JsonObject>request(
          Addresses.SERVERS_ADD,
          new JsonObject()
              .put("name", "flow")
              .put("config", new JsonObject().put("address", "my.flow")));
    }
    bus.awaitState("flow", "READY");
  }

  private List<String> calledFrom(boolean eventLoop, String tool) {
    List<String> came = new CopyOnWriteArrayList<>();
    CallOptions options = CallOptions.DEFAULT.withProgress(one -> came.add("progress"));
    Runnable call =
        () ->
            bus.bus()
                .client()
                .callTool("flow." + tool, new JsonObject(), options)
                .onComplete(end -> came.add(end.succeeded() ? "result" : "failure"));
    if (eventLoop) {
      bus.vertx().getOrCreateContext().runOnContext(now -> call.run());
    } else {
      call.run();
    }
    await().until(() -> came.contains("result") || came.contains("failure"));
    return came;
  }

  @ParameterizedTest
  @ValueSource(strings = {"memory", "bus"})
  void a_caller_on_the_bus_gets_all_progress_before_the_result(String way) {
    serve(way);
    for (int i = 0; i < 3; i++) {
      for (String tool : List.of("some", "worker")) {
        assertThat(calledFrom(true, tool))
            .as(i + tool + "loop")
            .hasSize(SOME + 1)
            .endsWith("result");
        assertThat(calledFrom(false, tool))
            .as(i + tool + "thread")
            .hasSize(SOME + 1)
            .endsWith("result");
      }
    }
  }

  @Test
  void a_client_over_http_gets_all_progress_before_the_result() {
    serve("bus");
    McpHttp.Session session = new McpHttp(bus.port(), "/mcp").initialize();
    McpHttp.Answer answer =
        session.call(
            "tools/call",
            new JsonObject()
                .put("name", "flow__some")
                .put("arguments", new JsonObject())
                .put("_meta", new JsonObject().put("progressToken", "p")));
    List<String> came =
        answer.messages().stream()
            .map(one -> one.containsKey("result") ? "result" : "progress")
            .toList();
    assertThat(came).as(answer.body()).hasSize(SOME + 1).endsWith("result");
  }

  @Test
  void two_callers_share_the_connection_through_a_flood() {
    serve("bus");
    Future<JsonObject> flood =
        bus.send(
            TestBus.address("flow", Addresses.TOOLS_CALL),
            TestBus.toolCall("flood", new JsonObject()),
            new DeliveryOptions().addHeader(Headers.PROGRESS, "my.progress"));
    assertThat(bus.callTool("flow", "some", new JsonObject()).encode()).contains("some");
    assertThat(TestBus.await(flood).encode()).contains("flooded");
    assertThat(bus.status("flow").getInteger("restarts", 0)).isZero();
  }
}
