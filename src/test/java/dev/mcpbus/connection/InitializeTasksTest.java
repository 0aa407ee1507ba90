package dev.mcpbus.connection;

import static dev.mcpbus.connection.TaskPeer.initializeCreated;
import static dev.mcpbus.connection.TaskPeer.initializeTask;
import static dev.mcpbus.connection.TaskPeer.named;
import static dev.mcpbus.connection.TaskPeer.result;
import static dev.mcpbus.connection.TaskPeer.with;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.Events;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.Headers;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.client.McpClient;
import dev.mcpbus.connection.options.ConnectionOptions;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.testing.ScriptedPeer;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.Future;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The experimental tasks of 2025-11-25. */
class InitializeTasksTest {

  private static final DeliveryOptions NONE = new DeliveryOptions();
  private static final String ALL =
      "{\"list\":{},\"cancel\":{},\"requests\":{\"tools\":{\"call\":{}}}}";
  private static final String WORKING = result(initializeTask("working", 50));
  private static final String DONE = result(TaskPeer.content("done"));

  @SuppressWarnings("NullAway.Init") // set before each test
  private TestBus bus;

  @BeforeEach
  void start() {
    bus = TestBus.start(new JsonObject());
  }

  @AfterEach
  void stop() {
    bus.close();
  }

  private TaskPeer peer(String capability) {
    return TaskPeer.initialize(bus, capability)
        .on(Methods.TOOLS_CALL, initializeCreated())
        .on(Methods.TASKS_GET, WORKING)
        .on(Methods.TASKS_RESULT, DONE)
        .on(Methods.TASKS_CANCEL, result(initializeTask("cancelled", 50)));
  }

  @Test
  void a_tool_that_must_be_a_task_becomes_one_and_the_caller_gets_its_result() {
    TaskPeer peer =
        peer(ALL).on(Methods.TASKS_GET, WORKING, result(initializeTask("completed", 50))).connect();
    assertThat(peer.call("needs")).isEqualTo(new JsonObject(TaskPeer.content("done")));
    JsonObject wish = peer.params(Methods.TOOLS_CALL).get(0).getJsonObject("task");
    assertThat(wish.getLong("ttl"))
        .isGreaterThan(ConnectionOptions.DEFAULT.maxCallDuration().toMillis());
    assertThat(peer.peer().methods())
        .containsSubsequence(Methods.TASKS_GET, Methods.TASKS_GET, Methods.TASKS_RESULT);
    assertThat(peer.params(Methods.TASKS_RESULT).get(0)).isEqualTo(named());
  }

  @Test
  void a_tool_that_may_be_a_task_is_called_plainly_unless_the_caller_wants_the_task() {
    TaskPeer peer = peer(ALL).on(Methods.TOOLS_CALL, DONE, initializeCreated()).connect();
    assertThat(peer.call("may").encode()).contains("done");
    assertThat(peer.params(Methods.TOOLS_CALL).get(0).containsKey("task")).isFalse();
    JsonObject task = TestBus.await(peer.call("may", with(Headers.TASK, "true")));
    assertThat(task.getJsonObject("task").getString("taskId")).isEqualTo("t-1");
    assertThat(peer.params(Methods.TOOLS_CALL).get(1).getJsonObject("task")).isEmpty();
    assertThat(peer.peer().received(Methods.TASKS_GET)).isEmpty();
  }

  @Test
  void the_callers_time_to_live_reaches_the_server() {
    TaskPeer peer = peer(ALL).connect();
    JsonObject params =
        TestBus.toolCall("may", new JsonObject()).put("task", new JsonObject().put("ttl", 77));
    JsonObject task = bus.request(TaskPeer.address(Addresses.TOOLS_CALL), params);
    assertThat(task.getJsonObject("task").getLong("ttl")).isEqualTo(60_000);
    assertThat(peer.params(Methods.TOOLS_CALL).get(0).getJsonObject("task").getLong("ttl"))
        .isEqualTo(77);
  }

