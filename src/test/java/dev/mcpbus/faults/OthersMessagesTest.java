package dev.mcpbus.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.mcpbus.bridge.options.BridgeOptions;
import dev.mcpbus.gateway.Peers;
import dev.mcpbus.gateway.options.GatewayOptions;
import dev.mcpbus.security.ApiKeys;
import dev.mcpbus.testing.McpHttp;
import dev.mcpbus.testing.RawHttpServer;
import dev.mcpbus.testing.ScriptedPeer;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a server says for one caller's call, and who gets it. */
class OthersMessagesTest {

  private static final String LOG = "notifications/message";
  private static final String NEWS = "notifications/com.example/news";
  private static final String ASKS = "elicitation/create";

  private static @Nullable String silent(String method, JsonObject params, int connection) {
    return method.equals("tools/list") ? Peers.tools("one", "two") : null;
  }

  private static JsonObject described(McpHttp client, String tool) {
    JsonObject call = client.described("tools/call", Peers.call(tool));
    call.getJsonObject("params")
        .getJsonObject("_meta")
        .put("io.modelcontextprotocol/logLevel", "debug")
        .put(
            "io.modelcontextprotocol/clientCapabilities",
            new JsonObject().put("elicitation", new JsonObject()));
    return call;
  }

  private static String[] as(ApiKeys.Fresh key, String... more) {
    String[] all = java.util.Arrays.copyOf(more, more.length + 2);
    all[more.length] = "Authorization";
    all[more.length + 1] = "Bearer " + key.key();
    return all;
  }

  private static CompletableFuture<McpHttp.Stream> streamed(
      McpHttp client, JsonObject call, ApiKeys.Fresh key) {
    return CompletableFuture.supplyAsync(
        () -> client.streamed(call, as(key, McpHttp.headers(call))));
  }

  private static CompletableFuture<McpHttp.Stream> opened(
      McpHttp.Session session, JsonObject call) {
    return CompletableFuture.supplyAsync(() -> session.streamed(call));
  }

  private static String log(String text) {
    return "{\"level\":\"info\",\"data\":\"" + text + "\"}";
  }

  private static String answer(Object id) {
    return "{\"jsonrpc\":\"2.0\",\"id\":" + id + "," + Peers.text("done") + "}";
  }

  private static boolean has(McpHttp.Stream stream, String text) {
    return stream.events().stream().anyMatch(event -> event.data().contains(text));
  }

  /** Over a stream that all calls share, with no word about the call in the message. */
  @Test
  void what_a_server_says_for_a_call_that_its_caller_has_left_reaches_no_other_caller() {
    try (DoorBed bed = new DoorBed(DoorBed.keys())) {
      ScriptedPeer peer = bed.add("s", OthersMessagesTest::silent);
      McpHttp client = bed.mcp("/mcp/s");
      try (McpHttp.Stream events = bed.mcp("/api/events").get(as(DoorBed.BOB));
          McpHttp.Stream operators = bed.mcp("/api/events").get(as(DoorBed.ROOT))) {
        JsonObject hers = described(client, "one");
        CompletableFuture<McpHttp.Stream> open = streamed(client, hers, DoorBed.ALICE);
        await().until(() -> peer.received("tools/call").size() == 1);
        peer.tell(LOG, log("begins"));
        McpHttp.Stream alice = open.join();
        await().until(() -> has(alice, "begins"));
        alice.close();
        await().until(() -> !peer.received("notifications/cancelled").isEmpty());

        JsonObject his = described(client, "two");
        var bob = client.posted(his.encode(), as(DoorBed.BOB, McpHttp.headers(his)));
        await().until(() -> peer.received("tools/call").size() == 2);
        for (int i = 0; i < 4; i++) {
          peer.tell(LOG, log("her secret " + i));
          peer.tell(NEWS, "{\"of\":\"her secret\"}");
        }
        peer.say(answer(peer.received("tools/call").get(1).getValue("id")));
        assertThat(bob.join().messages()).as("the answer alone").hasSize(1);
        assertThat(McpHttp.text(bob.join().result())).isEqualTo("done");
        await().until(() -> has(operators, "her secret 3"));
        peer.say(answer(peer.received("tools/call").get(0).getValue("id")));
        peer.tell(LOG, log("of no call"));
        await().until(() -> has(events, "of no call"));
        assertThat(has(events, "her secret")).isFalse();
      }
    }
  }

