package dev.mcpbus.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.QuestionMessage;
import dev.mcpbus.connection.input.ServerRequests;
import dev.mcpbus.testing.McpHttp;
import dev.mcpbus.testing.McpHttp.Answer;
import dev.mcpbus.testing.ScriptedPeer;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** What a server asks and takes back, and what a client tells its servers by itself. */
class WithdrawalTest extends GatewayFixture {

  private static final JsonObject CAN =
      new JsonObject()
          .put("elicitation", new JsonObject())
          .put("roots", new JsonObject().put("listChanged", true));
  private static final JsonObject FORM =
      new JsonObject(
          "{\"message\":\"?\",\"requestedSchema\":{\"type\":\"object\",\"properties\":{}}}");
  private static final JsonObject ACCEPT =
      new JsonObject().put("action", "accept").put("content", new JsonObject());

  WithdrawalTest() {
    super("/mcp");
  }

  /** Says nothing by itself: the test asks and answers for it. */
  private ScriptedPeer olderServer() {
    return Peers.initialize(
        bus,
        "o",
        (method, params, connection) -> method.equals("tools/list") ? Peers.tools("t") : null);
  }

  private static void ask(ScriptedPeer peer, int id) {
    peer.say(
        2,
        new JsonObject()
            .put("jsonrpc", "2.0")
            .put("id", id)
            .put("method", "elicitation/create")
            .put("params", FORM)
            .encode());
  }

  private static void takeBack(ScriptedPeer peer, int id) {
    peer.notify("notifications/cancelled", new JsonObject().put("requestId", id));
  }

  private static void answer(ScriptedPeer peer) {
    Object call = peer.received("tools/call").get(0).getValue("id");
    peer.say(2, "{\"jsonrpc\":\"2.0\",\"id\":" + call + "," + Peers.text("done") + "}");
  }

  /** The stream of a call on which its client was asked. */
  private McpHttp.Stream asked(ScriptedPeer peer, McpHttp.Session session) {
    return asked(peer, session, client.request("tools/call", Peers.call("o__t")));
  }

  private static McpHttp.Stream asked(
      ScriptedPeer peer, McpHttp.Session session, JsonObject request) {
    CompletableFuture<McpHttp.Stream> open =
        CompletableFuture.supplyAsync(() -> session.streamed(request));
    await().until(() -> !peer.received("tools/call").isEmpty());
    ask(peer, 77);
    McpHttp.Stream stream = open.join();
    await().until(() -> stream.methods().contains("elicitation/create"));
    return stream;
  }

  private static Object question(McpHttp.Stream stream) {
    return stream.messages().get(0).getValue("id");
  }

  @Test
  void an_initialize_client_learns_that_the_server_took_its_question_back() {
    ScriptedPeer peer = olderServer();
    McpHttp.Session session = client.initialize("2025-11-25", CAN);
    try (McpHttp.Stream stream = asked(peer, session)) {
      takeBack(peer, 77);
      await().until(() -> stream.methods().contains("notifications/cancelled"));
      assertThat(stream.messages().get(1).getJsonObject("params").getValue("requestId"))
          .isEqualTo(question(stream));
      // An answer that comes all the same goes nowhere.
      assertThat(session.answer(question(stream), ACCEPT)).isEqualTo(202);
      answer(peer);
      await().until(stream::hasEnded);
      assertThat(peer.answers(77)).isEmpty();
    }
  }

  @Test
  void a_question_that_outlives_its_call_is_taken_back() {
    ScriptedPeer peer = olderServer();
    McpHttp.Session session = client.initialize("2025-11-25", CAN);
    try (McpHttp.Stream stream = asked(peer, session)) {
      answer(peer);
      await().until(stream::hasEnded);
      assertThat(stream.methods())
          .containsExactly("elicitation/create", "notifications/cancelled", "");
      await().until(() -> !peer.answers(77).isEmpty());
    }
  }

  @Test
  void a_client_that_cancels_its_call_with_a_question_open_causes_no_line_in_the_log() {
    ListAppender<ILoggingEvent> log = new ListAppender<>();
    log.start();
    Logger inputs = (Logger) LoggerFactory.getLogger(ServerRequests.class);
    inputs.addAppender(log);
    ScriptedPeer peer = olderServer();
    McpHttp.Session session = client.initialize("2025-11-25", CAN);
    JsonObject request = client.request("tools/call", Peers.call("o__t"));
    try (McpHttp.Stream stream = asked(peer, session, request)) {
      session.notify(
          "notifications/cancelled", new JsonObject().put("requestId", request.getValue("id")));
      await().until(() -> !peer.answers(77).isEmpty());
      await().until(stream::hasEnded);
    } finally {
      inputs.detachAppender(log);
    }
    assertThat(log.list).isEmpty();
  }

  @Test
  void roots_that_an_older_server_asks_for_while_a_call_runs_are_not_taken_back_with_the_call() {
    ScriptedPeer peer = olderServer();
    McpHttp.Session session =
        client.initialize("2025-11-25", new JsonObject().put("roots", new JsonObject()));
    JsonObject request = client.request("tools/call", Peers.call("o__t"));
    try (McpHttp.Stream standing = session.listen()) {
      CompletableFuture<McpHttp.Answer> call = session.called(request);
      await().until(() -> !peer.received("tools/call").isEmpty());
      peer.say(2, "{\"jsonrpc\":\"2.0\",\"id\":78,\"method\":\"roots/list\"}");
      await().until(() -> standing.methods().contains("roots/list"));
      answer(peer);
      assertThat(call.join().status()).isEqualTo(200);
      JsonObject roots = new JsonObject().put("roots", new JsonArray());
      assertThat(session.answer(question(standing), roots)).isEqualTo(202);
      await().until(() -> !peer.answers(78).isEmpty());
      assertThat(peer.answers(78).get(0).getJsonObject("result")).isEqualTo(roots);
      assertThat(standing.methods()).doesNotContain("notifications/cancelled");
    }
  }

