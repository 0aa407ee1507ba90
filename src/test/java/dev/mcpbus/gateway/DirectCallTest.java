package dev.mcpbus.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.mcpbus.Reload;
import dev.mcpbus.TestOptions;
import dev.mcpbus.bridge.options.BridgeOptions;
import dev.mcpbus.bus.Addresses;
import dev.mcpbus.config.ConfigDiff;
import dev.mcpbus.connection.options.ConnectionOptions;
import dev.mcpbus.directory.ViewOptions;
import dev.mcpbus.gateway.options.GatewayOptions;
import dev.mcpbus.internals.RecordCopy;
import dev.mcpbus.protocol.Envelope;
import dev.mcpbus.security.ApiKeys;
import dev.mcpbus.security.AuthOptions;
import dev.mcpbus.security.AuthOptions.Effect;
import dev.mcpbus.security.AuthOptions.Policy;
import dev.mcpbus.testing.McpHttp;
import dev.mcpbus.testing.McpHttp.Answer;
import dev.mcpbus.testing.ScriptedPeer;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Calls of sessions of the {@code initialize} era over a connection that all clients share: what
 * their clients see, whatever way the call takes through the gateway.
 */
class DirectCallTest {

  private static final ApiKeys.Fresh KEY = ApiKeys.generate(new SecureRandom());
  private static final JsonObject ASKED = new JsonObject().put("elicitation", new JsonObject());

  private TestBus bus = TestBus.startWithBridge(new JsonObject());

  /** Requests of clients that came to session hosts. */
  private final AtomicInteger byHost = new AtomicInteger();

  @AfterEach
  void close() {
    bus.close();
  }

  private void restart(GatewayOptions options) {
    bus.close();
    bus = TestBus.startWithGateway(new JsonObject(), options);
  }

  private McpHttp client(String path) {
    return new McpHttp(bus.port(), path);
  }

  /** A shared server; {@code now} answers, the test answers {@code never}. */
  private ScriptedPeer shared(String id) {
    return Peers.discover(bus, id, DirectCallTest::answer);
  }

  private static @Nullable String answer(String method, JsonObject params, int connection) {
    return switch (method) {
      case "tools/list" -> Peers.tools("now", "never");
      case "prompts/list" -> "\"result\":{\"prompts\":[{\"name\":\"p\"}],\"ttlMs\":60000}";
      case "resources/list" ->
          "\"result\":{\"resources\":[{\"uri\":\"file:///a\",\"name\":\"a\"}],\"ttlMs\":60000}";
      case "prompts/get" -> "\"result\":{\"resultType\":\"complete\",\"messages\":[]}";
      case "resources/read" -> "\"result\":{\"resultType\":\"complete\",\"contents\":[]}";
      case "tools/call" ->
          params.getString("name").equals("now") ? Peers.text("from " + connection) : null;
      default -> null;
    };
  }

  /** One of the initialize era, with which each client has a session of its own. */
  private ScriptedPeer keepsSessions(String id) {
    return Peers.initialize(bus, id, DirectCallTest::answer);
  }

  private void count() {
    bus.vertx()
        .eventBus()
        .addOutboundInterceptor(
            sent -> {
              if (sent.message().address().startsWith(Addresses.GATEWAY_SESSIONS)
                  && "post".equals(sent.message().headers().get("op"))
                  && sent.body() instanceof Envelope message
                  && message.kind() == Envelope.Kind.REQUEST) {
                byHost.incrementAndGet();
              }
              sent.next();
            });
  }

  private static JsonObject call(String tool) {
    return Peers.call(tool);
  }

  private static void isFrom(Answer answer, int connection) {
    assertThat(McpHttp.text(answer.result())).isEqualTo("from " + connection);
  }

  /** The last call of the tool {@code never} that a server has received, when there are so many. */
  private static JsonObject held(ScriptedPeer peer, int count) {
    await().atMost(Duration.ofSeconds(60)).until(() -> held(peer).size() >= count);
    return held(peer).get(count - 1);
  }

  private static List<JsonObject> held(ScriptedPeer peer) {
    return peer.received("tools/call").stream()
        .filter(one -> one.getJsonObject("params").getString("name").equals("never"))
        .toList();
  }