  /** A server over HTTP whose calls stay open, each with what the test says on its stream. */
  private static final class Speaker implements AutoCloseable {
    private final boolean older;
    private final Map<String, BlockingQueue<String>> streams = new ConcurrentHashMap<>();
    private final Map<String, Long> ids = new ConcurrentHashMap<>();
    private final Map<String, JsonObject> requests = new ConcurrentHashMap<>();
    private final RawHttpServer server = RawHttpServer.answering(this::answer);

    Speaker(boolean older) {
      this.older = older;
    }

    private void answer(RawHttpServer.Request request, RawHttpServer.Peer peer) throws IOException {
      if (!request.method().equals("POST")) {
        peer.reply("405 Method Not Allowed", "");
      } else if (request.id() < 0 || !request.body().contains("\"method\"")) {
        JsonObject body = new JsonObject(request.body());
        requests.put(body.getString("method", "answer " + body.getValue("id")), body);
        peer.reply("202 Accepted", "");
      } else if (request.calls("tools/call") || request.calls("com.example/stream")) {
        JsonObject body = new JsonObject(request.body());
        String tool = body.getJsonObject("params").getString("name", "stream");
        BlockingQueue<String> says =
            streams.computeIfAbsent(tool, t -> new LinkedBlockingQueue<>());
        requests.put(tool, body);
        ids.put(tool, request.id());
        peer.stream();
        String message = "";
        try {
          while (!message.contains("\"content\"")) {
            message = says.take();
            peer.chunk("data: " + message + "\n\n");
          }
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
        }
        peer.end();
      } else {
        String member =
            request.calls("server/discover")
                ? older ? ScriptedPeer.error(-32601, "no such method") : ScriptedPeer.DISCOVERED
                : request.calls("initialize")
                    ? ScriptedPeer.INITIALIZED.replace(
                        "\"tools\":{}", "\"tools\":{},\"logging\":{}")
                    : request.calls("tools/list")
                        ? Peers.tools("one", "two")
                        : ScriptedPeer.error(-32601, "no such method");
        peer.json("{\"jsonrpc\":\"2.0\",\"id\":" + request.id() + "," + member + "}");
      }
    }

    long id(String tool) {
      await().until(() -> ids.containsKey(tool));
      return Objects.requireNonNull(ids.get(tool));
    }

    void say(String tool, String message) {
      Objects.requireNonNull(streams.get(tool)).add(message);
    }

    void tell(String tool, String method, String params) {
      say(tool, "{\"jsonrpc\":\"2.0\",\"method\":\"" + method + "\",\"params\":" + params + "}");
    }

    void ask(String tool, int id) {
      say(
          tool,
          "{\"jsonrpc\":\"2.0\",\"id\":"
              + id
              + ",\"method\":\""
              + ASKS
              + "\",\"params\":{\"message\":\"for "
              + tool
              + "?\",\"requestedSchema\":{\"type\":\"object\",\"properties\":{}}}}");
    }

    /** The answer to a question. */
    JsonObject answered(int id) {
      await().until(() -> requests.containsKey("answer " + id));
      return Objects.requireNonNull(requests.get("answer " + id));
    }

    @Override
    public void close() {
      server.close();
    }
  }

  private static TestBus bus(Speaker speaker, JsonObject more) {
    TestBus bus =
        TestBus.startWithAuth(
            new JsonObject()
                .put("h", more.put("url", speaker.server.url().toString()).put("listen", false)),
            BridgeOptions.DEFAULT.withPort(0),
            GatewayOptions.DEFAULT,
            DoorBed.keys());
    bus.awaitState("h", "READY");
    return bus;
  }

