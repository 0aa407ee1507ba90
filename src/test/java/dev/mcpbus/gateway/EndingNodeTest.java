package dev.mcpbus.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.RequestSender;
import dev.mcpbus.connection.options.ConnectionOptions;
import dev.mcpbus.testing.Http;
import dev.mcpbus.testing.McpHttp;
import dev.mcpbus.testing.ScriptedPeer;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.EventBus;
import io.vertx.core.eventbus.Message;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Requests whose answer does not come while their node, their session or their stream ends. */
class EndingNodeTest {

  private static final JsonObject ELICITATION =
      new JsonObject().put("elicitation", new JsonObject());

  private TestBus bus;
  private ScriptedPeer old;
  private ScriptedPeer fresh;

  @BeforeEach
  @SuppressWarnings("NullAway.Init")
  void start() {
    bus = TestBus.startWithBridge(new JsonObject());
    old =
        added(
            "old",
            new ScriptedPeer(
                bus.vertx(),
                (method, params, n) ->
                    switch (method) {
                      case "server/discover" -> ScriptedPeer.error(-32601, "no such method");
                      case "initialize" -> Peers.INITIALIZE;
                      case "tools/list" -> Peers.tools("never");
                      case "tools/call" -> null;
                      default -> "\"result\":{}";
                    }));
    fresh =
        added(
            "fresh",
            ScriptedPeer.discover(
                bus.vertx(),
                (method, params, n) -> method.equals("tools/list") ? Peers.tools("never") : null));
  }

  /** A server whose calls in flight have longer than the doors wait. */
  private ScriptedPeer added(String id, ScriptedPeer peer) {
    bus.add(id, peer.transport(), ConnectionOptions.DEFAULT, Duration.ofSeconds(30));
    bus.awaitState(id, "READY");
    return peer;
  }

  @AfterEach
  void close() {
    bus.close();
  }

  private void calledOld(int times) {
    await().until(() -> old.received("tools/call").size() == times);
  }

  /** Has the server report progress of its last call, so that its response is a stream. */
  private void progress() {
    List<JsonObject> calls = old.received("tools/call");
    Object token =
        calls
            .get(calls.size() - 1)
            .getJsonObject("params")
            .getJsonObject("_meta")
            .getValue("progressToken");
    old.notify(
        "notifications/progress", new JsonObject().put("progressToken", token).put("progress", 1));
  }

  private static JsonObject never() {
    return Peers.call("never").put("_meta", new JsonObject().put("progressToken", "p"));
  }

  private static void isLost(JsonObject message, Object id) {
    assertThat(message.getValue("id")).as(message.encode()).isEqualTo(id);
    JsonObject error = message.getJsonObject("error");
    assertThat(error.getInteger("code")).isEqualTo(-32603);
    assertThat(error.getJsonObject("data").getString("code")).isEqualTo("OWNER_LOST");
    assertThat(error.getJsonObject("data").getString("sent")).isEqualTo("maybe");
  }

  private static JsonObject last(McpHttp.Stream stream) {
    await().atMost(Duration.ofSeconds(60)).until(stream::hasEnded);
    List<McpHttp.Event> events = stream.events();
    assertThat(events).as("the stream has ended").isNotEmpty();
    return events.get(events.size() - 1).json();
  }

  private static McpHttp.Answer answer(CompletableFuture<McpHttp.Answer> call) throws Exception {
    return call.get(60, TimeUnit.SECONDS);
  }