  private static void say(ScriptedPeer peer, JsonObject call, String text) {
    peer.say("{\"jsonrpc\":\"2.0\",\"id\":" + call.getValue("id") + "," + Peers.text(text) + "}");
  }

  private static <T> T in(CompletableFuture<T> future) throws Exception {
    return future.get(60, TimeUnit.SECONDS);
  }

  private static void isLost(JsonObject response, Object id) {
    assertThat(response.getValue("id")).isEqualTo(id);
    JsonObject data = response.getJsonObject("error").getJsonObject("data");
    assertThat(data.getString("code")).as(response.encode()).isEqualTo("OWNER_LOST");
    assertThat(data.getString("sent")).isEqualTo("maybe");
  }

  // ---- the way

  @Test
  void a_call_over_a_shared_connection_crosses_the_bus_once() {
    shared("m");
    McpHttp.Session session = client("/mcp").initialize();
    session.call("prompts/list", new JsonObject()); // then the directory has it
    count();
    isFrom(session.call("tools/call", call("m__now")), 1);
    assertThat(session.call("prompts/get", new JsonObject().put("name", "m__p")).result())
        .isEqualTo(new JsonObject().put("messages", new JsonArray()));
    assertThat(byHost).as("requests that went by the session's host").hasValue(0);
  }

  @Test
  void what_needs_the_session_goes_by_its_host() {
    shared("m");
    keepsSessions("o");
    count();
    McpHttp.Session session = client("/mcp").initialize();
    JsonObject token = new JsonObject().put("progressToken", 1);
    isFrom(session.call("tools/call", call("m__now").put("_meta", token)), 1);
    assertThat(byHost).as("a progress token").hasValue(1);
    session.call("ping", new JsonObject());
    session.call("tools/list", new JsonObject());
    assertThat(byHost).as("what no server answers").hasValue(3);
    isFrom(session.call("tools/call", call("m__now")), 1);
    assertThat(byHost).as("none of that").hasValue(3);
    isFrom(session.call("tools/call", call("o__now")), 2);
    isFrom(session.call("tools/call", call("m__now")), 1);
    assertThat(byHost).as("a private connection").hasValue(5);
    McpHttp.Session dated = client("/mcp").initialize("2025-03-26", new JsonObject());
    JsonArray batch = new JsonArray();
    batch.add(client("/mcp").request("tools/call", call("m__now")).put("id", 1));
    batch.add(client("/mcp").request("tools/call", call("m__now")).put("id", 2));
    Answer both = client("/mcp").post(batch.encode(), dated.headers());
    assertThat(both.body()).contains("\"id\":1").contains("\"id\":2");
    assertThat(byHost).as("a batch").hasValue(7);
  }

  @Test
  void a_view_that_searches_is_answered_by_the_host() {
    restart(
        RecordCopy.with(
            GatewayOptions.DEFAULT,
            "views",
            Map.of(
                "v",
                new ViewOptions(
                    List.of(), List.of(), List.of(), Map.of(), false, true, List.of()))));
    shared("m");
    count();
    McpHttp.Session session = client("/mcp/v").initialize();
    isFrom(session.call("tools/call", call("m__now")), 1);
    assertThat(byHost).hasValue(1);
  }

  @Test
  void a_session_with_an_open_question_or_a_log_level_has_its_calls_by_its_host() {
    ScriptedPeer peer = shared("m");
    Peers.discover(
        bus,
        "q",
        (method, params, connection) ->
            switch (method) {
              case "tools/list" -> Peers.tools("ask");
              case "tools/call" ->
                  params.containsKey("inputResponses") ? Peers.text("thanks") : required();
              default -> null;
            });
    McpHttp client = client("/mcp");
    McpHttp.Session session = client.initialize("2025-11-25", ASKED);
    count();
    try (McpHttp.Stream stream = session.streamed(client.request("tools/call", call("q__ask")))) {
      await().until(() -> stream.methods().contains("elicitation/create"));
      assertThat(byHost).hasValue(0);
      isFrom(session.call("tools/call", call("m__now")), 1);
      assertThat(byHost).as("a question is open").hasValue(1);
      session.answer(
          stream.messages().get(0).getValue("id"), new JsonObject().put("action", "decline"));
      await().until(stream::hasEnded);
    }
    isFrom(session.call("tools/call", call("m__now")), 1);
    assertThat(byHost).as("it is answered").hasValue(1);
    session.call("logging/setLevel", new JsonObject().put("level", "error")).result();
    isFrom(session.call("tools/call", call("m__now")), 1);
    assertThat(byHost).as("the level, and a call with it").hasValue(3);
    assertThat(peer.received("tools/call")).hasSize(3);
  }