  private static void bothSay(Speaker speaker) {
    for (String tool : List.of("one", "two")) {
      speaker.tell(tool, LOG, log("log of " + tool));
      speaker.tell(tool, NEWS, "{\"of\":\"" + tool + "\"}");
    }
  }

  private static void assertOwn(McpHttp.Stream stream, String own, String other) {
    await().until(stream::hasEnded);
    assertThat(has(stream, "log of " + own)).as("its log").isTrue();
    assertThat(has(stream, "{\"of\":\"" + own)).as("its news").isTrue();
    assertThat(has(stream, "of " + other)).as("the other's log").isFalse();
    assertThat(has(stream, "{\"of\":\"" + other)).as("the other's news").isFalse();
  }

  /** Two callers, and one client with two calls. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void over_http_each_of_two_calls_in_flight_gets_its_own_messages(boolean sameCaller) {
    try (Speaker speaker = new Speaker(false);
        TestBus bus = bus(speaker, new JsonObject())) {
      McpHttp client = new McpHttp(bus.port(), "/mcp/h");
      ApiKeys.Fresh second = sameCaller ? DoorBed.ALICE : DoorBed.BOB;
      var one = streamed(client, described(client, "one"), DoorBed.ALICE);
      var two = streamed(client, described(client, "two"), second);
      speaker.id("one");
      speaker.id("two");
      bothSay(speaker);
      speaker.say("two", answer(speaker.id("two")));
      speaker.say("one", answer(speaker.id("one")));
      try (McpHttp.Stream first = one.join();
          McpHttp.Stream other = two.join()) {
        assertOwn(first, "one", "two");
        assertOwn(other, "two", "one");
      }
    }
  }

  /** The stream and the name disagree: the message is nobody's. */
  @Test
  void what_comes_on_a_callers_stream_and_names_a_call_of_another_reaches_neither() {
    try (Speaker speaker = new Speaker(false);
        TestBus bus = bus(speaker, new JsonObject())) {
      McpHttp client = new McpHttp(bus.port(), "/mcp/h");
      JsonObject hers = described(client, "one");
      JsonObject his = described(client, "two");
      for (JsonObject call : List.of(hers, his)) {
        call.getJsonObject("params").getJsonObject("_meta").put("progressToken", "tok");
      }
      var one = streamed(client, hers, DoorBed.ALICE);
      speaker.id("one");
      var two = streamed(client, his, DoorBed.BOB);
      long id = speaker.id("two");
      String token = "\"progressToken\":\"mcpbus-" + id + "\"";
      String secret = ",\"data\":\"her secret\",\"message\":\"her secret\",\"level\":\"info\"}";
      speaker.tell("one", "notifications/progress", "{\"progress\":5," + token + secret);
      for (String method : List.of(LOG, NEWS)) {
        speaker.tell("one", method, "{" + token + secret);
        speaker.tell("one", method, "{\"_meta\":{" + token + "}" + secret);
        speaker.tell(
            "one",
            method,
            "{\"_meta\":{\"io.modelcontextprotocol/subscriptionId\":" + id + "}" + secret);
      }
      speaker.tell("one", LOG, log("last of one"));
      try (McpHttp.Stream alice = one.join()) {
        await().until(() -> has(alice, "last of one"));
        speaker.tell("two", "notifications/progress", "{\"progress\":1," + token + "}");
        speaker.say("two", answer(id));
        try (McpHttp.Stream bob = two.join()) {
          await().until(bob::hasEnded);
          assertThat(has(bob, "her secret")).isFalse();
          assertThat(has(bob, "notifications/progress")).as("his own progress").isTrue();
        }
        assertThat(has(alice, "her secret")).isFalse();
        speaker.say("one", answer(speaker.id("one")));
      }
    }
  }

