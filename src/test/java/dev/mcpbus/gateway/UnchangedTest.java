package dev.mcpbus.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.mcpbus.testing.McpHttp;
import dev.mcpbus.testing.McpHttp.Answer;
import dev.mcpbus.testing.ScriptedPeer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Questions, answers and notifications pass the gateway byte for byte: clients of both eras on
 * servers of both eras, with forms that a parser would write in another way.
 */
class UnchangedTest extends GatewayFixture {

  private static final JsonObject CAN =
      new JsonObject(
          "{\"elicitation\":{\"form\":{},\"url\":{}},\"sampling\":{},\"roots\":{\"listChanged\":true}}");

  /** Numbers, escapes, order and unknown members that no parser and writer would keep. */
  private static final String ODD =
      "\"x-odd\": {\"b\":1.0,\"a\":[1e2, -0, 1.50,12345678901234567890],\"\\u00e9\":\"\\u00e9\\/\"}";

  private static final String FORM =
      "{\"message\":\"Your n\\u00e4me?\",\"requestedSchema\":{\"type\":\"object\",\"required\":"
          + "[\"name\"],\"properties\":{\"name\":{\"type\":\"string\",\"minLength\":3},\"age\":"
          + "{\"type\":\"number\",\"default\":1.0}}},"
          + ODD
          + "}";

  private static final String URL =
      "{\"mode\":\"url\",\"message\":\"Pay\",\"url\":\"https:\\/\\/example.com\\/pay?a=1.0\"}";

  /** Answers that a form would not accept, or would fill in, or that are hardly answers. */
  private static final String UNFIT =
      "{\"action\":\"accept\",\"content\":{\"age\":\"ol\\u0064\",\"other\":[1.0]}," + ODD + "}";

  UnchangedTest() {
    super("/mcp");
  }

  private ScriptedPeer older() {
    return Peers.initialize(
        bus,
        "p",
        (method, params, connection) ->
            switch (method) {
              case "tools/list" -> Peers.tools("t");
              case "resources/list" ->
                  "\"result\":{\"resources\":[{\"uri\":\"file:///a\",\"name\":\"a\"}],\"ttlMs\":60000}";
              default -> null;
            });
  }

  private ScriptedPeer modern() {
    return Peers.discover(
        bus,
        "p",
        (method, params, connection) ->
            switch (method) {
              case "tools/list" -> Peers.tools("t");
              case "tools/call" ->
                  params.containsKey("inputResponses")
                      ? Peers.text("done")
                      : "\"result\":{\"resultType\":\"input_required\",\"requestState\":\"s\","
                          + "\"inputRequests\":{\"wh\\u006f\":{\"method\":\"elicitation/create\","
                          + "\"params\":"
                          + FORM
                          + "}}}";
              default -> null;
            });
  }

  private static String last(ScriptedPeer peer, String part) {
    return peer.texts().stream().filter(text -> text.contains(part)).reduce((a, b) -> b).orElse("");
  }

  /** The stream of a call that the server has got. */
  private McpHttp.Stream called(ScriptedPeer peer, McpHttp.Session session, JsonObject more) {
    JsonObject request = client.request("tools/call", Peers.call("p__t").mergeIn(more));
    CompletableFuture<McpHttp.Stream> open =
        CompletableFuture.supplyAsync(() -> session.streamed(request));
    await().until(() -> !peer.received("tools/call").isEmpty());
    peer.tell("notifications/message", "{\"level\":\"info\",\"data\":\"opens the stream\"}");
    return open.join();
  }

  private static void finish(ScriptedPeer peer) {
    Object id = peer.received("tools/call").get(0).getValue("id");
    peer.say("{\"jsonrpc\":\"2.0\",\"id\":" + id + "," + Peers.text("done") + "}");
  }

  private static String event(McpHttp.Stream stream, String part) {
    await().until(() -> stream.events().stream().anyMatch(event -> event.data().contains(part)));
    return stream.events().stream()
        .map(McpHttp.Event::data)
        .filter(data -> data.contains(part))
        .findFirst()
        .orElseThrow();
  }

