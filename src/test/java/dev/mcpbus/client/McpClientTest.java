package dev.mcpbus.client;

import static dev.mcpbus.bus.BusTests.await;
import static dev.mcpbus.bus.BusTests.failure;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.ConnectionState;
import dev.mcpbus.bus.Events;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.FakeConnection;
import dev.mcpbus.bus.Headers;
import dev.mcpbus.bus.McpFailure;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.Message;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.junit5.VertxExtension;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@ExtendWith(VertxExtension.class)
class McpClientTest {

  private static final String RESULT =
      "{\"content\":[{\"type\":\"text\",\"text\":\"clean\"}],\"isError\":false,"
          + "\"structuredContent\":{\"n\":1.50e3},\"x-unknown\":[1]}";

  private Vertx vertx;
  private FakeConnection git;
  private McpClient client;

  @BeforeEach
  void prepare(Vertx vertx) {
    this.vertx = vertx;
    git = new FakeConnection(vertx, "git");
    client = McpClient.create(vertx);
  }

  private McpServerClient git() {
    return client.server("git");
  }

  private void serve(String address, JsonObject reply) {
    vertx.eventBus().consumer(address, message -> message.reply(reply));
  }

  @Test
  void a_tool_call_has_three_forms() {
    List<Object> bodies = new CopyOnWriteArrayList<>();
    git.on(
        Addresses.TOOLS_CALL,
        message -> {
          bodies.add(message.body());
          FakeConnection.replyInKind(message, RESULT);
        });
    JsonObject params = new JsonObject("{\"name\":\"status\",\"arguments\":{\"path\":\".\"}}");

    ToolCallResult typed = await(git().callTool("status", Map.of("path", ".")));
    JsonObject json = await(git().send(Addresses.TOOLS_CALL, params, CallOptions.DEFAULT));
    Buffer raw = await(git().send(Addresses.TOOLS_CALL, params.toBuffer(), CallOptions.DEFAULT));

    assertThat(typed.text()).isEqualTo("clean");
    assertThat(typed.toBuffer()).hasToString(RESULT);
    assertThat(typed.json()).isEqualTo(json);
    assertThat(json.getJsonArray("x-unknown")).isEqualTo(new JsonArray().add(1));
    assertThat(raw).hasToString(RESULT);
    assertThat(bodies).containsExactly(params.toBuffer(), params, params.toBuffer());
  }

  @Test
  void a_result_that_does_not_fit_its_record_is_a_protocol_error_without_its_text() {
    git.answering(Addresses.TOOLS_LIST, "{\"tools\":\"s3cret\"}");

    McpFailure failure = failure(git().listTools());

    assertThat(failure.code()).isEqualTo(FailureCode.PROTOCOL_ERROR);
    assertThat(failure.getMessage()).contains("ListResult").doesNotContain("s3cret");
  }

  @Test
  void diagnostics_ask_the_connection_and_end_a_call_by_its_number() {
    List<Object> bodies = new CopyOnWriteArrayList<>();
    for (String suffix :
        List.of("history", "logs", "calls", "calls.cancel", "activity", "rpclog")) {
      git.on(
          suffix,
          message -> {
            bodies.add(message.address() + message.body());
            FakeConnection.replyInKind(message, "{\"cancelled\":true}");
          });
    }
    ServerDiagnostics diagnostics = ServerDiagnostics.of(git());

    await(diagnostics.history());
    await(diagnostics.logs());
    await(diagnostics.logs(7, 20));
    await(diagnostics.calls());
    await(diagnostics.activity());
    await(diagnostics.rpcLog("bus", 60));
    await(diagnostics.rpcLog(null, 60));
    assertThat(await(diagnostics.cancel(3))).isTrue();

    assertThat(bodies)
        .containsExactly(
            "mcp.git.history{}",
            "mcp.git.logs{}",
            "mcp.git.logs{\"after\":7,\"limit\":20}",
            "mcp.git.calls{}",
            "mcp.git.activity{}",
            "mcp.git.rpclog{\"mode\":\"bus\",\"seconds\":60}",
            "mcp.git.rpclog{\"mode\":null,\"seconds\":60}",
            "mcp.git.calls.cancel{\"call\":3}");
  }