  // ---- what the client sees

  @Test
  void results_and_errors_of_the_server_pass() {
    ScriptedPeer peer = shared("m");
    McpHttp.Session session = client("/mcp").initialize();
    JsonObject read =
        session.call("resources/read", new JsonObject().put("uri", "file:///a")).result();
    assertThat(read).isEqualTo(new JsonObject().put("contents", new JsonArray()));
    assertThat(session.call("tools/call", call("m__none")).error().getString("message"))
        .isEqualTo("Unknown tool: m__none");
    CompletableFuture<Answer> refused =
        session.called(client("/mcp").request("tools/call", call("m__never")).put("id", "x"));
    JsonObject sent = held(peer, 1);
    peer.say(
        "{\"jsonrpc\":\"2.0\",\"id\":"
            + sent.getValue("id")
            + ",\"error\":{\"code\":-32099,\"message\":\"m\",\"data\":[1.50]}}");
    assertThat(refused.join().body())
        .isEqualTo(
            "{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"error\":{\"code\":-32099,\"message\":\"m\","
                + "\"data\":[1.50]}}");
  }

  @Test
  void a_session_that_has_ended_is_not_found() {
    shared("m");
    McpHttp.Session session = client("/mcp").initialize();
    isFrom(session.call("tools/call", call("m__now")), 1);
    assertThat(session.end()).isEqualTo(204);
    assertThat(session.call("tools/call", call("m__now")).status()).isEqualTo(404);
  }

  @Test
  void calls_that_are_in_flight_at_the_end_of_their_session_are_cancelled_and_answered()
      throws Exception {
    ScriptedPeer peer = shared("m");
    McpHttp client = client("/mcp");
    McpHttp.Session session = client.initialize();
    JsonObject one = client.request("tools/call", call("m__never"));
    JsonObject two = client.request("tools/call", call("m__never"));
    List<CompletableFuture<Answer>> calls = List.of(session.called(one), session.called(two));
    held(peer, 2);
    assertThat(session.end()).isEqualTo(204);
    isLost(in(calls.get(0)).response(), one.getValue("id"));
    isLost(in(calls.get(1)).response(), two.getValue("id"));
    await().until(() -> peer.received("notifications/cancelled").size() == 2);
  }

  @Test
  void a_client_cancels_by_its_own_id_and_gets_no_answer() throws Exception {
    ScriptedPeer peer = shared("m");
    McpHttp client = client("/mcp");
    McpHttp.Session session = client.initialize();
    JsonObject one = client.request("tools/call", call("m__never"));
    JsonObject two = client.request("tools/call", call("m__never"));
    List<CompletableFuture<Answer>> calls = List.of(session.called(one), session.called(two));
    held(peer, 2);
    JsonObject params = new JsonObject().put("requestId", one.getValue("id")).put("reason", "r");
    assertThat(session.notify("notifications/cancelled", params)).isEqualTo(202);
    assertThat(in(calls.get(0)).messages()).isEmpty();
    await().until(() -> peer.received("notifications/cancelled").size() == 1);
    JsonObject cancelled = peer.received("notifications/cancelled").get(0).getJsonObject("params");
    assertThat(cancelled.getString("reason")).isEqualTo("r");
    JsonObject other =
        held(peer).stream()
            .filter(call -> !call.getValue("id").equals(cancelled.getValue("requestId")))
            .findFirst()
            .orElseThrow();
    say(peer, other, "mine");
    assertThat(McpHttp.text(in(calls.get(1)).result())).isEqualTo("mine");
  }

  @Test
  void a_call_whose_response_was_closed_goes_on_and_can_be_cancelled() {
    ScriptedPeer peer = shared("m");
    McpHttp client = client("/mcp");
    McpHttp.Session session = client.initialize();
    JsonObject request = client.request("tools/call", call("m__never"));
    CompletableFuture<Answer> left = session.called(request);
    held(peer, 1);
    left.cancel(true);
    isFrom(session.call("tools/call", call("m__now")), 1);
    assertThat(peer.methods()).doesNotContain("notifications/cancelled");
    session.notify(
        "notifications/cancelled", new JsonObject().put("requestId", request.getValue("id")));
    await().until(() -> peer.methods().contains("notifications/cancelled"));
  }