  private static Object idOf(String message) {
    return new JsonObject(message).getValue("id");
  }

  private Answer answer(McpHttp.Session session, Object question, String member) {
    return client.post(
        "{\"jsonrpc\":\"2.0\",\"id\":\"" + question + "\"," + member + "}", session.headers());
  }

  // ---- initialize client

  @Test
  void what_a_client_sets_at_its_own_session_is_the_same_bytes_both_ways() {
    String odd = "{\"x\":\"\\u0061\",\"_meta\":{\"k\": 1}}";
    ScriptedPeer peer =
        Peers.connected(
            bus,
            "p",
            new ScriptedPeer(
                bus.vertx(),
                (method, params, connection) ->
                    switch (method) {
                      case "server/discover" -> ScriptedPeer.error(-32601, "no such method");
                      case "initialize" -> Peers.INITIALIZE;
                      case "resources/templates/list" -> "\"result\":{\"resourceTemplates\":[]}";
                      case "resources/list" ->
                          "\"result\":{\"resources\":[{\"uri\":\"file:///a\",\"name\":\"a\"}]}";
                      case "resources/subscribe", "resources/unsubscribe", "logging/setLevel" ->
                          "\"result\":" + odd;
                      default -> "\"result\":{}";
                    }));
    McpHttp one = new McpHttp(bus.port(), "/mcp/p");
    McpHttp.Session session = one.initialize("2025-11-25", new JsonObject());
    String uri = "{\"y\":[1.0],\"uri\":\"file:\\/\\/\\/a\",\"_meta\":{\"k\":1.0}}";
    String level = "{\"level\":\"w\\u0061rning\",\"y\":1.0}";
    for (List<String> asked :
        List.of(
            List.of("resources/subscribe", uri),
            List.of("logging/setLevel", level),
            List.of("resources/unsubscribe", uri))) {
      String method = asked.get(0);
      String answer = one.post(Peers.request(7, method, asked.get(1)), session.headers()).body();
      assertThat(answer)
          .as(method)
          .isEqualTo("{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":" + odd + "}");
      assertThat(last(peer, method)).as(method).contains("\"params\":" + asked.get(1));
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\"result\":" + UNFIT,
        "\"result\":{\"action\":\"accept\"}",
        "\"result\":{\"action\":\"decline\",\"content\":{}," + ODD + "}",
        "\"result\":{\"action\":\"perhaps\"}",
        "\"result\":{}",
        "\"error\":{\"code\":-1,\"message\":\"User rejected\"}",
        "\"error\":{\"message\":\"n\\u006f\",\"code\":-32000,\"data\":{" + ODD + "}," + ODD + "}"
      })
  void initialize_client_initialize_server_question_and_answer_are_the_same_bytes(String answer) {
    ScriptedPeer peer = older();
    McpHttp.Session session = client.initialize("2025-11-25", CAN);
    try (McpHttp.Stream stream = called(peer, session, new JsonObject())) {
      peer.say(Peers.request(77, "elicitation/create", FORM));
      String question = event(stream, "elicitation/create");
      assertThat(question).endsWith(",\"method\":\"elicitation/create\",\"params\":" + FORM + "}");
      assertThat(answer(session, idOf(question), answer).status()).isEqualTo(202);
      await().until(() -> !peer.answers(77).isEmpty());
      assertThat(last(peer, "\"id\":77"))
          .isEqualTo("{\"jsonrpc\":\"2.0\",\"id\":77," + answer + "}");
      finish(peer);
      await().until(stream::hasEnded);
    }
  }

  @Test
  void initialize_client_discover_server_question_and_answer_are_the_same_bytes() {
    ScriptedPeer peer = modern();
    McpHttp.Session session = client.initialize("2025-11-25", CAN);
    JsonObject request = client.request("tools/call", Peers.call("p__t"));
    try (McpHttp.Stream stream = session.streamed(request)) {
      String question = event(stream, "elicitation/create");
      assertThat(question).endsWith(",\"params\":" + FORM + "}");
      answer(session, idOf(question), "\"result\":" + UNFIT);
      await().until(stream::hasEnded);
      assertThat(last(peer, "inputResponses"))
          .contains("\"inputResponses\":{\"who\":" + UNFIT + "}");
    }
  }