  @Test
  void drift_is_looked_at_and_approved_by_the_hash_that_was_seen() {
    List<JsonObject> approvals = new CopyOnWriteArrayList<>();
    git.answering(Addresses.TOOLS_DRIFT, "{\"hash\":\"sha256-a\"}")
        .on(
            Addresses.TOOLS_APPROVE,
            message -> {
              approvals.add((JsonObject) message.body());
              FakeConnection.replyInKind(message, "{\"remembered\":true}");
            })
        .answering(
            Addresses.STATUS, "{\"id\":\"git\",\"state\":\"READY\",\"quarantined\":[\"rm\"]}");

    assertThat(await(git().toolDrift()).getString("hash")).isEqualTo("sha256-a");
    await(git().approveTool("rm", "sha256-b"));
    await(git().approveTools("sha256-a"));
    assertThat(approvals)
        .containsExactly(
            new JsonObject().put("tool", "rm").put("hash", "sha256-b"),
            new JsonObject().put("hash", "sha256-a"));
    assertThat(await(git().status()).quarantined()).containsExactly("rm");
  }

  @Test
  void lists_resources_prompts_and_completions_are_records() {
    git.answering(
            Addresses.TOOLS_LIST,
            "{\"tools\":[{\"name\":\"status\",\"inputSchema\":{\"type\":\"object\"}}]}")
        .answering(
            Addresses.RESOURCES_LIST, "{\"resources\":[{\"uri\":\"file:///a\",\"name\":\"a\"}]}")
        .answering(
            Addresses.RESOURCES_TEMPLATES,
            "{\"resourceTemplates\":[{\"uriTemplate\":\"file:///{x}\",\"name\":\"x\"}]}")
        .answering(
            Addresses.RESOURCES_READ, "{\"contents\":[{\"uri\":\"file:///a\",\"text\":\"A\"}]}")
        .answering(Addresses.PROMPTS_LIST, "{\"prompts\":[{\"name\":\"review\"}]}")
        .answering(
            Addresses.PROMPTS_GET,
            "{\"messages\":[{\"role\":\"user\",\"content\":{\"type\":\"text\",\"text\":\"hi\"}}]}")
        .answering(Addresses.COMPLETION, "{\"completion\":{\"values\":[\"main\"]}}")
        .answering(Addresses.TOOLS_METADATA, "{\"status\":{\"ui\":1}}");

    assertThat(await(git().listTools()).items().get(0).name()).isEqualTo("status");
    assertThat(await(git().listResources()).items().get(0).uri()).isEqualTo("file:///a");
    assertThat(await(git().listResourceTemplates()).items()).hasSize(1);
    assertThat(await(git().readResource("file:///a")).items()).hasSize(1);
    assertThat(await(git().listPrompts()).items().get(0).name()).isEqualTo("review");
    assertThat(await(git().getPrompt("review", Map.of("a", "b"))).messages()).hasSize(1);
    assertThat(await(git().completePrompt("review", "branch", "ma")).values())
        .containsExactly("main");
    assertThat(await(client.toolsMetadata(List.of("git"))).get("git"))
        .isEqualTo(new JsonObject("{\"status\":{\"ui\":1}}"));
  }

