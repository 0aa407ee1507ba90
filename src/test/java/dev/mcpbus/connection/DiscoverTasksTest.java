package dev.mcpbus.connection;

import static dev.mcpbus.connection.TaskPeer.completed;
import static dev.mcpbus.connection.TaskPeer.created;
import static dev.mcpbus.connection.TaskPeer.named;
import static dev.mcpbus.connection.TaskPeer.result;
import static dev.mcpbus.connection.TaskPeer.state;
import static dev.mcpbus.connection.TaskPeer.with;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.Events;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.Headers;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.connection.options.ConnectionOptions;
import dev.mcpbus.internals.RecordCopy;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.TasksExtension;
import dev.mcpbus.testing.ScriptedPeer;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The extension io.modelcontextprotocol/tasks: what the caller sees, what the server gets. */
class DiscoverTasksTest {

  private static final DeliveryOptions NONE = new DeliveryOptions();
  private static final String WORKING = state("working", "");

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

  private TaskPeer peer() {
    return TaskPeer.discover(bus)
        .on(Methods.TOOLS_CALL, created(50))
        .on(Methods.TASKS_CANCEL, result("{\"resultType\":\"complete\"}"))
        .on(Methods.TASKS_UPDATE, result("{\"resultType\":\"complete\"}"));
  }

  // A call whose caller knows nothing of tasks.

  @Test
  void a_call_that_becomes_a_task_ends_with_the_tasks_result() {
    TaskPeer peer = peer().on(Methods.TASKS_GET, WORKING, WORKING, completed("done")).connect();
    assertThat(peer.call("plain")).isEqualTo(new JsonObject(TaskPeer.content("done")));
    assertThat(peer.params(Methods.TASKS_GET)).hasSize(3);
    assertThat(peer.params(Methods.TASKS_GET))
        .allMatch(params -> TaskPeer.ID.equals(params.getString("taskId")));
    assertThat(peer.peer().received(Methods.TASKS_CANCEL)).isEmpty();
  }

  @Test
  void a_raw_call_gets_the_result_byte_for_byte() {
    String result = "{ \"content\":[ ],\"x\":1.50,\"isError\":true}";
    TaskPeer peer = peer().on(Methods.TASKS_GET, state("completed", ",\"result\":" + result));
    peer.connect();
    Buffer reply =
        bus.request(TaskPeer.address(Addresses.TOOLS_CALL), Buffer.buffer("{\"name\":\"plain\"}"));
    assertThat(reply).hasToString(result);
  }

  @Test
  void only_a_server_that_offers_the_extension_gets_it() {
    TaskPeer with = peer().on(Methods.TASKS_GET, completed("done")).connect();
    with.call("plain");
    assertThat(extensions(with.params(Methods.DISCOVER).get(0))).isNull();
    assertThat(extensions(with.params(Methods.TOOLS_CALL).get(0)))
        .isEqualTo(new JsonObject().put(TasksExtension.ID, new JsonObject()));
    assertThat(extensions(with.params(Methods.TASKS_GET).get(0))).isNotNull();
  }

  @Test
  void a_server_without_the_extension_hears_nothing_of_it_and_may_make_no_task() {
    TaskPeer without = TaskPeer.discoverWithout(bus).on(Methods.TOOLS_CALL, created(50)).connect();
    McpFailure failure = without.failedCall("plain", NONE);
    assertThat(failure.code()).isEqualTo(FailureCode.PROTOCOL_ERROR);
    assertThat(failure).hasMessageContaining(TasksExtension.ID);
    assertThat(extensions(without.params(Methods.TOOLS_CALL).get(0))).isNull();
    assertThat(without.refused(Addresses.TASKS_GET, named()).code())
        .isEqualTo(FailureCode.METHOD_NOT_FOUND);
    assertThat(without.peer().methods()).doesNotContain(Methods.TASKS_GET);
  }

  private static JsonObject extensions(JsonObject params) {
    return params
        .getJsonObject("_meta")
        .getJsonObject("io.modelcontextprotocol/clientCapabilities")
        .getJsonObject("extensions");
  }