  @Test
  void initialize_client_discover_server_the_call_ends_with_the_error_of_the_client() {
    ScriptedPeer peer = modern();
    McpHttp.Session session = client.initialize("2025-11-25", CAN);
    JsonObject request = client.request("tools/call", Peers.call("p__t"));
    try (McpHttp.Stream stream = session.streamed(request)) {
      String question = event(stream, "elicitation/create");
      String error = "{\"code\":-1,\"message\":\"User rejected\",\"data\":{\"why\":\"no\"}}";
      answer(session, idOf(question), "\"error\":" + error);
      await().until(stream::hasEnded);
      assertThat(event(stream, "User rejected")).endsWith(",\"error\":" + error + "}");
      assertThat(peer.received("tools/call")).hasSize(1);
    }
  }

  /** Asks the same URL in two rounds. */
  private static String url(String state) {
    return "\"result\":{\"resultType\":\"input_required\",\"requestState\":\""
        + state
        + "\",\"inputRequests\":{\"w\":{\"method\":\"elicitation/create\",\"params\":"
        + URL
        + "}}}";
  }

  @Test
  void initialize_client_discover_server_the_question_for_a_url_has_an_id_that_stays() {
    Peers.discover(
        bus,
        "p",
        (method, params, connection) ->
            switch (method) {
              case "tools/list" -> Peers.tools("t");
              case "tools/call" ->
                  switch (params.getString("requestState", "0")) {
                    case "0" -> url("1");
                    case "1" -> url("2");
                    default -> Peers.text("done");
                  };
              default -> null;
            });
    McpHttp.Session session = client.initialize("2025-11-25", CAN);
    try (McpHttp.Stream stream =
        session.streamed(client.request("tools/call", Peers.call("p__t")))) {
      String first = event(stream, "\"mcpbus-1\"");
      answer(session, idOf(first), "\"result\":{\"action\":\"accept\"}");
      String again = event(stream, "\"mcpbus-2\"");
      answer(session, idOf(again), "\"result\":{\"action\":\"accept\"}");
      await().until(stream::hasEnded);
      JsonObject params = new JsonObject(first).getJsonObject("params");
      assertThat(params.getString("elicitationId")).isNotBlank();
      assertThat(new JsonObject(again).getJsonObject("params")).isEqualTo(params);
      assertThat(first).endsWith(URL.substring(1) + "}");
    }
  }

  @Test
  void the_id_of_a_servers_own_question_for_a_url_stays_the_servers() {
    ScriptedPeer peer = older();
    McpHttp.Session session = client.initialize("2025-11-25", CAN);
    try (McpHttp.Stream stream = called(peer, session, new JsonObject())) {
      String own = URL.replace("{", "{\"elicitationId\":\"e-1\",");
      peer.say(Peers.request(77, "elicitation/create", own));
      assertThat(event(stream, "elicitation/create")).endsWith("\"params\":" + own + "}");
    }
  }

  @Test
  void an_answer_whose_result_is_no_object_is_refused_and_the_server_learns_why() {
    ScriptedPeer peer = older();
    McpHttp.Session session = client.initialize("2025-11-25", CAN);
    try (McpHttp.Stream stream = called(peer, session, new JsonObject())) {
      peer.say(Peers.request(77, "elicitation/create", FORM));
      Object id = idOf(event(stream, "elicitation/create"));
      Answer refused = answer(session, id, "\"result\":[1]");
      assertThat(refused.status()).isEqualTo(400);
      assertThat(refused.body()).contains("\\\"result\\\" must be an object");
      await().until(() -> !peer.answers(77).isEmpty());
      JsonObject error = peer.answers(77).get(0).getJsonObject("error");
      assertThat(error.getInteger("code")).isEqualTo(-32603);
      assertThat(error.getString("message")).contains("\"result\" must be an object");
    }
  }