  @Test
  void parameters_reach_the_address_of_their_method() {
    List<String> seen = new CopyOnWriteArrayList<>();
    for (String suffix :
        List.of(
            Addresses.RESOURCES_SUBSCRIBE,
            Addresses.RESOURCES_UNSUBSCRIBE,
            Addresses.LOGLEVEL,
            Addresses.REQUEST,
            Addresses.NOTIFY,
            Addresses.COMPLETION,
            Addresses.RESOURCES_LIST)) {
      git.on(
          suffix,
          message -> {
            seen.add(suffix + " " + message.body());
            FakeConnection.replyInKind(
                message, "{\"resources\":[],\"completion\":{\"values\":[]}}");
          });
    }

    await(git().subscribeResource("file:///a"));
    await(git().unsubscribeResource("file:///a"));
    await(git().setLogLevel("warning"));
    await(git().request("x/y", new JsonObject().put("z", 1), CallOptions.DEFAULT));
    await(git().notify("x/told", new JsonObject().put("z", 2)));
    await(git().completePrompt("review", "branch", "ma"));
    await(git().completeResource("file:///{x}", "x", "a"));
    await(git().listResources("page 2", CallOptions.DEFAULT));

    assertThat(seen)
        .containsExactly(
            "resources.subscribe {\"uri\":\"file:///a\"}",
            "resources.unsubscribe {\"uri\":\"file:///a\"}",
            "loglevel {\"level\":\"warning\"}",
            "request {\"method\":\"x/y\",\"params\":{\"z\":1}}",
            "notify {\"method\":\"x/told\",\"params\":{\"z\":2}}",
            "completion {\"ref\":{\"type\":\"ref/prompt\",\"name\":\"review\"},"
                + "\"argument\":{\"name\":\"branch\",\"value\":\"ma\"}}",
            "completion {\"ref\":{\"uri\":\"file:///{x}\",\"type\":\"ref/resource\"},"
                + "\"argument\":{\"name\":\"x\",\"value\":\"a\"}}",
            "resources.list {\"cursor\":\"page 2\"}");
  }

  @Test
  void servers_are_added_listed_shown_disconnected_and_removed() {
    JsonObject status =
        new JsonObject("{\"id\":\"git\",\"state\":\"READY\",\"sessionId\":\"s1\",\"tools\":2}");
    git.answering(Addresses.STATUS, status.encode())
        .answering(Addresses.CONNECT, "{\"state\":\"READY\"}")
        .answering(Addresses.DISCONNECT, "{\"state\":\"IDLE\"}")
        .answering(Addresses.RESTART, "{\"state\":\"DEGRADED\"}");
    serve(Addresses.SERVERS_ADD, status);
    serve(Addresses.SERVERS_LIST, new JsonObject().put("servers", new JsonArray().add(status)));
    serve(Addresses.SERVERS_GET, status.copy().put("config", new JsonObject().put("token", "***")));
    serve(Addresses.SERVERS_REMOVE, new JsonObject());

    McpServerClient added = await(client.connectToServer("git", new JsonObject()));

    assertThat(added.id().value()).isEqualTo("git");
    assertThat(await(added.restart())).isEqualTo(ConnectionState.DEGRADED);
    assertThat(await(client.listServers())).containsExactly("git");
    assertThat(await(client.hasServer("git"))).isTrue();
    assertThat(await(client.hasServer("../git"))).isFalse();
    ServerSummary summary = await(client.serverSummaries()).get(0);
    assertThat(summary.status().status()).isEqualTo("connected");
    assertThat(summary.status().tools()).isEqualTo(2);
    assertThat(summary.config().getString("token")).isEqualTo("***");
    assertThat(await(added.config()).orElseThrow().getString("token")).isEqualTo("***");
    assertThat(await(added.sessionId())).contains("s1");
    await(client.disconnectAllServers());
    await(client.disconnectServer("git"));
    await(client.removeServer("git"));
  }

  @Test
  void a_status_shows_what_the_server_said_of_itself() {
    git.answering(
        Addresses.STATUS,
        "{\"id\":\"git\",\"state\":\"READY\",\"era\":\"DISCOVER\",\"protocolVersion\":\"2026-07-28\","
            + "\"server\":{\"name\":\"g\"},\"capabilities\":{\"tools\":{}},\"instructions\":\"be"
            + " kind\",\"epoch\":3,\"restarts\":2}");

    ServerStatus status = await(git().status());

    assertThat(status.era()).isEqualTo("DISCOVER");
    assertThat(status.protocolVersion()).isEqualTo("2026-07-28");
    assertThat(status.server().getString("name")).isEqualTo("g");
    assertThat(status.capabilities().fieldNames()).containsExactly("tools");
    assertThat(status.instructions()).isEqualTo("be kind");
    assertThat(status.epoch()).isEqualTo(3);
    assertThat(status.restarts()).isEqualTo(2);
  }