  @ParameterizedTest
  @ValueSource(strings = {"never", "plain"})
  void a_tool_that_is_no_task_is_called_plainly_whatever_the_caller_wants(String tool) {
    TaskPeer peer = peer(ALL).on(Methods.TOOLS_CALL, DONE).connect();
    JsonObject params =
        TestBus.toolCall(tool, new JsonObject()).put("task", new JsonObject().put("ttl", 77));
    JsonObject done = bus.request(TaskPeer.address(Addresses.TOOLS_CALL), params);
    assertThat(done.encode()).contains("done");
    assertThat(peer.params(Methods.TOOLS_CALL).get(0).containsKey("task")).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "{\"list\":{},\"cancel\":{}}"})
  void a_server_without_the_capability_gets_no_request_for_a_task(String capability) {
    TaskPeer peer = peer(capability).on(Methods.TOOLS_CALL, DONE).connect();
    TestBus.await(peer.call("needs", with(Headers.TASK, "true")));
    assertThat(peer.call("needs").encode()).contains("done");
    assertThat(peer.params(Methods.TOOLS_CALL)).noneMatch(params -> params.containsKey("task"));
  }

  @Test
  void a_server_that_answers_at_once_all_the_same_is_understood() {
    TaskPeer peer = peer(ALL).on(Methods.TOOLS_CALL, DONE).connect();
    assertThat(peer.call("needs").encode()).contains("done");
    assertThat(peer.peer().received(Methods.TASKS_GET)).isEmpty();
  }

  @Test
  void the_error_of_a_failed_task_is_the_error_of_the_call() {
    TaskPeer peer =
        peer(ALL)
            .on(Methods.TASKS_GET, result(initializeTask("failed", 50)))
            .on(Methods.TASKS_RESULT, ScriptedPeer.error(-32050, "no"))
            .connect();
    McpFailure failure = peer.failedCall("needs", NONE);
    assertThat(failure.toJsonRpcError().getInteger("code")).isEqualTo(-32050);
  }

  @Test
  void the_questions_of_a_task_reach_the_handler_while_its_result_is_fetched() {
    TaskPeer peer =
        peer(ALL)
            .on(Methods.TASKS_GET, WORKING, result(initializeTask("input_required", 50)))
            .on(Methods.TASKS_RESULT, "silence");
    McpClient client = McpClient.create(bus.vertx());
    TestBus.await(
        client.setInputHandler(
            Methods.ELICITATION,
            (server, question) ->
                Future.succeededFuture(new JsonObject().put("action", "decline"))));
    peer.connect();
    Future<JsonObject> call = peer.call("needs", NONE);
    peer.await(Methods.TASKS_RESULT);
    peer.peer()
        .say(
            "{\"jsonrpc\":\"2.0\",\"id\":\"q\",\"method\":\"elicitation/create\",\"params\":{"
                + "\"message\":\"Who?\",\"requestedSchema\":{\"type\":\"object\","
                + "\"properties\":{}},\"_meta\":{\"io.modelcontextprotocol/related-task\":"
                + "{\"taskId\":\"t-1\"}}}}");
    Awaitility.await()
        .until(
            () ->
                peer.peer().messages().stream()
                    .anyMatch(
                        message ->
                            "q".equals(message.getValue("id"))
                                && message.encode().contains("decline")));
    long id = peer.peer().received(Methods.TASKS_RESULT).get(0).getLong("id");
    peer.peer().say("{\"jsonrpc\":\"2.0\",\"id\":" + id + "," + DONE + "}");
    assertThat(TestBus.await(call).encode()).contains("done");
    assertThat(peer.peer().received(Methods.TASKS_RESULT)).hasSize(1);
  }

  @Test
  void progress_of_the_task_reaches_the_caller_of_the_tool() {
    TaskPeer peer = peer(ALL).connect();
    List<JsonObject> progress = new CopyOnWriteArrayList<>();
    bus.vertx().eventBus().<JsonObject>consumer("test.progress", m -> progress.add(m.body()));
    Future<JsonObject> call = peer.call("needs", with(Headers.PROGRESS, "test.progress"));
    peer.await(Methods.TASKS_GET);
    JsonObject meta = peer.params(Methods.TOOLS_CALL).get(0).getJsonObject("_meta");
    peer.peer()
        .notify(
            Methods.PROGRESS,
            new JsonObject()
                .put("progressToken", meta.getValue("progressToken"))
                .put("progress", 1));
    Awaitility.await().until(() -> progress.size() == 1);
    peer.on(Methods.TASKS_GET, result(initializeTask("completed", 50)));
    assertThat(TestBus.await(call).encode()).contains("done");
  }

  @Test
  void a_call_that_times_out_cancels_its_task_where_the_server_can() {
    TaskPeer peer = peer(ALL).connect();
    McpFailure failure = peer.failedCall("needs", with(Headers.DEADLINE, "250"));
    assertThat(failure.code()).isEqualTo(FailureCode.CALL_TIMEOUT);
    peer.await(Methods.TASKS_CANCEL);
    assertThat(peer.peer().received(Methods.CANCELLED)).isEmpty();
  }

  @Test
  void a_server_that_cannot_cancel_gets_no_tasks_cancel() {
    TaskPeer peer = peer("{\"requests\":{\"tools\":{\"call\":{}}}}").connect();
    assertThat(peer.failedCall("needs", with(Headers.DEADLINE, "250")).code())
        .isEqualTo(FailureCode.CALL_TIMEOUT);
    McpFailure cancel = peer.refused(Addresses.TASKS_CANCEL, named());
    assertThat(cancel.code()).isEqualTo(FailureCode.METHOD_NOT_FOUND);
    assertThat(cancel).hasMessageContaining("tasks.cancel");
    assertThat(peer.refused(Addresses.TASKS_LIST, new JsonObject()).code())
        .isEqualTo(FailureCode.METHOD_NOT_FOUND);
    assertThat(peer.peer().received(Methods.TASKS_CANCEL)).isEmpty();
  }

  @Test
  void a_fetch_without_a_waiting_call_is_cancelled() {
    TaskPeer peer =
        peer(ALL)
            .on(Methods.TASKS_GET, result(initializeTask("input_required", 50)))
            .on(Methods.TASKS_RESULT, "silence")
            .connect();
    McpFailure failure =
        bus.failure(
            TaskPeer.address(Addresses.TASKS_RESULT), named(), with(Headers.DEADLINE, "1000"));
    assertThat(failure.code()).isEqualTo(FailureCode.CALL_TIMEOUT);
    long fetch = peer.peer().received(Methods.TASKS_RESULT).get(0).getLong("id");
    // A poll that was on its way is cancelled, too.
    Awaitility.await()
        .until(
            () ->
                peer.params(Methods.CANCELLED).stream()
                    .anyMatch(cancelled -> cancelled.getLong("requestId") == fetch));
    assertThat(peer.peer().received(Methods.TASKS_CANCEL)).isEmpty();
  }

  @Test
  void lists_follow_all_pages_and_the_other_addresses_pass_through() {
    TaskPeer peer =
        peer(ALL)
            .on(
                Methods.TASKS_LIST,
                result("{\"tasks\":[{\"taskId\":\"a\"}],\"nextCursor\":\"2\"}"),
                result("{\"tasks\":[{\"taskId\":\"b\"}]}"))
            .connect();
    JsonObject list = bus.request(TaskPeer.address(Addresses.TASKS_LIST), new JsonObject());
    assertThat(list.getJsonArray("tasks")).hasSize(2);
    assertThat(peer.ask(Addresses.TASKS_GET))
        .isEqualTo(new JsonObject(initializeTask("working", 50)));
    assertThat(peer.ask(Addresses.TASKS_CANCEL).getString("status")).isEqualTo("cancelled");
    McpFailure update = peer.refused(Addresses.TASKS_UPDATE, named());
    assertThat(update.code()).isEqualTo(FailureCode.METHOD_NOT_FOUND);
    assertThat(update).hasMessageContaining("2026-07-28");
  }

  @Test
  void a_status_notification_is_an_event() {
    TaskPeer peer = peer(ALL).connect();
    peer.peer().notify(Methods.TASKS_STATUS, new JsonObject(initializeTask("working", 50)));
    Awaitility.await().until(() -> !bus.events(Events.TASK).isEmpty());
    assertThat(bus.events(Events.TASK).get(0).getJsonObject("params"))
        .isEqualTo(new JsonObject(initializeTask("working", 50)));
  }

  @Test
  void a_task_outlives_the_session_also_while_its_result_is_fetched() {
    TaskPeer peer =
        peer(ALL)
            .on(Methods.TASKS_GET, result(initializeTask("completed", 50)))
            .on(Methods.TASKS_RESULT, "silence")
            .connect();
    Future<JsonObject> call = peer.call("needs", NONE);
    peer.await(Methods.TASKS_RESULT);
    peer.on(Methods.TASKS_RESULT, DONE);
    peer.peer().hangUp();
    Awaitility.await().atMost(Duration.ofSeconds(60)).until(call::isComplete);
    assertThat(TestBus.await(call).encode()).contains("done");
    assertThat(peer.peer().received(Methods.TOOLS_CALL)).hasSize(1);
  }

  @Test
  void a_server_that_comes_back_without_tasks_leaves_the_outcome_unknown() {
    TaskPeer peer = peer(ALL).connect();
    Future<JsonObject> call = peer.call("needs", NONE);
    peer.await(Methods.TASKS_GET);
    peer.on(Methods.INITIALIZE, ScriptedPeer.INITIALIZED); // no tasks any more
    peer.peer().hangUp();
    Awaitility.await().atMost(Duration.ofSeconds(60)).until(call::isComplete);
    assertThat(McpFailure.of(call.cause()).code()).isEqualTo(FailureCode.OUTCOME_UNKNOWN);
  }
}