  @Test
  void an_answer_on_several_lines_is_one_line_for_the_server() {
    ScriptedPeer peer = older();
    McpHttp.Session session = client.initialize("2025-11-25", CAN);
    try (McpHttp.Stream stream = called(peer, session, new JsonObject())) {
      peer.say(Peers.request(77, "elicitation/create", FORM));
      Object id = idOf(event(stream, "elicitation/create"));
      answer(session, id, "\"result\":{\n\"action\":\r\n\"cancel\"\n}");
      await().until(() -> !peer.answers(77).isEmpty());
      assertThat(last(peer, "\"id\":77")).endsWith("\"result\":{ \"action\":  \"cancel\" }}");
    }
  }

  @Test
  void what_the_client_has_not_offered_is_refused_in_its_name() {
    ScriptedPeer peer = older();
    McpHttp.Session session = client.initialize("2025-11-25", new JsonObject());
    try (McpHttp.Stream stream = called(peer, session, new JsonObject())) {
      peer.say(Peers.request(77, "elicitation/create", FORM));
      await().until(() -> !peer.answers(77).isEmpty());
      assertThat(peer.answers(77).get(0).getJsonObject("error").getInteger("code"))
          .isEqualTo(-32601);
      assertThat(stream.methods()).doesNotContain("elicitation/create");
    }
  }

  // ---- discover client

  private JsonObject discoverCall(JsonObject more) {
    JsonObject meta =
        new JsonObject()
            .put("io.modelcontextprotocol/clientCapabilities", CAN)
            .put("io.modelcontextprotocol/logLevel", "debug")
            .put("progressToken", "p");
    return client.described("tools/call", Peers.call("p__t").put("_meta", meta).mergeIn(more));
  }

  private CompletableFuture<Answer> retried(String state, String responses) {
    String body =
        discoverCall(new JsonObject().put("requestState", state).put("inputResponses", "HERE"))
            .encode()
            .replace("\"HERE\"", responses);
    return client.posted(body, McpHttp.headers(new JsonObject(body)));
  }

  @Test
  void discover_client_initialize_server_question_and_answer_are_the_same_bytes() {
    ScriptedPeer peer = older();
    JsonObject first = discoverCall(new JsonObject());
    CompletableFuture<Answer> asked = client.posted(first.encode(), McpHttp.headers(first));
    await().until(() -> !peer.received("tools/call").isEmpty());
    peer.say(Peers.request(77, "elicitation/create", FORM));
    Answer required = asked.join();
    assertThat(required.body())
        .contains(
            "\"inputRequests\":{\"input-1\":{\"method\":\"elicitation/create\",\"params\":"
                + FORM
                + "}}");
    String state = required.result().getString("requestState");
    for (String wrong : List.of("{\"input-1\":[1]}", "[]")) {
      JsonObject error = retried(state, wrong).join().error();
      assertThat(error.getInteger("code")).isEqualTo(-32602);
      assertThat(error.getString("message"))
          .contains(wrong.startsWith("{") ? "input-1" : "inputResponses");
    }
    CompletableFuture<Answer> done = retried(state, "{\"input-1\": " + UNFIT + ",\"else\":1}");
    await().until(() -> !peer.answers(77).isEmpty());
    assertThat(last(peer, "\"id\":77"))
        .isEqualTo("{\"jsonrpc\":\"2.0\",\"id\":77,\"result\":" + UNFIT + "}");
    finish(peer);
    assertThat(McpHttp.text(done.join().result())).isEqualTo("done");
  }

  @Test
  void discover_client_discover_server_question_and_answer_are_the_same_bytes() {
    ScriptedPeer peer = modern();
    JsonObject first = discoverCall(new JsonObject());
    Answer asked = client.post(first, McpHttp.headers(first));
    assertThat(asked.body()).contains("\"params\":" + FORM);
    String responses = "{\"who\":" + UNFIT + "}";
    assertThat(McpHttp.text(retried("s", responses).join().result())).isEqualTo("done");
    assertThat(last(peer, "inputResponses")).contains("\"inputResponses\":" + responses);
  }