  @Test
  void resources_and_prompts_of_all_servers_are_records() {
    Buffer resources = Buffer.buffer("{\"resources\":[{\"uri\":\"file:///a\",\"name\":\"a\"}]}");
    Buffer prompts = Buffer.buffer("{\"prompts\":[{\"name\":\"git.review\"}]}");
    vertx.eventBus().consumer(Addresses.ALL_RESOURCES_LIST, list -> list.reply(resources));
    vertx.eventBus().consumer(Addresses.ALL_PROMPTS_LIST, list -> list.reply(prompts));

    assertThat(await(client.listResources()).items().get(0).uri()).isEqualTo("file:///a");
    assertThat(await(client.listPrompts("git")).items().get(0).name()).isEqualTo("git.review");
  }

  @Test
  void events_of_one_type_come_to_their_handler_alone() {
    List<String> seen = new CopyOnWriteArrayList<>();
    await(client.onEvent(Events.LOG, event -> seen.add("all " + event.getString("id"))).ready());
    await(git().onEvent(Events.LOG, event -> seen.add("git")).ready());

    git.event(Events.TOOLS_CHANGED, new JsonObject());
    git.event(Events.LOG, new JsonObject());

    await().until(() -> seen.size() == 2);
    assertThat(seen).containsExactlyInAnyOrder("all git", "git");
  }