  /** The answer comes after the caller has left, and says that the server works on. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "\"resultType\":\"task\",\"taskId\":\"t\",\"status\":\"working\"",
        "\"task\":{\"taskId\":\"t\",\"status\":\"working\"}"
      })
  void a_call_that_becomes_a_task_after_its_caller_has_left_is_not_over(String task) {
    try (DoorBed bed = new DoorBed(DoorBed.keys())) {
      ScriptedPeer peer = bed.add("s", OthersMessagesTest::silent);
      McpHttp client = bed.mcp("/mcp/s");
      try (McpHttp.Stream operators = bed.mcp("/api/events").get(as(DoorBed.ROOT))) {
        JsonObject hers = described(client, "one");
        CompletableFuture<McpHttp.Stream> open = streamed(client, hers, DoorBed.ALICE);
        await().until(() -> peer.received("tools/call").size() == 1);
        peer.tell(LOG, log("begins"));
        open.join().close();
        await().until(() -> !peer.received("notifications/cancelled").isEmpty());
        peer.say(
            "{\"jsonrpc\":\"2.0\",\"id\":"
                + peer.received("tools/call").get(0).getValue("id")
                + ",\"result\":{"
                + task
                + "}}");

        JsonObject his = described(client, "two");
        var bob = client.posted(his.encode(), as(DoorBed.BOB, McpHttp.headers(his)));
        await().until(() -> peer.received("tools/call").size() == 2);
        peer.tell(LOG, log("her secret"));
        peer.say(answer(peer.received("tools/call").get(1).getValue("id")));
        assertThat(bob.join().messages()).as("the answer alone").hasSize(1);
        await().until(() -> has(operators, "her secret"));
      }
    }
  }

  /** What MCP defines has its own way, where the policies look at it. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void what_mcp_defines_does_not_reach_a_client_because_it_names_its_call(boolean modern) {
    try (DoorBed bed = new DoorBed(DoorBed.keys())) {
      ScriptedPeer peer = bed.add("s", OthersMessagesTest::silent);
      McpHttp client = bed.mcp("/mcp/s");
      CompletableFuture<McpHttp.Stream> open =
          modern
              ? streamed(client, described(client, "one"), DoorBed.ALICE)
              : opened(
                  client.initialize("2025-11-25", new JsonObject(), as(DoorBed.ALICE)),
                  client.request("tools/call", Peers.call("one")));
      await().until(() -> peer.received("tools/call").size() == 1);
      Object id = peer.received("tools/call").get(0).getValue("id");
      String named = "\"_meta\":{\"io.modelcontextprotocol/subscriptionId\":" + id + "}}";
      peer.tell("notifications/cancelled", "{\"requestId\":1," + named);
      peer.tell("notifications/resources/updated", "{\"uri\":\"note://denied\"," + named);
      peer.tell(NEWS, "{\"n\":1," + named);
      try (McpHttp.Stream stream = open.join()) {
        await().until(() -> has(stream, NEWS));
        assertThat(stream.messages()).as("the news alone").hasSize(1);
      }
    }
  }

  /** Over its own connection, and over one that is shared. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void each_of_two_calls_of_one_session_gets_its_own_messages_and_questions(boolean shared) {
    try (Speaker speaker = new Speaker(true);
        TestBus bus = bus(speaker, new JsonObject().put("shared", shared))) {
      McpHttp client = new McpHttp(bus.port(), "/mcp/h");
      McpHttp.Session session =
          client.initialize(
              "2025-11-25",
              new JsonObject().put("elicitation", new JsonObject()),
              as(DoorBed.ALICE));
      assertThat(session.call("logging/setLevel", new JsonObject().put("level", "debug")).status())
          .isEqualTo(200);
      CompletableFuture<McpHttp.Stream> one =
          opened(session, client.request("tools/call", Peers.call("one")));
      speaker.id("one");
      CompletableFuture<McpHttp.Stream> two =
          opened(session, client.request("tools/call", Peers.call("two")));
      speaker.id("two");
      bothSay(speaker);
      speaker.ask("one", 901);
      speaker.ask("two", 902);
      try (McpHttp.Stream first = one.join();
          McpHttp.Stream other = two.join()) {
        await().until(() -> has(first, "for one?") && has(other, "for two?"));
        assertThat(has(first, "for two?")).isFalse();
        assertThat(has(other, "for one?")).isFalse();

        // The second is answered first, and its call ends: the first question stays.
        assertThat(session.answer(question(other), new JsonObject().put("action", "accept")))
            .isEqualTo(202);
        speaker.answered(902);
        speaker.say("two", answer(speaker.id("two")));
        assertOwn(other, "two", "one");
        assertThat(session.answer(question(first), new JsonObject().put("action", "decline")))
            .isEqualTo(202);
        assertThat(speaker.answered(901).getJsonObject("result").getString("action"))
            .isEqualTo("decline");
        speaker.say("one", answer(speaker.id("one")));
        assertOwn(first, "one", "two");
      }
    }
  }

  private static Object question(McpHttp.Stream stream) {
    return stream.messages().stream()
        .filter(message -> ASKS.equals(message.getString("method")))
        .findFirst()
        .orElseThrow()
        .getValue("id");
  }

  @Test
  void each_of_two_calls_of_a_discover_client_gets_its_own_question() {
    try (Speaker speaker = new Speaker(true);
        TestBus bus = bus(speaker, new JsonObject())) {
      McpHttp client = new McpHttp(bus.port(), "/mcp/h");
      JsonObject first = described(client, "one");
      JsonObject second = described(client, "two");
      var one = client.posted(first.encode(), as(DoorBed.ALICE, McpHttp.headers(first)));
      speaker.id("one");
      var two = client.posted(second.encode(), as(DoorBed.ALICE, McpHttp.headers(second)));
      speaker.id("two");
      speaker.ask("one", 901);
      speaker.ask("two", 902);
      JsonObject asksOne = one.join().result();
      JsonObject asksTwo = two.join().result();
      assertThat(asksOne.getJsonObject("inputRequests").encode())
          .contains("for one?")
          .doesNotContain("for two?");
      assertThat(asksTwo.getJsonObject("inputRequests").encode())
          .contains("for two?")
          .doesNotContain("for one?");
      McpHttp.Answer done = again(client, second, asksTwo, speaker, "two", 902);
      assertThat(McpHttp.text(done.result())).isEqualTo("done");
      done = again(client, first, asksOne, speaker, "one", 901);
      assertThat(McpHttp.text(done.result())).isEqualTo("done");
    }
  }

  /** A server of the older era asks what another request of this client has offered. */
  @Test
  void a_question_that_its_client_does_not_offer_to_answer_leaves_it_the_others() {
    try (Speaker speaker = new Speaker(true);
        TestBus bus = bus(speaker, new JsonObject())) {
      McpHttp client = new McpHttp(bus.port(), "/mcp/h");
      JsonObject call = described(client, "one");
      call.getJsonObject("params")
          .getJsonObject("_meta")
          .put(
              "io.modelcontextprotocol/clientCapabilities",
              new JsonObject().put("sampling", new JsonObject()));
      var one = client.posted(call.encode(), as(DoorBed.ALICE, McpHttp.headers(call)));
      long id = speaker.id("one");
      speaker.ask("one", 901);
      speaker.say(
          "one",
          "{\"jsonrpc\":\"2.0\",\"id\":902,\"method\":\"sampling/createMessage\",\"params\":{"
              + "\"messages\":[],\"maxTokens\":5}}");
      JsonObject refused = speaker.answered(901);
      speaker.say("one", answer(id)); // a server ends its call over it
      assertThat(refused.getJsonObject("error").getInteger("code")).isEqualTo(-32601);
      assertThat(one.join().result().getJsonObject("inputRequests").encode())
          .contains("sampling/createMessage")
          .doesNotContain(ASKS);
    }
  }