  @Test
  void the_level_of_a_client_holds_for_its_next_call() {
    ScriptedPeer peer = shared("m");
    McpHttp client = client("/mcp");
    McpHttp.Session session = client.initialize();
    isFrom(session.call("tools/call", call("m__now")), 1);
    session.call("logging/setLevel", new JsonObject().put("level", "warning")).result();
    CompletableFuture<McpHttp.Stream> opening =
        CompletableFuture.supplyAsync(
            () -> session.streamed(client.request("tools/call", call("m__never"))));
    JsonObject sent = held(peer, 1);
    assertThat(
            sent.getJsonObject("params")
                .getJsonObject("_meta")
                .getString("io.modelcontextprotocol/logLevel"))
        .isEqualTo("warning");
    peer.notify(
        "notifications/message", new JsonObject().put("level", "error").put("data", "loud"));
    say(peer, sent, "done");
    try (McpHttp.Stream stream = opening.join()) {
      await().until(stream::hasEnded);
      assertThat(stream.methods()).containsExactly("notifications/message", "");
    }
  }

  @Test
  void what_a_server_tells_of_a_call_comes_before_its_answer() {
    ScriptedPeer peer = shared("m");
    McpHttp client = client("/mcp/m");
    McpHttp.Session session = client.initialize();
    CompletableFuture<McpHttp.Stream> opening =
        CompletableFuture.supplyAsync(
            () -> session.streamed(client.request("tools/call", call("never"))));
    JsonObject sent = held(peer, 1);
    peer.notify("notifications/com.example/told", new JsonObject().put("x", 1));
    say(peer, sent, "done");
    try (McpHttp.Stream stream = opening.join()) {
      await().until(stream::hasEnded);
      assertThat(stream.methods()).containsExactly("notifications/com.example/told", "");
      assertThat(McpHttp.text(stream.messages().get(1).getJsonObject("result"))).isEqualTo("done");
    }
  }

  @Test
  void a_message_that_mcp_does_not_define_names_the_call_by_its_clients_id() {
    ScriptedPeer peer = shared("m");
    McpHttp client = client("/mcp/m");
    McpHttp.Session session = client.initialize();
    JsonObject request = client.request("tools/call", call("never"));
    CompletableFuture<Answer> answer = session.called(request);
    JsonObject sent = held(peer, 1);
    JsonObject about = new JsonObject().put("requestId", request.getValue("id"));
    assertThat(session.notify("notifications/com.example/about", about)).isEqualTo(202);
    await().until(() -> !peer.received("notifications/com.example/about").isEmpty());
    assertThat(
            peer.received("notifications/com.example/about")
                .get(0)
                .getJsonObject("params")
                .getValue("requestId"))
        .isEqualTo(sent.getValue("id"));
    say(peer, sent, "done");
    assertThat(McpHttp.text(answer.join().result())).isEqualTo("done");
  }

  @ParameterizedTest
  @ValueSource(strings = {"2025-06-18", "2025-11-25"})
  void a_question_of_a_call_reaches_its_client_and_so_does_the_answer_to_the_call(String version) {
    Peers.discover(
        bus,
        "m",
        (method, params, connection) ->
            switch (method) {
              case "tools/list" -> Peers.tools("ask");
              case "tools/call" ->
                  params.containsKey("inputResponses") ? Peers.text("thanks") : required();
              default -> null;
            });
    McpHttp client = client("/mcp");
    McpHttp.Session session = client.initialize(version, ASKED);
    for (int round = 0; round < 2; round++) {
      try (McpHttp.Stream stream = session.streamed(client.request("tools/call", call("m__ask")))) {
        await().until(() -> stream.methods().contains("elicitation/create"));
        JsonObject question = stream.messages().get(0);
        String last = String.valueOf(stream.events().get(stream.events().size() - 1).id());
        assertThat(last).as("an event of a stream that can be resumed").contains("_");
        session.answer(question.getValue("id"), new JsonObject().put("action", "decline"));
        await().until(stream::hasEnded);
        assertThat(McpHttp.text(stream.messages().get(1).getJsonObject("result")))
            .isEqualTo("thanks");
      }
    }
  }

