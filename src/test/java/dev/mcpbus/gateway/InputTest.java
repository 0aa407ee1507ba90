package dev.mcpbus.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.mcpbus.testing.McpHttp;
import dev.mcpbus.testing.McpHttp.Answer;
import dev.mcpbus.testing.ScriptedPeer;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** A server asks during a call: clients of both eras on servers of both eras. */
class InputTest extends GatewayFixture {

  private static final JsonObject ELICITATION =
      new JsonObject().put("elicitation", new JsonObject());

  private static final JsonObject FORM =
      new JsonObject()
          .put("message", "Your name?")
          .put(
              "requestedSchema",
              new JsonObject()
                  .put("type", "object")
                  .put(
                      "properties",
                      new JsonObject().put("name", new JsonObject().put("type", "string"))));

  private static final JsonObject ADA =
      new JsonObject().put("action", "accept").put("content", new JsonObject().put("name", "Ada"));

  InputTest() {
    super("/mcp");
  }

  private static String required() {
    return "\"result\":"
        + new JsonObject()
            .put("resultType", "input_required")
            .put(
                "inputRequests",
                new JsonObject()
                    .put(
                        "who",
                        new JsonObject().put("method", "elicitation/create").put("params", FORM)))
            .put("requestState", "as-it-is");
  }

  /** Answers with the name that it was given, and asks for it before. */
  private ScriptedPeer discoverServer() {
    return Peers.discover(
        bus,
        "m",
        (method, params, connection) ->
            switch (method) {
              case "tools/list" -> Peers.tools("greet");
              case "tools/call" ->
                  params.containsKey("inputResponses")
                      ? Peers.text(
                          params
                              .getJsonObject("inputResponses")
                              .getJsonObject("who")
                              .getJsonObject("content", new JsonObject())
                              .getString("name", "nobody"))
                      : required();
              default -> null;
            });
  }

  /** Says nothing by itself: the test asks and answers for it. */
  private ScriptedPeer olderServer() {
    return Peers.initialize(
        bus,
        "o",
        (method, params, connection) -> method.equals("tools/list") ? Peers.tools("greet") : null);
  }

  private static void ask(ScriptedPeer peer, int connection, int id) {
    peer.say(
        connection,
        new JsonObject()
            .put("jsonrpc", "2.0")
            .put("id", id)
            .put("method", "elicitation/create")
            .put("params", FORM)
            .encode());
  }

  private static void answer(ScriptedPeer peer, int connection, String text) {
    Object call = peer.received("tools/call").get(0).getValue("id");
    peer.say(connection, "{\"jsonrpc\":\"2.0\",\"id\":" + call + "," + Peers.text(text) + "}");
  }

  private JsonObject discoverCall(JsonObject more) {
    JsonObject meta =
        new JsonObject().put("io.modelcontextprotocol/clientCapabilities", ELICITATION);
    return client.described("tools/call", Peers.call("m__greet").put("_meta", meta).mergeIn(more));
  }

  @Test
  void discover_client_discover_server_the_question_and_the_retry_pass_unchanged() {
    ScriptedPeer peer = discoverServer();
    JsonObject first = discoverCall(new JsonObject());
    JsonObject asked = client.post(first, McpHttp.headers(first)).result();
    assertThat(asked.getString("resultType")).isEqualTo("input_required");
    assertThat(asked.getString("requestState")).isEqualTo("as-it-is");
    assertThat(asked.getJsonObject("inputRequests").getJsonObject("who").getJsonObject("params"))
        .isEqualTo(FORM);
    JsonObject meta =
        peer.received("tools/call").get(0).getJsonObject("params").getJsonObject("_meta");
    assertThat(meta.getJsonObject("io.modelcontextprotocol/clientCapabilities"))
        .isEqualTo(ELICITATION);
    assertThat(meta.getJsonObject("io.modelcontextprotocol/clientInfo").getString("name"))
        .isEqualTo("test");

    JsonObject retry =
        discoverCall(
            new JsonObject()
                .put("requestState", "as-it-is")
                .put("inputResponses", new JsonObject().put("who", ADA)));
    assertThat(McpHttp.text(client.post(retry, McpHttp.headers(retry)).result())).isEqualTo("Ada");
    assertThat(peer.received("tools/call").get(1).getJsonObject("params").getString("requestState"))
        .isEqualTo("as-it-is");
  }