  private static McpHttp.Answer again(
      McpHttp client, JsonObject call, JsonObject asks, Speaker speaker, String tool, int id) {
    JsonObject responses = new JsonObject();
    for (String key : asks.getJsonObject("inputRequests").fieldNames()) {
      responses.put(key, new JsonObject().put("action", "accept"));
    }
    call.getJsonObject("params")
        .put("requestState", asks.getValue("requestState"))
        .put("inputResponses", responses);
    var retried = client.posted(call.encode(), as(DoorBed.ALICE, McpHttp.headers(call)));
    assertThat(speaker.answered(id).getJsonObject("result").getString("action"))
        .isEqualTo("accept");
    speaker.say(tool, answer(speaker.id(tool)));
    return retried.join();
  }

  /** Over a stream that all calls share no word says whose the questions are. */
  @Test
  void two_questions_without_a_name_are_both_answered_whichever_call_ends_first() {
    try (DoorBed bed = new DoorBed(DoorBed.keys())) {
      ScriptedPeer peer = Peers.initialize(bed.bus, "o", OthersMessagesTest::silent);
      McpHttp client = bed.mcp("/mcp/o");
      McpHttp.Session session =
          client.initialize(
              "2025-11-25",
              new JsonObject().put("elicitation", new JsonObject()),
              as(DoorBed.ALICE));
      try (McpHttp.Stream standing = session.listen()) {
        var one = session.called(client.request("tools/call", Peers.call("one")));
        await().until(() -> peer.received("tools/call").size() == 1);
        var two = session.called(client.request("tools/call", Peers.call("two")));
        await().until(() -> peer.received("tools/call").size() == 2);
        ask(peer, 901);
        ask(peer, 902);
        peer.say(answer(peer.received("tools/call").get(1).getValue("id")));
        JsonArray asked = new JsonArray();
        two.join().messages().stream()
            .filter(message -> ASKS.equals(message.getString("method")))
            .forEach(asked::add);
        assertThat(asked).hasSize(2);
        for (int i = 0; i < 2; i++) {
          session.answer(
              asked.getJsonObject(i).getValue("id"), new JsonObject().put("action", "accept"));
        }
        await().until(() -> peer.answers(901).size() + peer.answers(902).size() == 2);
        assertThat(List.of(peer.answers(901).get(0), peer.answers(902).get(0)))
            .allMatch(answer -> answer.containsKey("result"));
        peer.say(answer(peer.received("tools/call").get(0).getValue("id")));
        assertThat(one.join().status()).isEqualTo(200);
        assertThat(standing.hasEnded()).isFalse();
      }
    }
  }