  @Test
  void polls_are_no_more_frequent_than_the_server_wants() {
    String slowly = WORKING.replace("\"pollIntervalMs\":50", "\"pollIntervalMs\":300");
    TaskPeer peer = peer().on(Methods.TASKS_GET, slowly, slowly, completed("done")).connect();
    peer.call("plain");
    List<Long> asked = peer.asked();
    assertThat(asked).hasSize(3);
    for (int i = 1; i < asked.size(); i++) {
      assertThat(asked.get(i) - asked.get(i - 1)).isGreaterThan(290_000_000L);
    }
  }

  @Test
  void the_error_of_a_failed_task_is_the_error_of_the_call() {
    TaskPeer peer =
        peer()
            .on(
                Methods.TASKS_GET,
                state("failed", ",\"error\":{\"code\":-32050,\"message\":\"no\",\"data\":7}"))
            .connect();
    McpFailure failure = peer.failedCall("plain", NONE);
    assertThat(failure.code()).isEqualTo(FailureCode.UPSTREAM_ERROR);
    assertThat(failure.toJsonRpcError())
        .isEqualTo(new JsonObject().put("code", -32050).put("message", "no").put("data", 7));
  }

  @Test
  void a_task_that_the_server_cancels_is_a_cancelled_call() {
    TaskPeer peer =
        peer().on(Methods.TASKS_GET, state("cancelled", ",\"statusMessage\":\"tired\"")).connect();
    McpFailure failure = peer.failedCall("plain", NONE);
    assertThat(failure.code()).isEqualTo(FailureCode.CANCELLED);
    assertThat(failure).hasMessageContaining("tired");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"taskId\":\"t-1\",\"status\":\"perhaps\"}",
        "{\"taskId\":\"t-2\",\"status\":\"completed\",\"result\":{}}",
        "{\"taskId\":\"t-1\",\"status\":\"completed\"}",
        "{\"taskId\":\"t-1\",\"status\":\"failed\",\"error\":3}",
        "{\"taskId\":\"t-1\",\"status\":\"input_required\"}",
        "{\"status\":\"completed\"}"
      })
  void nonsense_about_a_task_ends_the_call(String task) {
    TaskPeer peer = peer().on(Methods.TASKS_GET, result(task)).connect();
    assertThat(peer.failedCall("plain", NONE).code()).isEqualTo(FailureCode.PROTOCOL_ERROR);
  }

  @Test
  void a_task_without_an_id_ends_the_call() {
    TaskPeer peer =
        peer()
            .on(Methods.TOOLS_CALL, result("{\"resultType\":\"task\",\"status\":\"working\"}"))
            .connect();
    assertThat(peer.failedCall("plain", NONE).code()).isEqualTo(FailureCode.PROTOCOL_ERROR);
  }

  @Test
  void only_tool_calls_may_become_tasks() {
    TaskPeer peer = peer().on(Methods.PROMPTS_GET, created(50)).connect();
    assertThat(peer.refused(Addresses.PROMPTS_GET, new JsonObject().put("name", "p")).code())
        .isEqualTo(FailureCode.PROTOCOL_ERROR);
  }

  @Test
  void a_poll_is_repeated_after_an_error_that_may_pass_and_a_lasting_error_ends_the_call() {
    String busy = ScriptedPeer.error(-32603, "busy");
    TaskPeer peer = peer().on(Methods.TASKS_GET, busy, completed("done")).connect();
    assertThat(peer.call("plain").encode()).contains("done");
    peer.on(Methods.TASKS_GET, ScriptedPeer.error(-32602, "Task has expired"));
    McpFailure failure = peer.failedCall("plain", NONE);
    assertThat(failure.code()).isEqualTo(FailureCode.UPSTREAM_ERROR);
    assertThat(failure).hasMessageContaining("Task has expired");
  }

  @Test
  void as_many_tasks_as_calls_may_be_in_flight_still_come_to_their_end() {
    TaskPeer peer = peer().on(Methods.TASKS_GET, WORKING, completed("done"));
    peer.connect(RecordCopy.with(ConnectionOptions.DEFAULT, "maxPending", 1));
    // The directory has the only place while it fetches the list of tools, which is never fresh.
    Deque<Future<JsonObject>> calls = new ArrayDeque<>(List.of(peer.call("plain", NONE)));
    Awaitility.await()
        .until(
            () -> {
              if (calls.getLast().failed()) {
                assertThat(McpFailure.of(calls.getLast().cause()).code())
                    .isEqualTo(FailureCode.OVERLOADED);
                calls.add(peer.call("plain", NONE));
              }
              return !peer.asked().isEmpty();
            });
    assertThat(TestBus.await(calls.getLast()).encode()).contains("done");
  }

  // Deadline and cancellation.

  @Test
  void the_deadline_of_the_call_holds_and_cancels_the_task() {
    TaskPeer peer = peer().on(Methods.TASKS_GET, WORKING).connect();
    McpFailure failure = peer.failedCall("plain", with(Headers.DEADLINE, "300"));
    assertThat(failure.code()).isEqualTo(FailureCode.CALL_TIMEOUT);
    assertThat(failure.sent()).isEqualTo(McpFailure.Sent.MAYBE);
    peer.await(Methods.TASKS_CANCEL);
    assertThat(peer.params(Methods.TASKS_CANCEL).get(0).getString("taskId")).isEqualTo("t-1");
    // A look that was under way is called off; the call itself has its answer, the task.
    Long called = peer.peer().received(Methods.TOOLS_CALL).get(0).getLong("id");
    assertThat(peer.params(Methods.CANCELLED))
        .allSatisfy(params -> assertThat(params.getLong("requestId")).isNotEqualTo(called));
  }

  @Test
  void signs_of_life_from_the_task_extend_a_time_out_that_is_not_the_callers() {
    ConnectionOptions options =
        RecordCopy.with(ConnectionOptions.DEFAULT, "requestTimeout", Duration.ofMillis(400));
    String[] states = new String[14];
    Arrays.fill(states, WORKING);
    states[13] = completed("late");
    TaskPeer peer = peer().on(Methods.TASKS_GET, states).connect(options);
    assertThat(peer.call("plain").encode()).contains("late");
    assertThat(peer.asked().get(13) - peer.asked().get(0)).isGreaterThan(400_000_000L);
  }

  @Test
  void cancelling_the_call_cancels_the_task() {
    TaskPeer peer = peer().on(Methods.TASKS_GET, WORKING).connect();
    Future<JsonObject> call = peer.call("plain", with(Headers.CALL_ID, "mine"));
    peer.await(Methods.TASKS_GET);
    JsonObject found =
        bus.request(TaskPeer.address(Addresses.CANCEL), new JsonObject().put("callId", "mine"));
    assertThat(found.getBoolean("cancelled")).isTrue();
    Awaitility.await().until(call::isComplete);
    assertThat(McpFailure.of(call.cause()).code()).isEqualTo(FailureCode.CANCELLED);
    peer.await(Methods.TASKS_CANCEL);
  }

  // A caller who asks to see the task.

  @Test
  void who_asks_for_the_task_gets_it_at_once_and_goes_on_from_there() {
    TaskPeer peer = peer().on(Methods.TASKS_GET, WORKING, completed("done")).connect();
    JsonObject task = TestBus.await(peer.call("plain", with(Headers.TASK, "true")));
    assertThat(task.getString("resultType")).isEqualTo("task");
    assertThat(task.getString("taskId")).isEqualTo("t-1");
    assertThat(peer.peer().received(Methods.TASKS_GET)).isEmpty();
    assertThat(peer.ask(Addresses.TASKS_GET).getString("status")).isEqualTo("working");
    assertThat(peer.ask(Addresses.TASKS_RESULT).encode()).contains("done");
    assertThat(peer.ask(Addresses.TASKS_CANCEL).getString("resultType")).isEqualTo("complete");
  }

  @Test
  void the_wish_in_the_params_is_understood_and_not_passed_on() {
    TaskPeer peer = peer().connect();
    JsonObject params =
        TestBus.toolCall("plain", new JsonObject()).put("task", new JsonObject().put("ttl", 5));
    JsonObject task = bus.request(TaskPeer.address(Addresses.TOOLS_CALL), params);
    assertThat(task.getString("taskId")).isEqualTo("t-1");
    assertThat(peer.params(Methods.TOOLS_CALL).get(0).containsKey("task")).isFalse();
  }

  @Test
  void where_the_server_answers_at_once_the_wish_for_a_task_changes_nothing() {
    TaskPeer peer = peer().on(Methods.TOOLS_CALL, result(TaskPeer.content("now"))).connect();
    assertThat(TestBus.await(peer.call("plain", with(Headers.TASK, "true"))).encode())
        .contains("now");
  }

  @Test
  void a_raw_request_gets_the_task_as_it_is() {
    TaskPeer peer = peer().connect();
    JsonObject request =
        new JsonObject()
            .put("method", Methods.TOOLS_CALL)
            .put("params", TestBus.toolCall("plain", new JsonObject()));
    JsonObject answer = bus.request(TaskPeer.address(Addresses.REQUEST), request);
    assertThat(answer.getString("taskId")).isEqualTo("t-1");
    assertThat(peer.peer().received(Methods.TASKS_GET)).isEmpty();
  }

  @Test
  void a_result_that_is_waited_for_too_long_leaves_the_task_alone() {
    TaskPeer peer = peer().on(Methods.TASKS_GET, WORKING).connect();
    McpFailure failure =
        bus.failure(
            TaskPeer.address(Addresses.TASKS_RESULT), named(), with(Headers.DEADLINE, "200"));
    assertThat(failure.code()).isEqualTo(FailureCode.CALL_TIMEOUT);
    assertThat(failure).hasMessageContaining("not over yet");
    peer.on(Methods.TASKS_GET, completed("done"));
    assertThat(peer.ask(Addresses.TASKS_RESULT).encode()).contains("done");
    assertThat(peer.peer().received(Methods.TASKS_CANCEL)).isEmpty();
  }

  @Test
  void what_this_era_lacks_and_what_is_wrong_is_refused_with_a_sentence() {
    TaskPeer peer = peer().connect();
    McpFailure list = peer.refused(Addresses.TASKS_LIST, new JsonObject());
    assertThat(list.code()).isEqualTo(FailureCode.METHOD_NOT_FOUND);
    assertThat(list).hasMessageContaining("keep the taskId");
    assertThat(peer.refused(Addresses.TASKS_GET, new JsonObject()).code())
        .isEqualTo(FailureCode.BAD_REQUEST);
    assertThat(peer.refused(Addresses.TASKS_UPDATE, named()).code())
        .isEqualTo(FailureCode.BAD_REQUEST);
    assertThat(peer.failedCall("plain", with(Headers.TASK, "perhaps")).code())
        .isEqualTo(FailureCode.BAD_REQUEST);
    JsonObject wrong = TestBus.toolCall("plain", new JsonObject()).put("task", true);
    assertThat(peer.refused(Addresses.TOOLS_CALL, wrong).code()).isEqualTo(FailureCode.BAD_REQUEST);
  }

  // What the server tells by itself.

  @Test
  void a_notification_is_an_event_and_a_reason_to_look_at_once() {
    TaskPeer peer = peer().on(Methods.TOOLS_CALL, created(60_000)).connect();
    Future<JsonObject> call = peer.call("plain", NONE);
    peer.await(Methods.TOOLS_CALL);
    peer.on(Methods.TASKS_GET, completed("done"));
    Awaitility.await()
        .until(
            () -> {
              peer.peer()
                  .notify(Methods.TASKS_CHANGED, named().put("status", "completed").put("x", 1));
              return call.isComplete();
            });
    assertThat(call.result().encode()).contains("done");
    assertThat(bus.events(Events.TASK).get(0).getJsonObject("params").getInteger("x")).isEqualTo(1);
  }

  @Test
  void a_followed_task_is_part_of_the_subscription() {
    TaskPeer peer = peer().connect();
    TestBus.await(peer.call("plain", with(Headers.TASK, "true")));
    Awaitility.await().until(() -> peer.params(Methods.LISTEN).size() == 2);
    assertThat(peer.params(Methods.LISTEN).get(1).getJsonObject("notifications"))
        .isEqualTo(
            new JsonObject()
                .put("toolsListChanged", true)
                .put("taskIds", new JsonArray().add("t-1")));
  }

  @Test
  void a_server_that_does_not_tell_of_tasks_still_tells_the_rest() {
    TaskPeer peer = peer().connect();
    Awaitility.await().until(() -> peer.params(Methods.LISTEN).size() == 1);
    peer.on(Methods.LISTEN, ScriptedPeer.error(-32602, "taskIds?"), "silence");
    TestBus.await(peer.call("plain", with(Headers.TASK, "true")));
    Awaitility.await().until(() -> peer.params(Methods.LISTEN).size() == 3);
    assertThat(peer.params(Methods.LISTEN).get(2).getJsonObject("notifications"))
        .isEqualTo(new JsonObject().put("toolsListChanged", true));
  }
}