  @Test
  void a_server_that_cannot_be_connected_gives_the_cause() {
    serve(Addresses.SERVERS_ADD, new JsonObject("{\"id\":\"git\",\"state\":\"CONNECTING\"}"));
    git.on(
        Addresses.CONNECT,
        message ->
            McpFailure.notSent(FailureCode.START_FAILED, "no such file: " + message.body())
                .replyTo(message));

    McpFailure failure = failure(client.connectToServer("git", new JsonObject()));

    assertThat(failure.code()).isEqualTo(FailureCode.START_FAILED);
    assertThat(failure).hasMessageContaining("no such file: {\"wait\":true}");
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void a_client_that_closes_while_it_connects_once_leaves_no_server(boolean whileAdding) {
    JsonObject status = new JsonObject("{\"id\":\"git\",\"state\":\"CONNECTING\"}");
    List<Message<Object>> adding = new CopyOnWriteArrayList<>();
    List<Message<Object>> connecting = new CopyOnWriteArrayList<>();
    List<Object> removed = new CopyOnWriteArrayList<>();
    vertx
        .eventBus()
        .<Object>consumer(
            Addresses.SERVERS_ADD,
            message -> {
              adding.add(message);
              if (!whileAdding) {
                message.reply(status);
              }
            });
    vertx
        .eventBus()
        .<JsonObject>consumer(
            Addresses.SERVERS_REMOVE,
            message -> {
              removed.add(message.body().getString("id"));
              message.reply(new JsonObject());
            });
    git.on(Addresses.CONNECT, connecting::add);
    Future<?> once = client.connectOnce("git", new JsonObject(), CallOptions.DEFAULT);
    await().until(() -> (whileAdding ? adding : connecting).size() == 1);

    client.close();
    if (whileAdding) {
      adding.get(0).reply(status);
    }

    assertThat(failure(once).code()).isEqualTo(FailureCode.CANCELLED);
    assertThat(removed).containsExactly("git");
  }

  @Test
  void status_by_ping_is_the_state_after_the_ping() {
    assertThat(await(client.server("none").statusByPing(CallOptions.DEFAULT)))
        .isEqualTo("disconnected");
    JsonObject status = new JsonObject("{\"id\":\"git\",\"state\":\"READY\"}");
    git.on(Addresses.STATUS, message -> message.reply(status));
    git.on(
        Addresses.PING,
        message ->
            message.reply(
                status.getBoolean("silent", false)
                    ? McpFailure.maybeSent(FailureCode.CALL_TIMEOUT, "silent")
                    : new JsonObject()));

    assertThat(await(git().statusByPing(CallOptions.DEFAULT))).isEqualTo("connected");
    status.put("silent", true);
    assertThat(await(git().statusByPing(CallOptions.DEFAULT))).isEqualTo("disconnected");
    status.put("state", "RECONNECTING");
    assertThat(await(git().statusByPing(CallOptions.DEFAULT))).isEqualTo("reconnecting");
  }

  @Test
  void notifications_come_to_their_handlers_until_they_are_removed() {
    List<String> seen = new CopyOnWriteArrayList<>();
    Registration tools = git().onToolListChanged(params -> seen.add("tools"));
    List<Registration> registrations =
        List.of(
            tools,
            git().onResourceListChanged(params -> seen.add("resources")),
            git().onPromptListChanged(params -> seen.add("prompts")),
            git().onResourceUpdated(params -> seen.add(params.getString("uri"))),
            git().onLog(params -> seen.add(params.getString("data"))),
            git().onNotification("x/other", params -> seen.add("other " + params)));
    List<String> types = new CopyOnWriteArrayList<>();
    registrations.forEach(registration -> await(registration.ready()));
    await(client.onEvent(event -> types.add(event.getString("type"))).ready());
    await(client.server("hub").onEvent(event -> types.add("of another server")).ready());

    git.event(Events.TOOLS_CHANGED, new JsonObject());
    git.event(Events.RESOURCES_CHANGED, new JsonObject());
    git.event(Events.PROMPTS_CHANGED, new JsonObject());
    git.event(Events.RESOURCE_UPDATED, new JsonObject("{\"params\":{\"uri\":\"file:///a\"}}"));
    git.event(Events.LOG, new JsonObject("{\"params\":{\"data\":\"hello\"}}"));
    git.event(Events.NOTIFICATION, new JsonObject("{\"method\":\"x/unheard\"}"));
    git.event(Events.NOTIFICATION, new JsonObject("{\"method\":\"x/other\",\"params\":{\"a\":1}}"));

    await().until(() -> seen.size() == 6 && types.size() == 7);
    assertThat(seen)
        .containsExactlyInAnyOrder(
            "tools", "resources", "prompts", "file:///a", "hello", "other {\"a\":1}");
    await(tools.remove());
    git.event(Events.TOOLS_CHANGED, new JsonObject());
    await().until(() -> types.size() == 8);
    assertThat(seen).hasSize(6);
  }

  private Future<JsonObject> ask(String address, String method, JsonObject params) {
    return vertx
        .eventBus()
        .<JsonObject>request(
            address, new JsonObject().put("id", "git").put("method", method).put("params", params))
        .map(Message::body)
        .recover(failure -> Future.failedFuture(McpFailure.of(failure)));
  }

  @Test
  void elicitation_asks_the_handler_of_the_server_and_goes_with_it() {
    String address = "mcp.git.input";
    JsonObject params =
        new JsonObject("{\"message\":\"Sure?\",\"requestedSchema\":{\"type\":\"object\"}}");
    await(
        git()
            .setElicitationHandler(
                (server, request) ->
                    Future.succeededFuture(
                        ElicitationAnswer.accept(
                            new JsonObject().put("asked", server + " " + request.message())))));

    JsonObject answer = await(ask(address, "elicitation/create", params));

    assertThat(answer)
        .isEqualTo(new JsonObject("{\"action\":\"accept\",\"content\":{\"asked\":\"git Sure?\"}}"));
    assertThat(failure(ask(address, "sampling/createMessage", params)).code())
        .isEqualTo(FailureCode.METHOD_NOT_FOUND);
    await(git().clearElicitationHandler());
    assertThat(failure(ask(address, "elicitation/create", params)).code())
        .isEqualTo(FailureCode.UNKNOWN_CONNECTION);
  }

  @Test
  void a_question_without_a_handler_of_its_server_goes_to_the_global_handler() {
    await(git().setElicitationHandler((server, request) -> Future.failedFuture("not me")));
    await(
        client.setInputHandler(
            "roots/list",
            (server, params) ->
                Future.succeededFuture(new JsonObject().put("roots", new JsonArray()))));

    assertThat(await(ask("mcp.git.input", "roots/list", new JsonObject())).fieldNames())
        .containsExactly("roots");
    assertThat(failure(ask("mcp.input", "sampling/createMessage", new JsonObject())).code())
        .isEqualTo(FailureCode.METHOD_NOT_FOUND);
  }

  @Test
  void a_global_handler_answers_until_it_is_cleared() {
    JsonObject question =
        new JsonObject("{\"message\":\"Sure?\",\"requestedSchema\":{\"type\":\"object\"}}");
    await(
        client.setElicitationHandler(
            (server, request) -> Future.succeededFuture(ElicitationAnswer.decline())));
    await(git().setInputHandler("roots/list", (server, params) -> Future.failedFuture("no")));

    assertThat(await(ask("mcp.input", "elicitation/create", question)).getString("action"))
        .isEqualTo("decline");
    await(client.clearElicitationHandler());
    await(client.clearInputHandler("roots/list"));
    await(git().clearInputHandler("roots/list"));
    assertThat(failure(ask("mcp.input", "elicitation/create", question)).code())
        .isEqualTo(FailureCode.UNKNOWN_CONNECTION);
    assertThat(failure(ask("mcp.git.input", "roots/list", new JsonObject())).code())
        .isEqualTo(FailureCode.UNKNOWN_CONNECTION);
  }

  @Test
  void undeploying_the_verticle_that_calls_cancels_at_the_server_and_frees_its_handlers() {
    List<Message<Object>> kept = new CopyOnWriteArrayList<>();
    git.on(Addresses.TOOLS_CALL, kept::add);
    List<Throwable> endings = new CopyOnWriteArrayList<>();
    McpClient[] mine = new McpClient[1];
    String deployment =
        await(
            vertx.deployVerticle(
                new VerticleBase() {
                  @Override
                  public Future<?> start() {
                    mine[0] = McpClient.create(vertx);
                    mine[0].server("git").callTool("slow", Map.of()).onFailure(endings::add);
                    return mine[0].setInputHandler(
                        "roots/list", (server, params) -> Future.failedFuture("never"));
                  }
                }));
    await().until(() -> kept.size() == 1);

    await(vertx.undeploy(deployment));

    await().until(() -> git.cancelled().size() == 1);
    assertThat(git.cancelled()).containsExactly(kept.get(0).headers().get(Headers.CALL_ID));
    await().until(() -> endings.size() == 1);
    assertThat(((McpFailure) endings.get(0)).code()).isEqualTo(FailureCode.CANCELLED);
    await().until(() -> ((BusClient) mine[0]).outstanding() == 0);
    assertThat(failure(ask("mcp.input", "roots/list", new JsonObject())).code())
        .isEqualTo(FailureCode.UNKNOWN_CONNECTION);
  }

  @Test
  void a_cancelled_call_of_an_aggregated_name_reaches_its_connection() {
    List<Message<Object>> kept = new CopyOnWriteArrayList<>();
    vertx.eventBus().<Object>consumer(Addresses.ALL_TOOLS_CALL, kept::add);
    CancellationToken token = new CancellationToken();
    Future<?> call = client.callTool("git.status", Map.of(), CallOptions.DEFAULT.withCancel(token));
    await().until(() -> kept.size() == 1);

    token.cancel();

    assertThat(failure(call).code()).isEqualTo(FailureCode.CANCELLED);
    await().until(() -> git.cancelled().size() == 1);
  }

  @Test
  void arguments_that_are_no_json_are_refused_before_they_are_sent() {
    git.answering(Addresses.TOOLS_CALL, RESULT);
    JsonObject params = new JsonObject().put("x", new Object());

    McpFailure typed = failure(git().callTool("t", params.getMap()));
    McpFailure json = failure(git().send(Addresses.TOOLS_CALL, params, CallOptions.DEFAULT));

    assertThat(typed.code()).isEqualTo(FailureCode.BAD_REQUEST);
    assertThat(json.code()).isEqualTo(FailureCode.BAD_REQUEST);
    assertThat(json.sent()).isEqualTo(McpFailure.Sent.NO);
    await().until(() -> ((BusClient) client).outstanding() == 0);
  }

  @Test
  void of_a_server_that_does_not_exist_there_is_nothing_and_no_failure() {
    McpServerClient none = client.server("none");
    vertx
        .eventBus()
        .consumer(
            Addresses.SERVERS_GET,
            message ->
                McpFailure.notSent(FailureCode.UNKNOWN_CONNECTION, "no such server")
                    .replyTo(message));

    assertThat(await(none.sessionId())).isEmpty();
    assertThat(await(none.config())).isEmpty();
    assertThat(await(none.toolsMetadata())).isEmpty();
    assertThat(await(client.toolsMetadata(List.of("none")))).containsOnlyKeys("none");
    assertThat(await(none.statusByPing(CallOptions.DEFAULT))).isEqualTo("disconnected");
    assertThat(failure(none.listTools()).code()).isEqualTo(FailureCode.UNKNOWN_CONNECTION);
    assertThat(failure(none.summary()).code()).isEqualTo(FailureCode.UNKNOWN_CONNECTION);
  }

  @Test
  void a_name_that_no_server_can_have_is_one_failure_everywhere() {
    List<Future<?>> all =
        List.of(
            client.removeServer(" "),
            client.disconnectServer(" "),
            client.toolsMetadata(List.of(" ")),
            client.listTools(" "),
            client.listResources(" "),
            client.functions("openai", " "),
            client.awaitReady(Duration.ofSeconds(1), " "));

    for (Future<?> one : all) {
      assertThat(failure(one).code()).isEqualTo(FailureCode.BAD_REQUEST);
      assertThat(failure(one))
          .hasMessage(
              "a server needs a name of more than blanks, hyphens and underscores, not ' '");
    }
    assertThatThrownBy(() -> client.server(" "))
        .isInstanceOf(McpFailure.class)
        .hasMessage(failure(all.get(0)).getMessage());
  }

  @Test
  void a_name_of_other_signs_is_one_that_a_server_may_have() {
    assertThat(client.server("!!").id().value()).startsWith("server--");
    assertThat(failure(client.server("!!").ping(CallOptions.DEFAULT)).code())
        .isEqualTo(FailureCode.UNKNOWN_CONNECTION);
  }

  @Test
  void an_event_a_notification_or_a_question_that_cannot_come_is_refused_with_a_near_word() {
    for (ThrowingCallable call :
        List.<ThrowingCallable>of(
            () -> client.onEvent("connectd", event -> {}),
            () -> git().onEvent("connectd", event -> {}))) {
      assertThatThrownBy(call)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("no event has the type 'connectd'; did you mean 'connected'?");
    }
    assertThatThrownBy(() -> git().onNotification("", params -> {}))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("empty");
    InputHandler handler = (server, params) -> Future.succeededFuture(new JsonObject());
    for (Future<Void> set :
        List.of(
            client.setInputHandler("foo/bar", handler),
            git().setInputHandler("foo/bar", handler))) {
      assertThat(failure(set).code()).isEqualTo(FailureCode.BAD_REQUEST);
      assertThat(failure(set)).hasMessage("no server asks 'foo/bar'");
    }
    assertThat(failure(client.setInputHandler("root/list", handler)))
        .hasMessage("no server asks 'root/list'; did you mean 'roots/list'?");
  }

  @Test
  void null_is_no_arguments_in_every_method_that_takes_some() {
    List<String> bodies = new CopyOnWriteArrayList<>();
    for (String suffix :
        List.of(
            Addresses.TOOLS_CALL,
            Addresses.PROMPTS_GET,
            Addresses.COMPLETION,
            Addresses.REQUEST,
            Addresses.NOTIFY)) {
      git.on(
          suffix,
          message -> {
            bodies.add(message.body().toString());
            FakeConnection.replyInKind(
                message, suffix.equals(Addresses.TOOLS_CALL) ? RESULT : "{\"messages\":[]}");
          });
    }
    serve(Addresses.ALL_TOOLS_CALL, new JsonObject(RESULT));
    Map<String, Object> noMap = null;
    Map<String, String> noTexts = null;
    JsonObject noJson = null;

    await(git().callTool("t", noMap));
    await(git().callTool("t", noJson));
    await(git().callToolAsTask("t", noMap, null, CallOptions.DEFAULT));
    await(git().getPrompt("t", noTexts));
    await(git().request("x/y", noJson, CallOptions.DEFAULT));
    await(git().notify("x/y", noJson));
    await(git().send(Addresses.COMPLETION, noJson, CallOptions.DEFAULT));
    await(client.callTool("git.t", noJson, CallOptions.DEFAULT));

    String named = "{\"name\":\"t\",\"arguments\":{}}";
    String message = "{\"method\":\"x/y\",\"params\":{}}";
    assertThat(bodies)
        .containsExactly(
            named,
            named,
            "{\"name\":\"t\",\"arguments\":{},\"task\":{}}",
            named,
            message,
            message,
            "{}");
  }

  @Test
  void options_of_a_call_show_what_is_set_and_no_values_of_others() {
    assertThat(CallOptions.DEFAULT).hasToString("call options {}");
    assertThat(
            CallOptions.timeout(Duration.ofSeconds(2))
                .withValidate(false)
                .withTraceparent("00-secret")
                .withProgress(progress -> {}))
        .hasToString("call options {timeout=PT2S, validate=false, progress=set, traceparent=set}");
  }

  @Test
  void a_server_is_meant_by_its_name_everywhere() {
    List<String> seen = new CopyOnWriteArrayList<>();
    FakeConnection named = new FakeConnection(vertx, "my-git");
    named.answering(Addresses.DISCONNECT, "{\"state\":\"IDLE\"}");
    JsonObject one = new JsonObject().put("id", "my-git").put("state", "READY");
    serve(Addresses.SERVERS_LIST, new JsonObject().put("servers", new JsonArray().add(one)));
    for (String address :
        List.of(
            Addresses.SERVERS_REMOVE, Addresses.ALL_TOOLS_LIST, Addresses.ALL_TOOLS_FUNCTIONS)) {
      vertx
          .eventBus()
          .consumer(
              address,
              message -> {
                seen.add(message.body().toString());
                FakeConnection.replyInKind(message, "{}");
              });
    }

    assertThat(client.server("My Git").id()).hasToString("my-git");
    assertThat(await(client.disconnectServer("My Git"))).isEqualTo(ConnectionState.IDLE);
    assertThat(await(client.hasServer("My Git"))).isTrue();
    assertThat(await(client.hasServer(" "))).isFalse();
    await(client.awaitReady(Duration.ofSeconds(5), "My Git"));
    await(client.listTools("My Git"));
    await(client.functions("openai", "My Git"));
    await(client.removeServer("My Git"));

    assertThat(seen)
        .containsExactly(
            "{\"servers\":[\"my-git\"]}",
            "{\"servers\":[\"my-git\"],\"form\":\"openai\"}",
            "{\"id\":\"my-git\"}");
  }

  @Test
  void close_is_idempotent_and_final() {
    await(client.close());
    await(client.close());

    assertThat(failure(git().status()).code()).isEqualTo(FailureCode.CANCELLED);
  }
}