  private static void ask(ScriptedPeer peer, int id) {
    peer.say(
        "{\"jsonrpc\":\"2.0\",\"id\":"
            + id
            + ",\"method\":\""
            + ASKS
            + "\",\"params\":{\"message\":\"sure?\",\"requestedSchema\":"
            + "{\"type\":\"object\",\"properties\":{}}}}");
  }

  /** The same for a client of 2026-07-28, whose calls carry the questions. */
  @Test
  void a_question_without_a_name_outlives_the_call_that_carries_it() {
    try (DoorBed bed = new DoorBed(DoorBed.keys())) {
      ScriptedPeer peer = Peers.initialize(bed.bus, "o", OthersMessagesTest::silent);
      McpHttp client = bed.mcp("/mcp/o");
      JsonObject first = described(client, "one");
      JsonObject second = described(client, "two");
      var one = client.posted(first.encode(), as(DoorBed.ALICE, McpHttp.headers(first)));
      await().until(() -> peer.received("tools/call").size() == 1);
      var two = client.posted(second.encode(), as(DoorBed.ALICE, McpHttp.headers(second)));
      await().until(() -> peer.received("tools/call").size() == 2);
      ask(peer, 901);
      ask(peer, 902);
      JsonObject asksOne = one.join().result();
      JsonObject asksTwo = two.join().result();
      assertThat(asksOne.getJsonObject("inputRequests")).hasSize(1);
      assertThat(asksTwo.getJsonObject("inputRequests")).hasSize(1);

      // The first call ends without the question: the second has both.
      peer.say(answer(peer.received("tools/call").get(0).getValue("id")));
      first.getJsonObject("params").put("requestState", asksOne.getValue("requestState"));
      // A client asks again as long as its call waits: the answer may be on its way.
      await()
          .until(
              () -> {
                JsonObject again =
                    client.post(first, as(DoorBed.ALICE, McpHttp.headers(first))).result();
                first.getJsonObject("params").put("requestState", again.getValue("requestState"));
                return again.containsKey("content") && McpHttp.text(again).equals("done");
              });
      second.getJsonObject("params").put("requestState", asksTwo.getValue("requestState"));
      JsonObject both = client.post(second, as(DoorBed.ALICE, McpHttp.headers(second))).result();
      assertThat(both.getJsonObject("inputRequests")).hasSize(2);
      assertThat(peer.answers(901)).isEmpty();
      assertThat(peer.answers(902)).isEmpty();
    }
  }

