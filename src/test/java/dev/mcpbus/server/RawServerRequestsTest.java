package dev.mcpbus.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.mcpbus.protocol.Envelope;
import dev.mcpbus.transport.RawClient;
import dev.mcpbus.transport.memory.InMemoryTransport;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.LoggerFactory;

/** How requests are checked, answered, bounded and called off. */
class RawServerRequestsTest extends OverLinkedPair {

  // Requests.

  @Test
  void any_method_reaches_its_handler_and_an_unknown_one_is_refused() throws Exception {
    RawClient client = initialized();
    assertThat(client.result("sample/double", "{\"n\":21}").getInteger("twice")).isEqualTo(42);
    JsonObject unknown = error(client, "no/such", "{}");
    assertThat(unknown.getInteger("code")).isEqualTo(-32601);
    assertThat(unknown.getString("message")).contains("no/such", "2025-11-25");
    JsonObject refused = error(client, "sample/refuse", "{}");
    assertThat(refused.getInteger("code")).isEqualTo(-32050);
    assertThat(refused.getJsonObject("data").getInteger("when")).isEqualTo(1);
    JsonObject broken = error(client, "sample/broken", "{}");
    assertThat(broken.getInteger("code")).isEqualTo(-32603);
    assertThat(broken.getString("message")).isEqualTo("the disk is full");
  }

  @Test
  void arguments_that_do_not_fit_are_an_error_of_the_tool_that_a_model_can_mend() throws Exception {
    RawClient client = initialized();
    JsonObject wrong = client.result("tools/call", call("echo", "{\"text\":5}"));
    assertThat(wrong.getBoolean("isError")).isTrue();
    assertThat(wrong.encode()).contains("arguments/text", "'echo'", "inputSchema");
    assertThat(client.result("tools/call", call("echo", "{}")).encode()).contains("isError");
    assertThat(error(client, "tools/call", call("echo", "[]")).getInteger("code"))
        .isEqualTo(-32602);
    assertThat(sample.requests).isEmpty();
  }

  @Test
  void arguments_are_checked_before_the_handler() throws Exception {
    server.options(ServerOptions.DEFAULT.withRefuseArguments(true));
    RawClient client = initialized();
    JsonObject wrong = error(client, "tools/call", call("echo", "{\"text\":5}"));
    assertThat(wrong.getInteger("code")).isEqualTo(-32602);
    assertThat(wrong.getString("message")).contains("arguments/text", "'echo'", "inputSchema");
    assertThat(wrong.getJsonObject("data").getString("path")).isEqualTo("/text");
    assertThat(error(client, "tools/call", call("echo", "{}")).getInteger("code"))
        .isEqualTo(-32602);
    assertThat(error(client, "tools/call", call("echo", "[]")).getInteger("code"))
        .isEqualTo(-32602);
    JsonObject unknown = error(client, "tools/call", call("ecoh", "{}"));
    assertThat(unknown.getInteger("code")).isEqualTo(-32602);
    assertThat(unknown.getString("message")).contains("ecoh", "tools/list");
    assertThat(sample.requests).isEmpty();
  }

  @Test
  void a_throw_and_a_failed_future_become_a_result_that_says_so() throws Exception {
    RawClient client = initialized();
    assertThat(client.result("tools/call", call("throws", "{}")))
        .isEqualTo(ToolResult.error("no such city"));
    assertThat(client.result("tools/call", call("fails", "{}")))
        .isEqualTo(ToolResult.error("out of order"));
  }

  /** Whatever a handler does in place of an answer, and what the client reads. */
  @SuppressWarnings("NullAway") // a handler gives null
  static Stream<Arguments> misbehaviour() {
    JsonObject itself = new JsonObject();
    itself.put("content", itself);
    return Stream.of(
        arguments("recursion", throwing(new StackOverflowError()), "StackOverflowError"),
        arguments("assertion", throwing(new AssertionError("1 is not 2")), "1 is not 2"),
        arguments("class", throwing(new NoClassDefFoundError("acme/Db")), "acme/Db"),
        arguments("checked", throwing(new IOException("disk is full\n\tat x")), "disk is full"),
        arguments(
            "mute",
            throwing(
                new IllegalStateException() {
                  @Override
                  public String getMessage() {
                    throw new IllegalStateException("no words");
                  }
                }),
            ""),
        arguments("null", (RequestHandler) (r, a) -> null, "the handler returned null"),
        arguments(
            "error in the future",
            (RequestHandler) (r, a) -> Future.failedFuture(new OutOfMemoryError("no heap")),
            "no heap"),
        arguments(
            "no JSON",
            (RequestHandler)
                (r, a) -> Future.succeededFuture(new JsonObject().put("x", new Object())),
            "the result cannot be encoded as JSON"),
        arguments(
            "a loop",
            (RequestHandler) (r, a) -> Future.succeededFuture(itself),
            "the result cannot be encoded as JSON"));
  }