  @Test
  void a_client_that_cancels_its_call_need_not_answer_what_was_asked_for_it() {
    Peers.discover(
        bus,
        "m",
        (method, params, connection) ->
            switch (method) {
              case "tools/list" -> Peers.tools("t");
              case "tools/call" ->
                  "\"result\":"
                      + new JsonObject()
                          .put("resultType", "input_required")
                          .put(
                              "inputRequests",
                              new JsonObject()
                                  .put(
                                      "who",
                                      new JsonObject()
                                          .put("method", "elicitation/create")
                                          .put("params", FORM)));
              default -> null;
            });
    McpHttp.Session session = client.initialize("2025-11-25", CAN);
    JsonObject request = client.request("tools/call", Peers.call("m__t"));
    try (McpHttp.Stream stream = session.streamed(request)) {
      await().until(() -> stream.methods().contains("elicitation/create"));
      session.notify(
          "notifications/cancelled", new JsonObject().put("requestId", request.getValue("id")));
      await().until(stream::hasEnded);
      assertThat(stream.messages().get(1).getJsonObject("params").getValue("requestId"))
          .isEqualTo(question(stream));
    }
  }

  @Test
  void for_a_discover_client_a_question_that_was_taken_back_is_gone() {
    ScriptedPeer peer = olderServer();
    JsonObject first = discoverCall(new JsonObject());
    CompletableFuture<Answer> waiting = client.posted(first.encode(), McpHttp.headers(first));
    await().until(() -> !peer.received("tools/call").isEmpty());
    ask(peer, 77);
    JsonObject asked = waiting.orTimeout(60, TimeUnit.SECONDS).join().result();
    List<Boolean> withdrawals = new CopyOnWriteArrayList<>();
    bus.vertx()
        .eventBus()
        .<Buffer>addInboundInterceptor(
            delivery -> {
              if (delivery.message().address().startsWith(Addresses.GATEWAY_INPUT)) {
                withdrawals.add(QuestionMessage.withdrawn(delivery.message()) != null);
              }
              delivery.next();
            });
    takeBack(peer, 77);
    ask(peer, 78);
    await().until(() -> withdrawals.size() == 2);
    assertThat(withdrawals).containsExactly(true, false);
    JsonObject late =
        new JsonObject().put("input-1", ACCEPT.copy().put("_meta", new JsonObject().put("n", 1)));
    JsonObject second =
        discoverCall(
            new JsonObject()
                .put("requestState", asked.getString("requestState"))
                .put("inputResponses", late));
    JsonObject again = client.post(second, McpHttp.headers(second)).result();
    assertThat(again.getJsonObject("inputRequests").fieldNames()).containsExactly("input-2");
    JsonObject third =
        discoverCall(
            new JsonObject()
                .put("requestState", again.getString("requestState"))
                .put("inputResponses", new JsonObject().put("input-2", ACCEPT)));
    CompletableFuture<Answer> done = client.posted(third.encode(), McpHttp.headers(third));
    await().until(() -> !peer.answers(78).isEmpty());
    answer(peer);
    assertThat(done).succeedsWithin(Duration.ofSeconds(10));
    assertThat(McpHttp.text(done.join().result())).isEqualTo("done");
    assertThat(peer.answers(77)).isEmpty();
  }

  private JsonObject discoverCall(JsonObject more) {
    JsonObject meta = new JsonObject().put("io.modelcontextprotocol/clientCapabilities", CAN);
    return client.described("tools/call", Peers.call("o__t").put("_meta", meta).mergeIn(more));
  }

  @Test
  void a_client_whose_roots_have_changed_is_asked_for_them_by_its_own_connections() {
    ScriptedPeer peer =
        Peers.initialize(
            bus,
            "r",
            (method, params, connection) ->
                switch (method) {
                  case "tools/list" -> Peers.tools("t");
                  case "tools/call" -> Peers.text("done");
                  default -> null;
                });
    McpHttp.Session other = client.initialize("2025-11-25", CAN);
    McpHttp.Session session = client.initialize("2025-11-25", CAN);
    session.call("tools/call", Peers.call("r__t"));
    try (McpHttp.Stream stream = session.listen()) {
      other.notify("notifications/roots/list_changed", new JsonObject());
      assertThat(peer.methods()).doesNotContain("notifications/roots/list_changed");
      session.notify("notifications/roots/list_changed", new JsonObject());
      await().until(() -> peer.methods().contains("notifications/roots/list_changed"));
      peer.say(2, "{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"roots/list\"}");
      await().until(() -> stream.methods().contains("roots/list"));
      JsonObject roots =
          new JsonObject()
              .put("roots", new JsonArray().add(new JsonObject().put("uri", "file:///new")));
      session.answer(stream.messages().get(0).getValue("id"), roots);
      await().until(() -> !peer.answers(5).isEmpty());
      assertThat(peer.answers(5).get(0).getJsonObject("result")).isEqualTo(roots);
    }
    assertThat(peer.received("notifications/roots/list_changed")).hasSize(1);
  }
}
