package dev.mcpbus.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.mcpbus.bus.Headers;
import dev.mcpbus.gateway.options.GatewayOptions;
import dev.mcpbus.internals.RecordCopy;
import dev.mcpbus.testing.McpHttp;
import dev.mcpbus.testing.ScriptedPeer;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A client of the {@code discover} era has one session with an older server, whatever each of its
 * requests offers. The server tells the number of the connection that a request came by; the shared
 * connection is the first.
 */
class DiscoverClientTest {

  private static final String CLIENT = "dev.mcpbus/client";
  private static final String INFO = "io.modelcontextprotocol/clientInfo";
  private static final String LEVEL = "io.modelcontextprotocol/logLevel";
  private static final JsonObject NOTHING = new JsonObject();
  private static final JsonObject ELICITATION =
      new JsonObject().put("elicitation", new JsonObject());

  private TestBus bus;
  private ScriptedPeer peer;
  private int id;

  @BeforeEach
  void start() {
    bus = TestBus.startWithBridge(new JsonObject());
    connect();
  }

  private void connect() {
    peer =
        Peers.initialize(
            bus,
            "s",
            (method, params, connection) ->
                switch (method) {
                  case "tools/list" ->
                      connection == 1
                          ? Peers.tools("now", "wait")
                          : Peers.tools("now", "wait", "ask");
                  case "prompts/list" -> "\"result\":{\"prompts\":[{\"name\":\"p\"}]}";
                  case "resources/list" ->
                      "\"result\":{\"resources\":[{\"uri\":\"file:///a\",\"name\":\"a\"}]}";
                  case "tools/call" ->
                      params.getString("name").equals("now")
                          ? Peers.text("from " + connection)
                          : null;
                  case "prompts/get" ->
                      "\"result\":{\"messages\":[],\"description\":\"from " + connection + "\"}";
                  case "resources/read" ->
                      "\"result\":{\"contents\":[{\"uri\":\"file:///a\",\"text\":\"from "
                          + connection
                          + "\"}]}";
                  case "completion/complete" ->
                      "\"result\":{\"completion\":{\"values\":[\"from " + connection + "\"]}}";
                  default -> null;
                });
  }

  @AfterEach
  void close() {
    bus.close();
  }

  private static JsonObject who(String name) {
    return new JsonObject().put(INFO, new JsonObject().put("name", name).put("version", "1"));
  }

  private CompletableFuture<McpHttp.Answer> sent(
      String path, String method, JsonObject params, JsonObject can, JsonObject meta) {
    JsonObject request =
        new JsonObject()
            .put("jsonrpc", "2.0")
            .put("id", "r" + ++id)
            .put("method", method)
            .put("params", params.copy().put("_meta", McpHttp.meta(can).mergeIn(meta)));
    return new McpHttp(bus.port(), path).posted(request.encode(), McpHttp.headers(request));
  }

  private String answer(String method, JsonObject params, JsonObject can, JsonObject meta) {
    return sent("/mcp/s", method, params, can, meta).join().body();
  }

  private String now(JsonObject can, JsonObject meta) {
    return answer("tools/call", Peers.call("now"), can, meta);
  }

  private List<String> tools(String path, JsonObject can, JsonObject meta) {
    return McpHttp.names(sent(path, "tools/list", NOTHING, can, meta).join().result(), "tools");
  }

  private JsonObject awaitCall(int number) {
    await().until(() -> waiting().size() >= number);
    return waiting().get(number - 1);
  }

  private List<JsonObject> waiting() {
    return peer.received("tools/call").stream()
        .filter(call -> !call.getJsonObject("params").getString("name").equals("now"))
        .toList();
  }

  private void ask(int connection, int question) {
    peer.say(
        connection,
        new JsonObject()
            .put("jsonrpc", "2.0")
            .put("id", question)
            .put("method", "elicitation/create")
            .put(
                "params",
                new JsonObject()
                    .put("message", "question " + question)
                    .put("requestedSchema", new JsonObject().put("type", "object")))
            .encode());
  }

  private void answerCall(int connection, JsonObject call, String text) {
    peer.say(
        connection,
        "{\"jsonrpc\":\"2.0\",\"id\":" + call.getValue("id") + "," + Peers.text(text) + "}");
  }

  // ---- one session