  @Test
  void a_call_that_its_session_has_taken_is_cancelled_and_ends_with_the_session() throws Exception {
    ScriptedPeer peer = shared("m");
    McpHttp client = client("/mcp/m");
    McpHttp.Session session = client.initialize();
    String told = "notifications/com.example/told";
    for (int round = 1; round <= 2; round++) {
      JsonObject request = client.request("tools/call", call("never"));
      CompletableFuture<McpHttp.Stream> opening =
          CompletableFuture.supplyAsync(() -> session.streamed(request));
      held(peer, round);
      peer.notify(told, new JsonObject());
      try (McpHttp.Stream stream = in(opening)) {
        await().until(() -> stream.methods().contains(told));
        if (round == 1) {
          session.notify(
              "notifications/cancelled", new JsonObject().put("requestId", request.getValue("id")));
          await().until(stream::hasEnded);
          assertThat(stream.methods()).as("no answer").containsExactly(told);
        } else {
          assertThat(session.end()).isEqualTo(204);
          await().until(stream::hasEnded);
          isLost(stream.messages().get(1), request.getValue("id"));
        }
      }
      int cancelled = round;
      await().until(() -> peer.received("notifications/cancelled").size() == cancelled);
    }
  }

  @Test
  void a_question_of_a_call_whose_client_does_not_answer_questions_is_refused() {
    Peers.discover(
        bus,
        "m",
        (method, params, connection) ->
            switch (method) {
              case "tools/list" -> Peers.tools("ask");
              case "tools/call" -> required();
              default -> null;
            });
    McpHttp.Session session = client("/mcp").initialize();
    Answer answer = session.call("tools/call", call("m__ask"));
    assertThat(answer.response().encode()).contains("elicitation/create");
  }

  private static String required() {
    JsonObject params =
        new JsonObject()
            .put("message", "Why?")
            .put(
                "requestedSchema",
                new JsonObject().put("type", "object").put("properties", new JsonObject()));
    JsonObject asks = new JsonObject().put("method", "elicitation/create").put("params", params);
    return "\"result\":"
        + new JsonObject()
            .put("resultType", "input_required")
            .put("inputRequests", new JsonObject().put("why", asks))
            .put("requestState", "s");
  }

  /** The response becomes a stream after 10 s without a word, so that nothing cuts it off. */
  @Tag("long")
  @Test
  void the_answer_to_a_long_call_waits_for_a_client_that_was_cut_off() {
    ScriptedPeer peer = shared("m");
    McpHttp client = client("/mcp");
    McpHttp.Session session = client.initialize();
    JsonObject request = client.request("tools/call", call("m__never"));
    String last;
    try (McpHttp.Stream stream = session.streamed(request)) { // returns with the head
      await().atMost(Duration.ofSeconds(60)).until(() -> !stream.events().isEmpty());
      last = String.valueOf(stream.events().get(0).id());
      assertThat(stream.messages()).isEmpty();
    }
    say(peer, held(peer, 1), "late");
    try (McpHttp.Stream rest = session.resume(last)) {
      await().atMost(Duration.ofSeconds(60)).until(rest::hasEnded);
      assertThat(rest.messages()).hasSize(1);
      assertThat(rest.messages().get(0).getValue("id")).isEqualTo(request.getValue("id"));
      assertThat(McpHttp.text(rest.messages().get(0).getJsonObject("result"))).isEqualTo("late");
    }
  }

  // ---- bounds and ends