  private static RequestHandler throwing(Throwable what) {
    return (request, arguments) -> {
      throw RawServerRequestsTest.<RuntimeException>sneaky(what);
    };
  }

  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
  private static <T extends Throwable> T sneaky(Throwable what) throws T {
    throw (T) what;
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("misbehaviour")
  void whatever_a_handler_throws_is_the_tools_error_at_once(
      String name, RequestHandler handler, String text) throws Exception {
    List<String> heard = new CopyOnWriteArrayList<>();
    server
        .onError((client, subject, failure) -> heard.add(client.client().name() + " " + subject))
        .handle("x/bad", handler)
        .tool("bad", "", Sample.NO_ARGUMENTS, handler);
    RawClient client = initialized();
    assertThat(client.result("tools/call", call("bad", "{}"))).isEqualTo(ToolResult.error(text));
    JsonObject other = error(client, "x/bad", "{}");
    assertThat(other.getInteger("code")).isEqualTo(-32603);
    assertThat(other.getString("message")).isEqualTo(text);
    assertThat(heard).containsExactly("raw tools/call bad", "raw x/bad");
  }

  @Test
  void a_listener_hears_broken_protocol_and_failures_and_no_refusal_of_a_handler()
      throws Exception {
    List<String> heard = new CopyOnWriteArrayList<>();
    server
        .options(ServerOptions.DEFAULT.withRequestTimeout(Duration.ofMillis(50)))
        .onError(
            (client, subject, failure) -> {
              heard.add(subject + ": " + failure.getMessage());
              throw new IllegalStateException("a listener's own defect");
            })
        .onNotification(
            "x/bad",
            (session, params) -> {
              throw new AssertionError("not now");
            });
    RawClient client = open();
    error(client, "tools/list", "{}");
    client.handshake();
    error(client, "sample/refuse", "{}");
    client.notify("x/bad", "{}");
    client.result("tools/call", call("wait", "{}"));
    client.answer(77, "{}");
    assertThat(client.result("ping", "{}")).isEmpty();
    assertThat(heard).hasSize(4);
    assertThat(heard.get(0)).startsWith("tools/list: call initialize first");
    assertThat(heard.subList(1, 4))
        .containsExactly(
            "x/bad: not now",
            "tools/call wait: no answer within 50 ms",
            ": a response to no question of this server");
  }

  // Questions to the client.

  @Test
  void a_handler_asks_the_client_in_the_middle_of_a_call() throws Exception {
    RawClient client = initialized("{\"elicitation\":{}}");
    Future<JsonObject> call = client.request("tools/call", call("ask", "{}"));
    await().until(() -> client.notifications().size() == 1);
    Envelope asked = client.notifications().get(0);
    assertThat(asked.method()).isEqualTo("elicitation/create");
    assertThat(asked.params().toString()).isEqualTo("{\"message\":\"Who?\"}");
    client.answer(asked.integerId(), "{\"action\":\"accept\",\"content\":{\"who\":\"Ann\"}}");
    assertThat(RawClient.get(call).encode()).contains("accept Ann");
    // The client of the same server that cannot answer is not asked.
    assertThat(initialized().result("tools/call", call("ask", "{}")))
        .isEqualTo(ToolResult.error("the client does not support elicitation/create"));
  }

  @Test
  void a_question_is_taken_back_when_its_call_ends() throws Exception {
    RawClient client = initialized("{\"elicitation\":{}}");
    client.request("tools/call", call("ask", "{}"));
    await().until(() -> client.notifications().size() == 1);
    client.notify("notifications/cancelled", "{\"requestId\":2}");
    await().until(() -> client.notifications().size() == 2);
    assertThat(client.notifications().get(1).params().toString())
        .isEqualTo("{\"requestId\":" + client.notifications().get(0).integerId() + "}");
  }

  @Test
  void in_the_discover_era_questions_are_results_and_answers_come_with_the_next_call()
      throws Exception {
    RawClient client = open();
    String capable =
        discoverParams("\"name\":\"ask\",\"arguments\":{}", "")
            .replace("Capabilities\":{}", "Capabilities\":{\"elicitation\":{}}");
    JsonObject first = client.result("tools/call", capable);
    assertThat(first.getString("resultType")).isEqualTo("input_required");
    JsonObject asked = first.getJsonObject("inputRequests");
    assertThat(asked.getJsonObject("question-1").getString("method"))
        .isEqualTo("elicitation/create");
    JsonObject again =
        new JsonObject(capable)
            .put("requestState", first.getString("requestState"))
            .put(
                "inputResponses",
                new JsonObject()
                    .put(
                        "question-1",
                        new JsonObject()
                            .put("action", "accept")
                            .put("content", new JsonObject().put("who", "Ann"))));
    JsonObject second = client.result("tools/call", again.encode());
    assertThat(second.encode()).contains("accept Ann", "\"resultType\":\"complete\"");
    again.put("requestState", "forged");
    assertThat(error(client, "tools/call", again.encode()).getInteger("code")).isEqualTo(-32602);
  }

  private RawClient initialized(String capabilities) throws Exception {
    RawClient client = open();
    client.handshake(capabilities);
    return client;
  }

  @Test
  void a_handler_tells_progress_log_and_notifications_before_its_result() throws Exception {
    RawClient client = initialized();
    client.result(
        "tools/call", "{\"name\":\"tell\",\"arguments\":{},\"_meta\":{\"progressToken\":\"p\"}}");
    assertThat(client.notifications())
        .extracting(sent -> sent.method() + sent.params())
        .containsExactly(
            "notifications/progress{\"progressToken\":\"p\",\"progress\":1,\"total\":2,"
                + "\"message\":\"half\"}",
            "notifications/message{\"level\":\"warning\",\"logger\":\"sample\","
                + "\"data\":{\"left\":1}}",
            "notifications/sample/told{}");
  }

  @Test
  void the_level_of_the_log_is_the_clients_to_set() throws Exception {
    RawClient client = initialized();
    client.result("logging/setLevel", "{\"level\":\"debug\"}");
    client.result("tools/call", call("tell", "{}"));
    assertThat(client.notifications()).filteredOn(n -> n.method().endsWith("message")).hasSize(2);
    assertThat(error(client, "logging/setLevel", "{\"level\":\"loud\"}").getString("message"))
        .contains("debug, info");
    RawClient discoverClient = open();
    String tell = "\"name\":\"tell\",\"arguments\":{}";
    discoverClient.result("tools/call", discoverParams(tell, ""));
    assertThat(discoverClient.notifications()).hasSize(1);
    discoverClient.result(
        "tools/call", discoverParams(tell, ",\"io.modelcontextprotocol/logLevel\":\"warning\""));
    assertThat(discoverClient.notifications()).hasSize(3);
  }

  @Test
  void a_request_knows_who_asks_and_how_long_there_is() throws Exception {
    RawClient client =
        RawClient.open(vertx, new InMemoryTransport("d", context, server.acceptor("alice")));
    client.handshake();
    client.call("echo", "{\"text\":\"x\"}");
    ServerRequest request = sample.requests.get(0);
    assertThat(request.principal()).isEqualTo("alice");
    assertThat(request.client().name()).isEqualTo("raw");
    assertThat(request.version().wire()).isEqualTo("2025-11-25");
    assertThat(request.subject()).isEqualTo("tools/call echo");
    assertThat(request.remaining()).isBetween(Duration.ofSeconds(60), Duration.ofSeconds(120));
  }

  @Test
  void a_call_that_is_called_off_is_cancelled_and_gets_no_answer() throws Exception {
    RawClient client = initialized();
    Future<JsonObject> call = client.request("tools/call", call("wait", "{}"));
    sample.waiting();
    client.notify("notifications/cancelled", "{\"requestId\":2}");
    RawClient.get(sample.waiting().cancelled());
    sample.gate.complete(ToolResult.text("late"));
    assertThat(client.call("echo", "{\"text\":\"x\"}")).isEqualTo("x");
    assertThat(call.isComplete()).isFalse();
  }

  @Test
  void a_client_that_leaves_cancels_its_calls() throws Exception {
    RawClient client = initialized();
    client.request("tools/call", call("wait", "{}"));
    sample.waiting();
    client.close();
    await().until(() -> sample.waiting().isCancelled() && server.sessions().isEmpty());
  }

  @Test
  void a_handler_that_takes_too_long_is_cancelled_and_answered_for() throws Exception {
    server.options(ServerOptions.DEFAULT.withRequestTimeout(Duration.ofMillis(50)));
    JsonObject late = initialized().result("tools/call", call("wait", "{}"));
    assertThat(late).isEqualTo(ToolResult.error("no answer within 50 ms"));
    assertThat(sample.waiting().isCancelled()).isTrue();
  }

  @Test
  void more_requests_than_the_bound_are_refused_at_once() throws Exception {
    server.options(ServerOptions.DEFAULT.withMaxRequests(2));
    RawClient client = initialized();
    Future<JsonObject> first = client.request("tools/call", call("wait", "{}"));
    Future<JsonObject> second = client.request("tools/call", call("wait", "{}"));
    assertThat(error(client, "tools/list", "{}").getInteger("code")).isEqualTo(-32003);
    sample.gate.complete(ToolResult.text("free"));
    assertThat(RawClient.get(first).encode()).contains("free");
    assertThat(RawClient.get(second).encode()).contains("free");
  }

  @Test
  void a_long_list_comes_in_pages_that_outlive_changes() throws Exception {
    server.options(ServerOptions.DEFAULT.withPageSize(2));
    RawClient client = initialized();
    JsonObject first = client.result("tools/list", "{}");
    assertThat(names(first)).containsExactly("echo", "throws");
    assertThat(server.removeTool("throws")).isTrue();
    JsonObject second =
        client.result("tools/list", "{\"cursor\":\"" + first.getString("nextCursor") + "\"}");
    assertThat(names(second)).containsExactly("fails", "wait");
    JsonObject third =
        client.result("tools/list", "{\"cursor\":\"" + second.getString("nextCursor") + "\"}");
    assertThat(names(third)).containsExactly("tell", "ask");
    assertThat(third.containsKey("nextCursor")).isFalse();
    assertThat(error(client, "tools/list", "{\"cursor\":\"x\"}").getInteger("code"))
        .isEqualTo(-32602);
  }

  // Wrappers.

  @Test
  void wrappers_guard_and_word_what_is_inside_them() throws Exception {
    List<String> order = new ArrayList<>();
    RawServer wrapped =
        RawServer.of("wrapped", "1")
            .wrap(inner -> (request, input) -> noted(order, "outer", inner, request, input))
            .wrap(
                HandlerWrappers.logged(LoggerFactory.getLogger(RawServerRequestsTest.class))
                    .around(HandlerWrappers.errors(failure -> "something went wrong")))
            .wrap(inner -> (request, input) -> noted(order, "inner", inner, request, input))
            .tool(
                "secret",
                "",
                Sample.NO_ARGUMENTS,
                HandlerWrappers.authorized(request -> "alice".equals(request.principal()))
                    .wrap((request, arguments) -> Future.succeededFuture(ToolResult.text("42"))))
            .handle(
                "x/fail",
                (request, params) -> {
                  throw new IllegalStateException("password is hunter2");
                });
    RawClient stranger = RawClient.open(vertx, wrapped.inMemory(context));
    stranger.handshake();
    assertThat(stranger.result("tools/call", call("secret", "{}")))
        .isEqualTo(ToolResult.error("something went wrong"));
    assertThat(order).containsExactly("outer", "inner");
    assertThat(error(stranger, "x/fail", "{}").getString("message"))
        .isEqualTo("something went wrong");
    RawClient alice =
        RawClient.open(vertx, new InMemoryTransport("d", context, wrapped.acceptor("alice")));
    alice.handshake();
    assertThat(alice.call("secret", "{}")).isEqualTo("42");
  }

  private static Future<JsonObject> noted(
      List<String> order,
      String name,
      RequestHandler inner,
      ServerRequest request,
      JsonObject input) {
    order.add(name);
    return inner.handle(request, input);
  }

  @Test
  void blocking_code_runs_on_a_worker() throws Exception {
    server.tool(
        "block",
        "",
        Sample.NO_ARGUMENTS,
        (request, arguments) ->
            HandlerWrappers.blocking(() -> ToolResult.text("" + Context.isOnEventLoopThread())));
    assertThat(initialized().call("block", "{}")).isEqualTo("false");
  }

  @Test
  void a_definition_is_listed_as_it_was_given() throws Exception {
    JsonObject definition =
        new JsonObject()
            .put("name", "full")
            .put("title", "Full")
            .put("inputSchema", Sample.ONE_TEXT)
            .put("annotations", new JsonObject().put("readOnlyHint", true))
            .put("_meta", new JsonObject().put("acme/rank", 1));
    server.tool(definition, (request, arguments) -> never());
    JsonArray tools = initialized().result("tools/list", "{}").getJsonArray("tools");
    assertThat(tools.getJsonObject(tools.size() - 1)).isEqualTo(definition);
  }
}