  @Test
  void all_requests_of_a_client_run_on_one_session_whatever_they_offer() {
    JsonObject ada = who("ada");
    assertThat(now(ELICITATION, ada)).contains("from 2");
    assertThat(now(NOTHING, ada)).contains("from 2");
    assertThat(now(new JsonObject().put("sampling", new JsonObject()), ada)).contains("from 2");
    assertThat(answer("prompts/get", new JsonObject().put("name", "p"), NOTHING, ada))
        .contains("from 2");
    assertThat(answer("resources/read", new JsonObject().put("uri", "file:///a"), NOTHING, ada))
        .contains("from 2");
    JsonObject completion =
        new JsonObject()
            .put("ref", new JsonObject().put("type", "ref/prompt").put("name", "p"))
            .put("argument", new JsonObject().put("name", "a").put("value", "v"));
    assertThat(answer("completion/complete", completion, NOTHING, ada)).contains("from 2");
    assertThat(peer.connections()).isEqualTo(2);
  }

  @Test
  void concurrent_calls_of_a_client_share_its_session() {
    List<CompletableFuture<McpHttp.Answer>> calls = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      calls.add(
          sent(
              "/mcp/s",
              "tools/call",
              Peers.call("now"),
              i % 2 == 0 ? ELICITATION : NOTHING,
              who("ada")));
    }
    calls.forEach(call -> assertThat(call.join().body()).contains("from 2"));
  }

  @Test
  void clients_of_another_name_or_with_a_name_of_their_own_have_their_own_session() {
    assertThat(now(NOTHING, who("ada"))).contains("from 2");
    assertThat(now(NOTHING, who("bob"))).contains("from 3");
    assertThat(now(NOTHING, who("ada").put(CLIENT, "window 2"))).contains("from 4");
    assertThat(now(NOTHING, who("ada"))).contains("from 2");
    assertThat(now(NOTHING, who("ada").put(CLIENT, "window 2"))).contains("from 4");
    assertThat(peer.messages().toString()).doesNotContain("window 2");
  }

  @Test
  void the_servers_session_states_who_its_client_is() {
    now(ELICITATION, who("ada"));
    JsonObject stated = peer.received("initialize").get(1).getJsonObject("params");
    assertThat(stated.getJsonObject("clientInfo").getString("name")).isEqualTo("ada");
    assertThat(stated.getJsonObject("capabilities")).isEqualTo(ELICITATION);
  }

  @Test
  void a_name_of_a_client_that_is_too_long_is_refused() {
    String answer = now(NOTHING, who("ada").put(CLIENT, "x".repeat(201)));
    assertThat(answer).contains("-32602").contains(CLIENT).contains("200");
    assertThat(now(NOTHING, who("ada").put(CLIENT, "x".repeat(200)))).contains("from 2");
  }

  @Test
  void the_session_of_an_idle_client_ends() {
    bus.close();
    bus =
        TestBus.startWithGateway(
            new JsonObject(),
            RecordCopy.with(GatewayOptions.DEFAULT, "sessionIdle", Duration.ofMillis(50)));
    connect();
    assertThat(now(NOTHING, who("ada"))).contains("from 2");
    await()
        .pollInterval(Duration.ofMillis(300))
        .until(() -> now(NOTHING, who("ada")).contains("from 3"));
  }

  @Test
  void an_operator_sees_whose_session_it_is_and_ends_it() {
    assertThat(now(NOTHING, who("ada"))).contains("from 2");
    assertThat(now(NOTHING, who("bob"))).contains("from 3");
    JsonObject held = bus.request("mcp.servers.leases", NOTHING);
    List<JsonObject> leases =
        held.getJsonArray("leases").stream().map(JsonObject.class::cast).toList();
    JsonObject adas =
        leases.stream()
            .filter(one -> one.getJsonObject("client").getString("name").equals("ada"))
            .findFirst()
            .orElseThrow();
    assertThat(adas.getString("server")).isEqualTo("s");
    assertThat(adas.getString("principal")).isEqualTo("local");
    assertThat(adas.getJsonObject("client").getString("version")).isEqualTo("1");
    JsonObject bound = held.getJsonObject("servers").getJsonObject("s");
    assertThat(bound.getInteger("used")).isEqualTo(2);
    assertThat(bound.getInteger("max")).isEqualTo(64);

    JsonObject end = new JsonObject().put("lease", adas.getString("lease")).put("tell", true);
    bus.<JsonObject>request("mcp.servers.release", end);
    await().until(() -> now(NOTHING, who("ada")).contains("from 4"));
    assertThat(now(NOTHING, who("bob"))).contains("from 3");
  }

  // ---- questions

  @Test
  void a_question_that_names_no_call_goes_to_the_latest_call_that_offers_to_answer() {
    JsonObject ada = who("ada");
    CompletableFuture<McpHttp.Answer> offering =
        sent("/mcp/s", "tools/call", Peers.call("wait"), ELICITATION, ada);
    awaitCall(1);
    CompletableFuture<McpHttp.Answer> silent =
        sent("/mcp/s", "tools/call", Peers.call("wait"), NOTHING, ada);
    JsonObject second = awaitCall(2);
    ask(2, 77);
    JsonObject asked = offering.join().result();
    assertThat(asked.getString("resultType")).isEqualTo("input_required");
    assertThat(asked.encode()).contains("question 77");
    answerCall(2, second, "second");
    assertThat(silent.join().body()).contains("second");
  }

  /** The first client may never come back for its call. */
  @Test
  void a_call_that_waits_for_its_client_gets_no_question_that_may_be_of_another() {
    JsonObject ada = who("ada");
    CompletableFuture<McpHttp.Answer> left =
        sent("/mcp/s", "tools/call", Peers.call("wait"), ELICITATION, ada);
    awaitCall(1);
    ask(2, 70);
    assertThat(left.join().body()).contains("question 70");
    CompletableFuture<McpHttp.Answer> second =
        sent("/mcp/s", "tools/call", Peers.call("wait"), ELICITATION, ada);
    awaitCall(2);
    for (int question = 71; question <= 73; question++) {
      ask(2, question);
    }
    assertThat(second.join().body()).contains("question 71", "question 72", "question 73");
  }

  @Test
  void a_question_of_a_task_goes_to_the_call_that_became_the_task() {
    AtomicInteger tasks = new AtomicInteger();
    ScriptedPeer worker =
        Peers.connected(
            bus,
            "worker",
            new ScriptedPeer(
                bus.vertx(),
                (method, params, connection) ->
                    switch (method) {
                      case "initialize" ->
                          "\"result\":{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{\"tools\":{},"
                              + "\"tasks\":{\"requests\":{\"tools\":{\"call\":{}}}}},"
                              + "\"serverInfo\":{\"name\":\"worker\",\"version\":\"1\"}}";
                      case "tools/list" ->
                          "\"result\":{\"tools\":[{\"name\":\"work\",\"inputSchema\":"
                              + "{\"type\":\"object\"},\"execution\":{\"taskSupport\":\"required\"}}]}";
                      case "tools/call" ->
                          "\"result\":{\"task\":" + task("t-" + tasks.incrementAndGet()) + "}";
                      case "tasks/get" -> "\"result\":" + task(params.getString("taskId"));
                      default -> ScriptedPeer.error(-32601, "no such method");
                    }));
    List<CompletableFuture<McpHttp.Answer>> calls = new ArrayList<>();
    for (int i = 1; i <= 2; i++) {
      String task = "t-" + i;
      calls.add(sent("/mcp/worker", "tools/call", Peers.call("work"), ELICITATION, who("ada")));
      await().until(() -> worker.received("tasks/get").toString().contains(task));
    }
    worker.say(
        2,
        "{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"elicitation/create\",\"params\":{"
            + "\"message\":\"of the first\",\"requestedSchema\":{\"type\":\"object\"},\"_meta\":{"
            + "\"io.modelcontextprotocol/related-task\":{\"taskId\":\"t-1\"}}}}");
    assertThat(CompletableFuture.anyOf(calls.get(0), calls.get(1)).join())
        .isSameAs(calls.get(0).getNow(null));
    assertThat(calls.get(0).join().body()).contains("input_required").contains("of the first");
    assertThat(calls.get(1)).isNotDone();
  }

  private static String task(String id) {
    return "{\"taskId\":\""
        + id
        + "\",\"status\":\"working\",\"createdAt\":\"2026-01-01T00:00:00Z\",\"lastUpdatedAt\":"
        + "\"2026-01-01T00:00:00Z\",\"ttl\":60000,\"pollInterval\":50}";
  }

  @Test
  void what_a_server_asks_before_any_call_comes_before_the_first_call_that_offers_to_answer() {
    JsonObject roots = new JsonObject().put("roots", new JsonObject());
    assertThat(tools("/mcp/s", roots, who("ada"))).contains("ask"); // opens the session
    JsonObject completion =
        new JsonObject()
            .put("ref", new JsonObject().put("type", "ref/prompt").put("name", "p"))
            .put("argument", new JsonObject().put("name", "a").put("value", "v"));
    peer.say(2, "{\"jsonrpc\":\"2.0\",\"id\":90,\"method\":\"roots/list\"}");
    List<JsonObject> results = new ArrayList<>();
    await()
        .until(
            () -> {
              results.add(result(Peers.call("now"), roots));
              return results.get(results.size() - 1).containsKey("inputRequests");
            });
    JsonObject asked = results.get(results.size() - 1);
    assertThat(asked.getJsonObject("inputRequests").encode()).contains("roots/list");
    assertThat(peer.received("tools/call")).hasSize(results.size() - 1);
    assertThat(answer("completion/complete", completion, roots, who("ada")))
        .as("its result cannot be a question")
        .contains("from 2");

    JsonObject answer = new JsonObject().put("roots", new JsonArray());
    JsonObject retry =
        Peers.call("now")
            .put("requestState", asked.getString("requestState"))
            .put("inputResponses", new JsonObject().put("input-1", answer));
    assertThat(result(retry, roots).encode()).contains("from 2");
    assertThat(peer.received("tools/call")).hasSize(results.size());
    assertThat(peer.answers(90).get(0).getJsonObject("result")).isEqualTo(answer);
  }

  @Test
  void a_call_is_sent_although_its_server_asks_while_it_sets_the_log_level_for_it() {
    ScriptedPeer slow =
        Peers.connected(
            bus,
            "slow",
            new ScriptedPeer(
                bus.vertx(),
                (method, params, connection) ->
                    switch (method) {
                      case "server/discover" -> ScriptedPeer.error(-32601, "no such method");
                      case "initialize" -> Peers.INITIALIZE;
                      case "tools/list" -> Peers.tools("now");
                      default -> null;
                    }));
    JsonObject roots = new JsonObject().put("roots", new JsonObject());
    JsonObject who = who("ada").put(LEVEL, "info");
    CompletableFuture<McpHttp.Answer> first =
        sent("/mcp/slow", "tools/call", Peers.call("now"), roots, who);
    await().until(() -> slow.received("logging/setLevel").size() == 1);
    slow.say(2, "{\"jsonrpc\":\"2.0\",\"id\":90,\"method\":\"roots/list\"}");
    JsonObject asked = first.join().result();
    Object level = slow.received("logging/setLevel").get(0).getValue("id");
    slow.say(2, "{\"jsonrpc\":\"2.0\",\"id\":" + level + ",\"result\":{}}");
    await().until(() -> slow.received("tools/call").size() == 1);

    JsonObject retry =
        Peers.call("now")
            .put("requestState", asked.getString("requestState"))
            .put(
                "inputResponses",
                new JsonObject().put("input-1", new JsonObject().put("roots", new JsonArray())));
    CompletableFuture<McpHttp.Answer> second = sent("/mcp/slow", "tools/call", retry, roots, who);
    await().until(() -> slow.answers(90).size() == 1);
    Object call = slow.received("tools/call").get(0).getValue("id");
    slow.say(2, "{\"jsonrpc\":\"2.0\",\"id\":" + call + "," + Peers.text("done") + "}");
    assertThat(second.join().body()).contains("done");
    assertThat(slow.received("tools/call")).hasSize(1);
  }

  private JsonObject result(JsonObject call, JsonObject can) {
    return sent("/mcp/s", "tools/call", call, can, who("ada")).join().result();
  }

  @Test
  void a_question_that_no_call_offers_to_answer_is_refused_in_the_clients_name() {
    now(ELICITATION, who("ada")); // the session states that the client answers
    CompletableFuture<McpHttp.Answer> silent =
        sent("/mcp/s", "tools/call", Peers.call("wait"), NOTHING, who("ada"));
    awaitCall(1);
    ask(2, 78);
    await().until(() -> !peer.answers(78).isEmpty());
    assertThat(silent).isNotDone();
    assertThat(peer.answers(78).get(0).getJsonObject("error").getInteger("code")).isEqualTo(-32601);
  }

  @Test
  void a_question_never_reaches_another_client() {
    CompletableFuture<McpHttp.Answer> adas =
        sent("/mcp/s", "tools/call", Peers.call("wait"), ELICITATION, who("ada"));
    awaitCall(1);
    CompletableFuture<McpHttp.Answer> bobs =
        sent("/mcp/s", "tools/call", Peers.call("wait"), ELICITATION, who("bob"));
    awaitCall(2);
    ask(2, 77);
    ask(3, 88);
    assertThat(adas.join().body()).contains("question 77").doesNotContain("question 88");
    assertThat(bobs.join().body()).contains("question 88").doesNotContain("question 77");
  }

  // ---- log level

  @Test
  void the_log_level_is_set_when_it_differs_from_the_present_one() {
    JsonObject ada = who("ada");
    now(NOTHING, ada.copy().put(LEVEL, "info"));
    now(NOTHING, ada.copy().put(LEVEL, "info"));
    now(NOTHING, ada);
    assertThat(peer.received("logging/setLevel")).hasSize(1);
    now(NOTHING, ada.copy().put(LEVEL, "debug"));
    await().until(() -> peer.received("logging/setLevel").size() == 2);
  }

  // ---- lists

  @Test
  void the_list_of_one_server_is_that_of_the_session_of_a_client_with_capabilities() {
    assertThat(tools("/mcp/s", ELICITATION, who("ada"))).containsExactly("now", "wait", "ask");
    now(ELICITATION, who("ada"));
    assertThat(tools("/mcp/s", ELICITATION, who("ada"))).containsExactly("now", "wait", "ask");
    assertThat(peer.connections()).isEqualTo(2);
  }

  @Test
  void a_list_that_the_server_lacks_gets_the_servers_own_refusal() {
    ScriptedPeer bare =
        Peers.connected(
            bus,
            "bare",
            new ScriptedPeer(
                bus.vertx(),
                (method, params, connection) ->
                    method.equals("initialize")
                        ? "\"result\":{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},"
                            + "\"serverInfo\":{\"name\":\"bare\",\"version\":\"1\"}}"
                        : ScriptedPeer.error(-32601, "refused at " + connection)));
    List<String> ids = new CopyOnWriteArrayList<>();
    bus.vertx()
        .eventBus()
        .addOutboundInterceptor(
            sending -> {
              if (sending.message().address().startsWith("mcp.bare.")) {
                ids.add(sending.message().headers().get(Headers.CALL_ID));
              }
              sending.next();
            });
    for (String list :
        List.of("tools/list", "prompts/list", "resources/list", "resources/templates/list")) {
      assertThat(sent("/mcp/bare", list, NOTHING, ELICITATION, who("ada")).join().body())
          .as(list)
          .contains("-32601")
          .contains("refused at 1");
    }
    assertThat(ids).hasSize(4).doesNotHaveDuplicates().allMatch(one -> !one.isEmpty());
    assertThat(bare.connections()).as("a refusal needs no session").isEqualTo(1);
  }

  @Test
  void who_states_no_capabilities_gets_the_shared_list_and_costs_no_session() {
    assertThat(tools("/mcp/s", NOTHING, who("ada"))).containsExactly("now", "wait");
    assertThat(peer.connections()).isEqualTo(1);
  }

  @Test
  void a_list_of_all_servers_begins_no_session_until_a_server_is_known_to_list_differently() {
    assertThat(tools("/mcp", ELICITATION, who("ada"))).containsExactly("s__now", "s__wait");
    assertThat(peer.connections()).isEqualTo(1);
    now(ELICITATION, who("ada"));
    await()
        .atMost(60, TimeUnit.SECONDS)
        .until(() -> tools("/mcp", ELICITATION, who("ada")).contains("s__ask"));
    assertThat(tools("/mcp", ELICITATION, who("bob"))).contains("s__ask");
    assertThat(peer.connections()).isEqualTo(3);
    assertThat(tools("/mcp", NOTHING, who("eve"))).containsExactly("s__now", "s__wait");
    assertThat(peer.connections()).isEqualTo(3);
  }

  @Test
  void a_session_of_the_older_era_gets_the_same_lists() {
    McpHttp.Session one = new McpHttp(bus.port(), "/mcp/s").initialize("2025-11-25", ELICITATION);
    assertThat(McpHttp.names(one.call("tools/list", NOTHING).result(), "tools"))
        .containsExactly("now", "wait", "ask");
    McpHttp.Session all = new McpHttp(bus.port(), "/mcp").initialize("2025-11-25", ELICITATION);
    assertThat(McpHttp.names(all.call("tools/list", NOTHING).result(), "tools"))
        .containsExactly("s__now", "s__wait", "s__ask");
  }

  @Test
  void a_change_of_the_own_lists_reaches_the_clients_stream_alone() {
    try (McpHttp.Stream adas = listening(who("ada"));
        McpHttp.Stream bobs = listening(who("bob"))) {
      now(NOTHING, who("ada"));
      await().until(() -> adas.methods().contains("notifications/tools/list_changed"));
      now(NOTHING, who("cat"));
      assertThat(bobs.methods()).doesNotContain("notifications/tools/list_changed");
    }
  }

  private McpHttp.Stream listening(JsonObject who) {
    return listening(who, new JsonObject().put("toolsListChanged", true));
  }

  private McpHttp.Stream listening(JsonObject who, JsonObject filter) {
    return listening("/mcp/s", who, filter);
  }

  private McpHttp.Stream listening(String path, JsonObject who, JsonObject filter) {
    JsonObject request =
        new JsonObject()
            .put("jsonrpc", "2.0")
            .put("id", "l" + ++id)
            .put("method", "subscriptions/listen")
            .put(
                "params",
                new JsonObject()
                    .put("notifications", filter)
                    .put("_meta", McpHttp.meta(NOTHING).mergeIn(who)));
    McpHttp.Stream stream =
        new McpHttp(bus.port(), path).streamed(request, McpHttp.headers(request));
    await().until(() -> !stream.messages().isEmpty());
    return stream;
  }

  /** Each stream may name 1,000 resources, and a caller may open thousands of streams. */
  @Test
  void the_subscriptions_of_one_client_over_all_its_streams_have_a_bound() {
    List<McpHttp.Stream> open = new ArrayList<>();
    try {
      for (int i = 0; i < 3; i++) {
        JsonArray uris = new JsonArray();
        for (int uri = 0; uri < 1_000; uri++) {
          uris.add("file:///" + i + "/" + uri);
        }
        open.add(listening(who("ada"), new JsonObject().put("resourceSubscriptions", uris)));
      }
      for (int i = 0; i < 2; i++) {
        assertThat(watched(open.get(i))).hasSize(1_000);
      }
      assertThat(open.get(2).messages().get(0).encode()).doesNotContain("file:///");
      assertThat(peer.connections()).isEqualTo(2);
      try (McpHttp.Stream bobs =
          listening(
              who("bob"),
              new JsonObject().put("resourceSubscriptions", new JsonArray().add("file:///a")))) {
        assertThat(bobs.messages().get(0).encode()).contains("file:///a");
      }
    } finally {
      open.forEach(McpHttp.Stream::close);
    }
  }

  private static JsonArray watched(McpHttp.Stream stream) {
    return stream
        .messages()
        .get(0)
        .getJsonObject("params")
        .getJsonObject("notifications")
        .getJsonArray("resourceSubscriptions", new JsonArray());
  }

  /** A connection keeps 256 requests until its server has started. */
  @Test
  void a_thousand_subscriptions_wait_for_a_server_that_starts_slowly() {
    ScriptedPeer slow =
        Peers.connected(
            bus,
            "slow",
            new ScriptedPeer(
                bus.vertx(),
                (method, params, connection) ->
                    switch (method) {
                      case "initialize" -> connection == 1 ? Peers.INITIALIZE : null;
                      case "resources/subscribe" -> "\"result\":{}";
                      default -> ScriptedPeer.error(-32601, "no such method");
                    }));
    JsonArray uris = new JsonArray();
    for (int i = 0; i < 1_000; i++) {
      uris.add("file:///" + i);
    }
    JsonObject filter = new JsonObject().put("resourceSubscriptions", uris);
    CompletableFuture<McpHttp.Stream> opening =
        CompletableFuture.supplyAsync(() -> listening("/mcp/slow", who("ada"), filter));
    await().until(() -> slow.received("initialize").size() == 2);
    Object id = slow.received("initialize").get(1).getValue("id");
    slow.say(2, "{\"jsonrpc\":\"2.0\",\"id\":" + id + "," + Peers.INITIALIZE + "}");
    try (McpHttp.Stream stream = opening.join()) {
      assertThat(watched(stream)).hasSize(1_000);
      assertThat(slow.received("resources/subscribe")).hasSize(1_000);
    }
  }

  @Test
  void two_clients_interleaved_keep_their_own_state() {
    JsonArray names = new JsonArray();
    for (int round = 0; round < 50; round++) {
      names.add(now(round % 3 == 0 ? ELICITATION : NOTHING, who("ada")).contains("from 2"));
      names.add(now(round % 2 == 0 ? ELICITATION : NOTHING, who("bob")).contains("from 3"));
    }
    assertThat(names).containsOnly(true);
  }
}