  @Test
  void more_calls_than_a_session_may_have_are_refused() throws Exception {
    GatewayOptions all = GatewayOptions.DEFAULT;
    restart(
        new GatewayOptions(
            all.views(),
            all.sessionIdle(),
            all.maxSessions(),
            2,
            all.maxStreams(),
            all.pageSize(),
            all.passUnknown(),
            all.handshakeWait()));
    ScriptedPeer peer = shared("m");
    McpHttp client = client("/mcp");
    McpHttp.Session session = client.initialize();
    List<CompletableFuture<Answer>> calls = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      calls.add(session.called(client.request("tools/call", call("m__never"))));
    }
    held(peer, 2);
    for (String method : List.of("tools/call", "ping")) {
      assertThat(session.call(method, call("m__now")).error().getString("message"))
          .isEqualTo("2 requests of this session are in flight already");
    }
    List.copyOf(held(peer)).forEach(one -> say(peer, one, "done"));
    for (CompletableFuture<Answer> call : calls) {
      assertThat(McpHttp.text(in(call).result())).isEqualTo("done");
    }
    isFrom(session.call("tools/call", call("m__now")), 1);
  }

  @Test
  void a_session_with_a_call_in_flight_is_not_idle() throws Exception {
    restart(RecordCopy.with(GatewayOptions.DEFAULT, "sessionIdle", Duration.ofMillis(100)));
    ScriptedPeer peer = shared("m");
    McpHttp client = client("/mcp");
    McpHttp.Session session = client.initialize();
    CompletableFuture<Answer> call = session.called(client.request("tools/call", call("m__never")));
    JsonObject sent = held(peer, 1);
    for (int i = 0; i < 5; i++) {
      McpHttp.Session idle = client.initialize();
      await()
          .pollInterval(Duration.ofMillis(300))
          .until(() -> idle.call("ping", new JsonObject()).status() == 404);
    }
    assertThat(call).isNotDone();
    say(peer, sent, "done");
    assertThat(McpHttp.text(in(call).result())).isEqualTo("done");
  }

  @Test
  void a_session_with_a_call_in_flight_does_not_end_for_another() throws Exception {
    restart(RecordCopy.with(GatewayOptions.DEFAULT, "maxSessions", 1));
    ScriptedPeer peer = shared("m");
    McpHttp client = client("/mcp");
    List<CompletableFuture<Answer>> calls = new ArrayList<>();
    int hosts = Runtime.getRuntime().availableProcessors();
    for (int i = 0; i < hosts; i++) {
      calls.add(client.initialize().called(client.request("tools/call", call("m__never"))));
      held(peer, i + 1);
    }
    JsonObject initialize =
        client.request(
            "initialize",
            new JsonObject()
                .put("protocolVersion", "2025-11-25")
                .put("capabilities", new JsonObject()));
    for (int i = 0; i < hosts; i++) {
      assertThat(client.post(initialize).status()).isEqualTo(503);
    }
    held(peer).forEach(one -> say(peer, one, "done"));
    for (CompletableFuture<Answer> call : calls) {
      assertThat(McpHttp.text(in(call).result())).isEqualTo("done");
    }
    assertThat(client.post(initialize).status()).as("now one makes room").isEqualTo(200);
  }

  @Test
  void a_call_that_is_in_flight_when_the_node_ends_gets_its_answer() throws Exception {
    ScriptedPeer peer = ScriptedPeer.discover(bus.vertx(), DirectCallTest::answer);
    bus.add("m", peer.transport(), ConnectionOptions.DEFAULT, Duration.ofSeconds(30));
    bus.awaitState("m", "READY");
    McpHttp client = client("/mcp");
    McpHttp.Session session = client.initialize();
    JsonObject request = client.request("tools/call", call("m__never"));
    CompletableFuture<Answer> call = session.called(request);
    JsonObject sent = held(peer, 1);
    Future<Void> closing = bus.bus().close();
    say(peer, sent, "done");
    assertThat(McpHttp.text(in(call).result())).isEqualTo("done");
    TestBus.await(closing);
  }

  // ---- rights and servers change

  private static AuthOptions policies(String... tools) {
    return RecordCopy.with(
        TestOptions.ofKeys(
            List.of(new AuthOptions.ApiKey("k", KEY.hash(), Set.of(), false, null, null))),
        "policies",
        List.of(new Policy(List.of("k"), List.of(), List.of(tools), Set.of(), Effect.ALLOW)));
  }

  private void reload(AuthOptions auth) {
    TestBus.await(
        Reload.of(
            bus.bus(),
            new ConfigDiff(List.of(), List.of(), List.of(), List.of(), auth, List.of())));
  }

  @ParameterizedTest
  @ValueSource(strings = {"/mcp", "/mcp/m"})
  void a_reload_reduces_and_widens_what_a_session_may_call(String path) {
    bus.close();
    bus =
        TestBus.startWithAuth(
            new JsonObject(),
            BridgeOptions.DEFAULT.withPort(0),
            GatewayOptions.DEFAULT,
            policies("now"));
    ScriptedPeer peer = shared("m");
    McpHttp client = client(path);
    McpHttp.Session session =
        client.initialize("2025-11-25", new JsonObject(), "Authorization", "Bearer " + KEY.key());
    String now = path.equals("/mcp") ? "m__now" : "now";
    String never = path.equals("/mcp") ? "m__never" : "never";
    isFrom(session.call("tools/call", call(now)), 1);
    assertThat(session.call("tools/call", call(never)).error().getString("message"))
        .isEqualTo("Unknown tool: " + never);
    reload(policies("never"));
    assertThat(session.call("tools/call", call(now)).error().getString("message"))
        .isEqualTo("Unknown tool: " + now);
    CompletableFuture<Answer> call = session.called(client.request("tools/call", call(never)));
    say(peer, held(peer, 1), "may now");
    assertThat(McpHttp.text(call.join().result())).isEqualTo("may now");
    assertThat(peer.received("tools/call")).hasSize(2);
  }

  @Test
  void another_caller_with_the_id_of_a_session_calls_nothing() {
    ApiKeys.Fresh other = ApiKeys.generate(new SecureRandom());
    bus.close();
    bus =
        TestBus.startWithAuth(
            new JsonObject(),
            BridgeOptions.DEFAULT.withPort(0),
            TestOptions.ofKeys(
                List.of(
                    new AuthOptions.ApiKey("k", KEY.hash(), Set.of(), false, null, null),
                    new AuthOptions.ApiKey("o", other.hash(), Set.of(), false, null, null))));
    ScriptedPeer peer = shared("m");
    McpHttp client = client("/mcp");
    McpHttp.Session session =
        client.initialize("2025-11-25", new JsonObject(), "Authorization", "Bearer " + KEY.key());
    isFrom(session.call("tools/call", call("m__now")), 1);
    String[] headers = session.headers();
    headers[headers.length - 1] = "Bearer " + other.key();
    JsonObject request = client.request("tools/call", call("m__now"));
    assertThat(client.post(request, headers).status()).isEqualTo(404);
    assertThat(client("/mcp/m").post(request, session.headers()).status())
        .as("nor does the session at another path")
        .isEqualTo(404);
    assertThat(peer.received("tools/call")).hasSize(1);
    isFrom(session.call("tools/call", call("m__now")), 1);
  }

  @Test
  void a_server_that_was_removed_is_not_called() {
    ScriptedPeer peer = shared("m");
    McpHttp.Session session = client("/mcp").initialize();
    isFrom(session.call("tools/call", call("m__now")), 1);
    bus.request(Addresses.SERVERS_REMOVE, new JsonObject().put("id", "m"));
    assertThat(session.call("tools/call", call("m__now")).response().containsKey("error")).isTrue();
    assertThat(peer.received("tools/call")).hasSize(1);
  }

  @Test
  void a_server_that_keeps_sessions_now_is_called_over_a_session_of_the_clients_own() {
    shared("m");
    McpHttp.Session session = client("/mcp").initialize();
    isFrom(session.call("tools/call", call("m__now")), 1);
    bus.request(Addresses.SERVERS_REMOVE, new JsonObject().put("id", "m"));
    ScriptedPeer peer = keepsSessions("m");
    await()
        .atMost(Duration.ofSeconds(60))
        .untilAsserted(() -> isFrom(session.call("tools/call", call("m__now")), 2));
    assertThat(peer.connections()).isEqualTo(2);
  }

  @Test
  void a_call_that_was_sent_before_a_private_connection_opens_gets_its_answer() throws Exception {
    ScriptedPeer peer = shared("m");
    keepsSessions("o");
    McpHttp client = client("/mcp");
    McpHttp.Session session = client.initialize();
    CompletableFuture<Answer> before =
        session.called(client.request("tools/call", call("m__never")));
    JsonObject sent = held(peer, 1);
    isFrom(session.call("tools/call", call("o__now")), 2);
    CompletableFuture<Answer> after =
        session.called(client.request("tools/call", call("m__never")));
    say(peer, held(peer, 2), "after");
    say(peer, sent, "before");
    assertThat(McpHttp.text(in(before).result())).isEqualTo("before");
    assertThat(McpHttp.text(in(after).result())).isEqualTo("after");
  }
}