  @Test
  void the_end_of_a_node_answers_every_request_that_is_in_flight() throws Exception {
    McpHttp mcp = new McpHttp(bus.port(), "/mcp/old");
    McpHttp.Session session = mcp.initialize();
    JsonObject streamed = mcp.request("tools/call", never()).put("id", "as a stream, \"quoted\"");
    McpHttp.Stream stream = begun(session, streamed);

    JsonObject plain = mcp.request("tools/call", never());
    CompletableFuture<McpHttp.Answer> json =
        mcp.posted(plain.encode(), with(session, "Accept", "application/json"));

    McpHttp.Session dated = mcp.initialize("2025-03-26", new JsonObject());
    JsonArray batch = new JsonArray();
    for (int i = 0; i < 3; i++) {
      batch.add(mcp.request("tools/call", never()).put("id", "b" + i));
    }
    CompletableFuture<McpHttp.Answer> batched =
        mcp.posted(
            batch.encode(),
            "Mcp-Session-Id",
            dated.id(),
            "MCP-Protocol-Version",
            "2025-03-26",
            "Accept",
            "application/json");

    McpHttp.Stream sse = new McpHttp(bus.port(), "/sse/old").get();
    await().until(() -> !sse.events().isEmpty());
    McpHttp posts = new McpHttp(bus.port(), sse.events().get(0).data());
    JsonObject begin =
        new JsonObject()
            .put("protocolVersion", "2024-11-05")
            .put("capabilities", new JsonObject())
            .put("clientInfo", new JsonObject().put("name", "old").put("version", "1"));
    posts.post(posts.request("initialize", begin));
    await().until(() -> sse.events().size() == 2);
    JsonObject overSse = posts.request("tools/call", never());
    posts.post(overSse);

    List<CompletableFuture<McpHttp.Answer>> described = new ArrayList<>();
    List<Object> ids = new ArrayList<>();
    for (String server : List.of("old", "fresh")) {
      McpHttp at = new McpHttp(bus.port(), "/mcp/" + server);
      JsonObject request = at.described("tools/call", Peers.call("never"));
      described.add(at.posted(request.encode(), McpHttp.headers(request)));
      ids.add(request.getValue("id"));
    }
    McpHttp at = new McpHttp(bus.port(), "/mcp/fresh");
    JsonObject listen =
        at.described(
            "subscriptions/listen",
            new JsonObject().put("notifications", new JsonObject().put("toolsListChanged", true)));
    McpHttp.Stream listening = at.streamed(listen, McpHttp.headers(listen));
    await().until(() -> listening.methods().size() == 1);
    CompletableFuture<Http.Answer> rest =
        Http.posted(bus.port(), "/api/servers/fresh/tools/never", "{}");
    calledOld(7);
    await().until(() -> fresh.received("tools/call").size() == 2);

    String host = session.id().substring(0, session.id().indexOf('.'));
    List<Future<Message<Object>>> afterwards = messagesToHostAfterLoss(host, "as a stream");
    Future<Void> closing = bus.bus().close();

    isLost(last(stream), "as a stream, \"quoted\"");
    isLost(answer(json).json(), plain.getValue("id"));
    JsonArray answers = new JsonArray(answer(batched).body());
    assertThat(answers).hasSize(3);
    for (int i = 0; i < 3; i++) {
      JsonObject one = answers.getJsonObject(i);
      assertThat(one.getString("id")).startsWith("b");
      isLost(one, one.getValue("id"));
    }
    isLost(last(sse), overSse.getValue("id"));
    for (int i = 0; i < described.size(); i++) {
      isLost(answer(described.get(i)).response(), ids.get(i));
    }
    assertThat(last(listening).getValue("id")).isEqualTo(listen.getValue("id"));
    assertThat(last(listening).containsKey("result")).as("a regular end").isTrue();
    Http.Answer problem = rest.get(60, TimeUnit.SECONDS);
    assertThat(problem.status()).isEqualTo(502);
    assertThat(new JsonObject(problem.body()).getString("code")).isEqualTo("OWNER_LOST");
    TestBus.await(closing);
    assertThat(afterwards).isNotEmpty();
    await().until(() -> afterwards.stream().allMatch(Future::isComplete));
    assertThat(afterwards)
        .as("whoever hears of a loss finds no host that says 404")
        .allMatch(Future::failed)
        .allMatch(one -> RequestSender.hadNoReceiver(one.cause()));
  }

  /** When a host tells the call with this id that it is lost, one more message goes to the host. */
  private List<Future<Message<Object>>> messagesToHostAfterLoss(String host, String id) {
    List<Future<Message<Object>>> sent = new CopyOnWriteArrayList<>();
    EventBus messages = bus.vertx().eventBus();
    messages.addOutboundInterceptor(
        passing -> {
          if (passing.body() instanceof Buffer bytes
              && bytes.toString().contains("OWNER_LOST")
              && bytes.toString().contains(id)) {
            sent.add(messages.request(Addresses.GATEWAY_SESSIONS + host, Buffer.buffer()));
          }
          passing.next();
        });
    return sent;
  }

  /** The stream of the first call, which its server does not answer. */
  private McpHttp.Stream begun(McpHttp.Session session, JsonObject request) {
    CompletableFuture<McpHttp.Stream> opening =
        CompletableFuture.supplyAsync(() -> session.streamed(request));
    calledOld(1);
    progress();
    return opening.join();
  }