  @Test
  void initialize_client_discover_server_the_question_comes_on_the_stream_of_the_call() {
    ScriptedPeer peer = discoverServer();
    McpHttp.Session other = client.initialize("2025-11-25", ELICITATION);
    McpHttp.Session session = client.initialize("2025-11-25", ELICITATION);
    JsonObject request = client.request("tools/call", Peers.call("m__greet"));
    try (McpHttp.Stream spying = other.listen();
        McpHttp.Stream stream = session.streamed(request)) {
      await().until(() -> stream.methods().contains("elicitation/create"));
      JsonObject question = stream.messages().get(0);
      assertThat(question.getJsonObject("params")).isEqualTo(FORM);
      assertThat(session.answer(question.getValue("id"), ADA)).isEqualTo(202);
      await().until(stream::hasEnded);
      assertThat(McpHttp.text(stream.messages().get(1).getJsonObject("result"))).isEqualTo("Ada");
      assertThat(spying.messages()).isEmpty();
    }
    assertThat(
            peer.received("tools/call")
                .get(0)
                .getJsonObject("params")
                .getJsonObject("_meta")
                .getJsonObject("io.modelcontextprotocol/clientCapabilities"))
        .isEqualTo(ELICITATION);
  }

  @Test
  void initialize_client_initialize_server_the_question_comes_by_the_private_connection() {
    ScriptedPeer peer = olderServer();
    McpHttp.Session other = client.initialize("2025-06-18", ELICITATION);
    McpHttp.Session session = client.initialize("2025-06-18", ELICITATION);
    JsonObject request = client.request("tools/call", Peers.call("o__greet"));
    CompletableFuture<McpHttp.Stream> open =
        CompletableFuture.supplyAsync(() -> session.streamed(request));
    await().until(() -> !peer.received("tools/call").isEmpty());
    ask(peer, 2, 77);
    try (McpHttp.Stream spying = other.listen();
        McpHttp.Stream stream = open.join()) {
      await().until(() -> stream.methods().contains("elicitation/create"));
      session.answer(stream.messages().get(0).getValue("id"), ADA);
      await().until(() -> !peer.answers(77).isEmpty());
      assertThat(peer.answers(77).get(0).getJsonObject("result")).isEqualTo(ADA);
      answer(peer, 2, "hello");
      await().until(stream::hasEnded);
      assertThat(spying.messages()).isEmpty();
    }
    assertThat(
            peer.received("initialize")
                .get(1)
                .getJsonObject("params")
                .getJsonObject("capabilities"))
        .isEqualTo(ELICITATION);
  }

  @Test
  void another_session_cannot_answer_a_question() {
    ScriptedPeer peer = discoverServer();
    McpHttp.Session other = client.initialize("2025-11-25", ELICITATION);
    McpHttp.Session session = client.initialize("2025-11-25", ELICITATION);
    JsonObject request = client.request("tools/call", Peers.call("m__greet"));
    try (McpHttp.Stream stream = session.streamed(request)) {
      await().until(() -> stream.methods().contains("elicitation/create"));
      Object question = stream.messages().get(0).getValue("id");
      assertThat(other.answer(question, ADA)).isEqualTo(202);
      assertThat(peer.received("tools/call")).hasSize(1);
      session.answer(question, new JsonObject().put("action", "decline"));
      await().until(() -> peer.received("tools/call").size() == 2);
      assertThat(peer.received("tools/call").get(1).encode()).contains("decline");
    }
  }