  // ---- errors

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void the_error_of_a_server_is_the_same_bytes_for_both_eras(boolean older) {
    String error = "{\"message\":\"n\\u006f\", \"data\":{" + ODD + "},\"code\":-32050," + ODD + "}";
    ScriptedPeer.Script script =
        (method, params, connection) ->
            switch (method) {
              case "tools/list" -> Peers.tools("t");
              case "tools/call" -> "\"error\":" + error;
              default -> null;
            };
    ScriptedPeer peer =
        older ? Peers.initialize(bus, "p", script) : Peers.discover(bus, "p", script);
    McpHttp.Session session = client.initialize("2025-11-25", CAN);
    String end = ",\"error\":" + error + "}";
    assertThat(session.call("tools/call", Peers.call("p__t")).body()).endsWith(end);
    JsonObject call = discoverCall(new JsonObject());
    assertThat(client.post(call, McpHttp.headers(call)).body()).endsWith(end);
    assertThat(peer.received("tools/call")).hasSize(2);
  }

  // ---- notifications

  @Test
  void a_cancellation_is_what_the_client_says_with_the_id_of_the_servers_request() {
    ScriptedPeer peer = older();
    McpHttp.Session session = client.initialize("2025-11-25", CAN);
    JsonObject call = client.request("tools/call", Peers.call("p__t"));
    CompletableFuture<McpHttp.Stream> open =
        CompletableFuture.supplyAsync(() -> session.streamed(call));
    await().until(() -> !peer.received("tools/call").isEmpty());
    Object id = peer.received("tools/call").get(0).getValue("id");
    String said = "{\"reason\":\"l\\u00e0\",\"requestId\":%s," + ODD + "}";
    client.post(
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":"
            + said.formatted(call.getValue("id"))
            + "}",
        session.headers());
    await().until(() -> !peer.received("notifications/cancelled").isEmpty());
    assertThat(last(peer, "notifications/cancelled"))
        .endsWith(",\"params\":" + said.formatted(id) + "}");
    open.join().close();
  }

  @Test
  void progress_of_a_client_with_a_question_reaches_the_server_that_asks() {
    ScriptedPeer peer = older();
    McpHttp.Session session = client.initialize("2025-11-25", CAN);
    try (McpHttp.Stream stream = called(peer, session, new JsonObject())) {
      String sampling = "{\"messages\":[],\"maxTokens\":1e2,\"_meta\":{\"progressToken\":\"t-1\"}}";
      peer.say(Peers.request(77, "sampling/createMessage", sampling));
      assertThat(event(stream, "sampling/createMessage")).endsWith(",\"params\":" + sampling + "}");
      for (String token : List.of("nobody", "t-1")) {
        client.post(
            "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":"
                + progress(token)
                + "}",
            session.headers());
      }
      await().until(() -> !peer.received("notifications/progress").isEmpty());
      assertThat(last(peer, "notifications/progress"))
          .endsWith("\"params\":" + progress("t-1") + "}");
      assertThat(peer.received("notifications/progress")).hasSize(1);
    }
  }

  private static String progress(String token) {
    return "{\"progress\":1.0,\"progressToken\":\"" + token + "\"," + ODD + "}";
  }

  @ParameterizedTest
  @ValueSource(strings = {"", ",\"params\":{}", ",\"params\":{ \"a\":1.0}"})
  void what_has_no_params_is_passed_without_them(String params) {
    ScriptedPeer peer = older();
    McpHttp.Session session = client.initialize("2025-11-25", CAN);
    try (McpHttp.Stream stream = called(peer, session, new JsonObject())) {
      String unknown =
          "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/of-its-own\"" + params + "}";
      peer.say(unknown);
      assertThat(event(stream, "of-its-own")).isEqualTo(unknown);
      peer.say("{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"roots/list\"" + params + "}");
      assertThat(event(stream, "roots/list")).endsWith("\"method\":\"roots/list\"" + params + "}");
    }
  }

  private static String progress(ScriptedPeer peer, String rest) {
    Object token =
        peer.received("tools/call")
            .get(0)
            .getJsonObject("params")
            .getJsonObject("_meta")
            .getValue("progressToken");
    return "{\"progress\":1.0,\"progressToken\":\"" + token + "\"" + rest + "}";
  }