  /** In all four pairs of eras, and in both directions. */
  @ParameterizedTest
  @CsvSource({"false,false", "false,true", "true,false", "true,true"})
  void ids_of_requests_in_messages_that_mcp_does_not_define_are_translated(
      boolean modernClient, boolean modernServer) {
    try (DoorBed bed = new DoorBed(DoorBed.keys())) {
      ScriptedPeer peer =
          modernServer
              ? Peers.discover(bed.bus, "o", OthersMessagesTest::silent)
              : Peers.initialize(bed.bus, "o", OthersMessagesTest::silent);
      McpHttp client = bed.mcp("/mcp/o");
      McpHttp.@Nullable Session session =
          modernClient
              ? null
              : client.initialize("2025-11-25", new JsonObject(), as(DoorBed.ALICE));
      JsonObject params = new JsonObject().put("_meta", new JsonObject());
      JsonObject request =
          (modernClient
                  ? client.described("com.example/stream", params)
                  : client.request("com.example/stream", params))
              .put("id", "mine");
      request.getJsonObject("params").getJsonObject("_meta").put("progressToken", "tok");
      CompletableFuture<McpHttp.Stream> open =
          session == null ? streamed(client, request, DoorBed.ALICE) : opened(session, request);
      await().until(() -> !peer.received("com.example/stream").isEmpty());
      long id = peer.received("com.example/stream").get(0).getLong("id");
      peer.tell(NEWS, ids(id, "mcpbus-" + id).encode());
      try (McpHttp.Stream stream = open.join()) {
        await().until(() -> has(stream, NEWS));
        assertThat(stream.messages().get(0).getJsonObject("params")).isEqualTo(ids("mine", "tok"));

        JsonObject told =
            new JsonObject()
                .put("jsonrpc", "2.0")
                .put("method", "notifications/com.example/more")
                .put("params", ids("mine", "tok"));
        if (session == null) {
          String info = "io.modelcontextprotocol/clientInfo";
          JsonObject stated = request.getJsonObject("params").getJsonObject("_meta");
          told.getJsonObject("params").getJsonObject("_meta").put(info, stated.getValue(info));
        }
        int status =
            session == null
                ? client
                    .post(told, as(DoorBed.ALICE, "MCP-Protocol-Version", "2026-07-28"))
                    .status()
                : session.send(told);
        assertThat(status).isEqualTo(202);
        await().until(() -> !peer.received("notifications/com.example/more").isEmpty());
        JsonObject got =
            peer.received("notifications/com.example/more").get(0).getJsonObject("params");
        got.getJsonObject("_meta").remove("io.modelcontextprotocol/clientInfo");
        assertThat(got).isEqualTo(ids((int) id, "mcpbus-" + id));

        peer.say(
            "{\"jsonrpc\":\"2.0\",\"id\":"
                + id
                + ",\"result\":"
                + ids(id, "mcpbus-" + id).put("resultType", "complete").encode()
                + "}");
        await().until(stream::hasEnded);
        JsonObject result = stream.messages().get(1).getJsonObject("result");
        result.remove("resultType");
        assertThat(result).isEqualTo(ids("mine", "tok"));
      }
    }
  }

  private static JsonObject ids(Object id, String token) {
    return new JsonObject()
        .put("requestId", id)
        .put("progressToken", token)
        .put("n", 1.5)
        .put(
            "_meta",
            new JsonObject()
                .put("io.modelcontextprotocol/subscriptionId", id)
                .put("progressToken", token)
                .put("own", 7));
  }
}