  @Test
  void discover_client_initialize_server_the_question_is_a_result_and_the_retry_continues() {
    ScriptedPeer peer = olderServer();
    JsonObject more = new JsonObject().put("name", "o__greet");
    JsonObject first = discoverCall(more);
    CompletableFuture<Answer> asked = client.posted(first.encode(), McpHttp.headers(first));
    await().until(() -> !peer.received("tools/call").isEmpty());
    ask(peer, 2, 77);
    JsonObject result = asked.join().result();
    assertThat(result.getString("resultType")).isEqualTo("input_required");
    JsonObject requests = result.getJsonObject("inputRequests");
    String key = requests.fieldNames().iterator().next();
    assertThat(requests.getJsonObject(key))
        .isEqualTo(new JsonObject().put("method", "elicitation/create").put("params", FORM));

    more.put("requestState", result.getString("requestState"))
        .put("inputResponses", new JsonObject().put(key, ADA));
    JsonObject stranger = discoverCall(more).copy();
    stranger.getJsonObject("params").put("arguments", new JsonObject().put("other", true));
    assertThat(client.post(stranger, McpHttp.headers(stranger)).error().getInteger("code"))
        .isEqualTo(-32602);

    JsonObject retry = discoverCall(more);
    CompletableFuture<Answer> done = client.posted(retry.encode(), McpHttp.headers(retry));
    await().until(() -> !peer.answers(77).isEmpty());
    assertThat(peer.answers(77).get(0).getJsonObject("result")).isEqualTo(ADA);
    answer(peer, 2, "hello");
    assertThat(McpHttp.text(done.join().result())).isEqualTo("hello");
    assertThat(done.join().result().getString("resultType")).isEqualTo("complete");
    assertThat(peer.received("tools/call")).hasSize(1);
    assertThat(peer.received("tools/call").get(0).getJsonObject("params").encode())
        .doesNotContain("io.modelcontextprotocol");
  }

  @Test
  void discover_client_initialize_server_questions_at_once_are_one_result_without_tokens() {
    ScriptedPeer peer = olderServer();
    JsonObject first = discoverCall(new JsonObject().put("name", "o__greet"));
    CompletableFuture<Answer> asked = client.posted(first.encode(), McpHttp.headers(first));
    await().until(() -> !peer.received("tools/call").isEmpty());
    for (int id : List.of(77, 78)) {
      JsonObject meta = new JsonObject().put("progressToken", id).put("of/the-server", id);
      peer.say(
          2,
          new JsonObject()
              .put("jsonrpc", "2.0")
              .put("id", id)
              .put("method", "elicitation/create")
              .put("params", FORM.copy().put("_meta", meta))
              .encode());
    }
    JsonObject requests = asked.join().result().getJsonObject("inputRequests");
    assertThat(requests.stream().map(one -> ((JsonObject) one.getValue()).getJsonObject("params")))
        .containsExactly(
            FORM.copy().put("_meta", new JsonObject().put("of/the-server", 77)),
            FORM.copy().put("_meta", new JsonObject().put("of/the-server", 78)));
  }

  @Test
  void a_discover_client_that_closes_its_response_cancels_the_call() {
    ScriptedPeer peer =
        Peers.initialize(
            bus,
            "o",
            (method, params, connection) ->
                method.equals("tools/list") ? Peers.tools("greet") : null);
    JsonObject request =
        client.described(
            "tools/call",
            Peers.call("o__greet").put("_meta", new JsonObject().put("progressToken", "p")));
    CompletableFuture<McpHttp.Stream> open =
        CompletableFuture.supplyAsync(() -> client.streamed(request, McpHttp.headers(request)));
    await().until(() -> !peer.received("tools/call").isEmpty());
    Object token =
        peer.received("tools/call")
            .get(0)
            .getJsonObject("params")
            .getJsonObject("_meta")
            .getValue("progressToken");
    peer.notify(
        "notifications/progress", new JsonObject().put("progressToken", token).put("progress", 1));
    try (McpHttp.Stream stream = open.join()) {
      await().until(() -> stream.methods().contains("notifications/progress"));
      assertThat(stream.messages().get(0).getJsonObject("params").getString("progressToken"))
          .isEqualTo("p");
    }
    await().until(() -> peer.methods().contains("notifications/cancelled"));
  }

  @Test
  void a_discover_client_gets_the_log_of_its_own_call() {
    ScriptedPeer peer =
        Peers.discover(
            bus,
            "m",
            (method, params, connection) ->
                method.equals("tools/list") ? Peers.tools("greet") : null);
    JsonObject request =
        client.described(
            "tools/call",
            Peers.call("m__greet")
                .put("_meta", new JsonObject().put("io.modelcontextprotocol/logLevel", "info")));
    CompletableFuture<McpHttp.Stream> open =
        CompletableFuture.supplyAsync(() -> client.streamed(request, McpHttp.headers(request)));
    await().until(() -> !peer.received("tools/call").isEmpty());
    peer.notify("notifications/message", new JsonObject().put("level", "info").put("data", "step"));
    try (McpHttp.Stream stream = open.join()) {
      await().until(() -> stream.methods().contains("notifications/message"));
    }
  }
}