  @Test
  void initialize_client_initialize_server_notifications_are_the_same_bytes() {
    ScriptedPeer peer = older();
    McpHttp.Session session = client.initialize("2025-11-25", CAN);
    JsonObject meta = new JsonObject().put("_meta", new JsonObject().put("progressToken", 7));
    try (McpHttp.Stream stream = called(peer, session, meta)) {
      peer.tell("notifications/progress", progress(peer, ",\"total\":1e1," + ODD));
      assertThat(event(stream, "notifications/progress"))
          .endsWith("\"params\":{\"progress\":1.0,\"progressToken\":7,\"total\":1e1," + ODD + "}}");
      String log = "{\"data\":{" + ODD + "},\"level\":\"inf\\u006f\",\"logger\":null}";
      peer.tell("notifications/message", log);
      assertThat(event(stream, "logger"))
          .isEqualTo(
              "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":" + log + "}");
      String complete = "{\"elicitationId\":\"e\\u002d1\"," + ODD + "}";
      peer.tell("notifications/elicitation/complete", complete);
      assertThat(event(stream, "elicitation/complete")).endsWith(",\"params\":" + complete + "}");
      finish(peer);
      await().until(stream::hasEnded);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void discover_client_notifications_of_its_call_are_the_same_bytes(boolean older) {
    ScriptedPeer peer =
        older
            ? older()
            : Peers.discover(
                bus,
                "p",
                (method, params, connection) ->
                    method.equals("tools/list") ? Peers.tools("t") : null);
    JsonObject request = discoverCall(new JsonObject());
    CompletableFuture<McpHttp.Stream> open =
        CompletableFuture.supplyAsync(() -> client.streamed(request, McpHttp.headers(request)));
    await().until(() -> !peer.received("tools/call").isEmpty());
    peer.tell("notifications/progress", progress(peer, ",\"total\":1e1," + ODD));
    String log = "{\"data\":{" + ODD + "},\"level\":\"info\",\"logger\":\"l\"}";
    peer.tell("notifications/message", log);
    try (McpHttp.Stream stream = open.join()) {
      assertThat(event(stream, "notifications/progress"))
          .endsWith(
              "\"params\":{\"progress\":1.0,\"progressToken\":\"p\",\"total\":1e1," + ODD + "}}");
      assertThat(event(stream, "logger"))
          .isEqualTo(
              "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":" + log + "}");
      String mark = "\"io.modelcontextprotocol/related-task\":{\"taskId\":\"1\"},";
      String ofTask = "{\"level\":\"info\",\"data\":\"of a task\",\"_meta\":{%s\"own\":1.0}}";
      peer.tell("notifications/message", ofTask.formatted(mark));
      assertThat(event(stream, "of a task"))
          .as("the mark of a task of 2025-11-25")
          .endsWith("\"params\":" + ofTask.formatted(older ? "" : mark) + "}");
    }
  }

  @Test
  void the_update_of_a_resource_is_the_same_bytes_for_both_eras() {
    ScriptedPeer peer = older();
    McpHttp.Session session = client.initialize("2025-11-25", new JsonObject());
    JsonObject uri = new JsonObject().put("uri", "file:///a");
    session.call("resources/subscribe", uri).result();
    JsonObject listen =
        client.described(
            "subscriptions/listen",
            new JsonObject()
                .put(
                    "notifications",
                    new JsonObject()
                        .put("resourceSubscriptions", new JsonArray().add("file:///a"))));
    try (McpHttp.Stream discover = client.streamed(listen, McpHttp.headers(listen));
        McpHttp.Stream standing = session.listen()) {
      await().until(() -> !discover.messages().isEmpty());
      String updated = "{" + ODD + ",\"uri\":\"file:\\/\\/\\/a\"}";
      for (int connection = 1; connection <= peer.connections(); connection++) {
        peer.say(
            connection,
            "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/resources/updated\",\"params\":"
                + updated
                + "}");
      }
      assertThat(event(standing, "resources/updated")).endsWith(",\"params\":" + updated + "}");
      assertThat(event(discover, "resources/updated"))
          .contains(ODD)
          .contains("\"uri\":\"file:\\/\\/\\/a\"");
    }
  }
}