  /** The id of the first event of a stream. */
  private static String priming(McpHttp.Stream stream) {
    await().until(() -> !stream.events().isEmpty());
    return Objects.requireNonNull(stream.events().get(0).id());
  }

  private static String[] with(McpHttp.Session session, String... more) {
    List<String> all = new ArrayList<>(List.of(session.headers()));
    all.addAll(List.of(more));
    return all.toArray(String[]::new);
  }

  @Test
  void a_session_that_its_client_ends_answers_its_calls_and_says_initialize_again() {
    McpHttp mcp = new McpHttp(bus.port(), "/mcp/old");
    McpHttp.Session session = mcp.initialize("2025-11-25", ELICITATION);
    JsonObject request = mcp.request("tools/call", never());
    McpHttp.Stream stream = begun(session, request);
    assertThat(session.end()).isEqualTo(204);
    isLost(last(stream), request.getValue("id"));

    McpHttp.Answer gone = session.call("ping", new JsonObject());
    assertThat(gone.status()).isEqualTo(404);
    assertThat(gone.error().getString("message")).contains("initialize again");
    McpHttp.Answer late =
        mcp.post(
            new JsonObject()
                .put("jsonrpc", "2.0")
                .put("id", "q1")
                .put("result", new JsonObject().put("action", "decline")),
            session.headers());
    assertThat(late.status()).as("the answer to a question of the session").isEqualTo(404);
    assertThat(late.error().getString("message")).contains("initialize again");
    String priming = Objects.requireNonNull(stream.events().get(0).id());
    try (McpHttp.Stream resumed = session.resume(priming)) {
      assertThat(resumed.status()).as("its call has its answer").isEqualTo(404);
    }
  }

  /** As after a restart: no host has the name in the session's id. */
  @Test
  void a_client_that_comes_back_for_a_lost_stream_gets_its_answer_and_then_no_stream() {
    McpHttp mcp = new McpHttp(bus.port(), "/mcp/old");
    McpHttp.Session session = mcp.initialize();
    JsonObject request = mcp.request("tools/call", never()).put("id", "my \"id\"");
    McpHttp.Stream stream = begun(session, request);
    String priming = priming(stream);

    String[] headers = session.headers();
    headers[1] = "0123456789abcdef." + "0".repeat(32);
    for (String last : List.of(priming, priming.replaceAll("_0$", "_17"))) {
      McpHttp.Stream resumed = mcp.get(after(headers, last));
      assertThat(resumed.status()).isEqualTo(200);
      isLost(last(resumed), "my \"id\"");
      String told = Objects.requireNonNull(resumed.events().get(0).id());
      assertThat(mcp.get(after(headers, told)).status()).as("the SDK stops at 405").isEqualTo(405);
    }
    for (String forged :
        List.of("x", "x.y_0", "a.eyJhIjoxfQ_0", "a." + "A".repeat(5_000) + "_0", "a._0", "._")) {
      assertThat(mcp.get(after(headers, forged)).status()).as(forged).isEqualTo(404);
    }
    assertThat(mcp.get(headers).status()).isEqualTo(404);
  }

  @Test
  void a_stream_that_was_resumed_ends_with_the_answer_when_the_node_of_its_session_dies() {
    McpHttp mcp = new McpHttp(bus.port(), "/mcp/old");
    McpHttp.Session session = mcp.initialize();
    JsonObject request = mcp.request("tools/call", never()).put("id", 77);
    McpHttp.Stream stream = begun(session, request);
    String priming = priming(stream);
    stream.close();
    McpHttp.Stream resumed = session.resume(priming);
    assertThat(resumed.status()).isEqualTo(200);
    await().until(() -> !resumed.events().isEmpty());
    McpHttp.Stream standing = session.listen();
    assertThat(standing.status()).isEqualTo(200);

    JsonObject node = new JsonObject().put("node", session.id().substring(0, 12));
    bus.vertx().eventBus().publish(Addresses.GATEWAY_LEFT, node);

    isLost(last(resumed), 77);
    await().until(standing::hasEnded);
    assertThat(standing.events()).as("the stream of no request has no answer").isEmpty();
    List<McpHttp.Event> events = resumed.events();
    String told = Objects.requireNonNull(events.get(events.size() - 1).id());
    assertThat(session.resume(told).status()).as("and nothing comes after it").isEqualTo(405);
  }

  private static String[] after(String[] headers, String lastEventId) {
    List<String> all = new ArrayList<>(List.of(headers));
    all.addAll(List.of("Last-Event-ID", lastEventId));
    return all.toArray(String[]::new);
  }
}
