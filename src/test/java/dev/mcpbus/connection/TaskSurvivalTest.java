package dev.mcpbus.connection;

import static dev.mcpbus.connection.TaskPeer.completed;
import static dev.mcpbus.connection.TaskPeer.created;
import static dev.mcpbus.connection.TaskPeer.named;
import static dev.mcpbus.connection.TaskPeer.result;
import static dev.mcpbus.connection.TaskPeer.state;
import static dev.mcpbus.connection.TaskPeer.with;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.Headers;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.connection.options.ConnectionOptions;
import dev.mcpbus.internals.RecordCopy;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.testing.ScriptedPeer;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.Future;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A task belongs to the server: who waits for it outlives the session. */
class TaskSurvivalTest {

  private static final DeliveryOptions NONE = new DeliveryOptions();
  private static final String WORKING = state("working", "");
  private static final ConnectionOptions IMPATIENT =
      RecordCopy.with(ConnectionOptions.DEFAULT, "handshakeTimeout", Duration.ofMillis(300));

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
        .on(Methods.TASKS_GET, WORKING)
        .on(Methods.TASKS_CANCEL, result("{\"resultType\":\"complete\"}"));
  }

  private Future<JsonObject> polled(TaskPeer peer, DeliveryOptions options) {
    Future<JsonObject> call = peer.call("plain", options);
    peer.await(Methods.TASKS_GET);
    return call;
  }

  @Test
  void a_call_that_is_a_task_ends_well_although_the_connection_was_lost() {
    TaskPeer peer = peer().connect();
    Future<JsonObject> call = polled(peer, NONE);
    Future<JsonObject> waiting = bus.send(TaskPeer.address(Addresses.TASKS_RESULT), named(), NONE);
    peer.peer().hangUp();
    Awaitility.await().until(() -> peer.peer().connections() == 2);
    peer.on(Methods.TASKS_GET, completed("done"));
    assertThat(TestBus.await(call).encode()).contains("done");
    assertThat(TestBus.await(waiting).encode()).contains("done");
    assertThat(peer.peer().received(Methods.TOOLS_CALL)).hasSize(1);
    assertThat(peer.peer().received(Methods.TASKS_CANCEL)).isEmpty();
  }

  @Test
  void a_task_survives_a_restart_on_request() {
    TaskPeer peer = peer().connect();
    Future<JsonObject> call = polled(peer, NONE);
    bus.request(TaskPeer.address(Addresses.RESTART), new JsonObject());
    Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> peer.peer().connections() == 2);
    peer.on(Methods.TASKS_GET, completed("done"));
    assertThat(TestBus.await(call).encode()).contains("done");
  }

  @Test
  void a_server_that_comes_back_without_the_task_leaves_the_outcome_unknown() {
    String seldom = WORKING.replace("\"pollIntervalMs\":50", "\"pollIntervalMs\":60000");
    TaskPeer peer = peer().on(Methods.TASKS_GET, seldom).connect();
    Future<JsonObject> waiting = bus.send(TaskPeer.address(Addresses.TASKS_RESULT), named(), NONE);
    peer.await(Methods.TASKS_GET);
    peer.on(Methods.TASKS_GET, ScriptedPeer.error(-32602, "Task not found"));
    peer.peer().hangUp();
    Awaitility.await().until(waiting::isComplete);
    McpFailure failure = McpFailure.of(waiting.cause());
    assertThat(failure.code()).isEqualTo(FailureCode.OUTCOME_UNKNOWN);
    assertThat(failure.sent()).isEqualTo(McpFailure.Sent.MAYBE);
    assertThat(failure).hasMessageContaining("Task not found");
  }

  @Test
  void the_deadline_holds_while_the_connection_is_away_and_the_task_is_cancelled_afterwards() {
    TaskPeer peer = peer().connect(IMPATIENT);
    Future<JsonObject> call = polled(peer, with(Headers.DEADLINE, "600"));
    peer.on(Methods.DISCOVER, "silence").on(Methods.INITIALIZE, "silence");
    peer.peer().hangUp();
    Awaitility.await().until(call::isComplete);
    McpFailure failure = McpFailure.of(call.cause());
    assertThat(failure.code()).isEqualTo(FailureCode.CALL_TIMEOUT);
    assertThat(failure.sent()).isEqualTo(McpFailure.Sent.MAYBE);
    assertThat(failure.data().getString("taskId")).isEqualTo("t-1");
    assertThat(peer.peer().received(Methods.TASKS_CANCEL)).isEmpty();
    peer.on(
        Methods.DISCOVER,
        ScriptedPeer.DISCOVERED.replace(
            "\"logging\":{}",
            "\"logging\":{},\"extensions\":{\"io.modelcontextprotocol/tasks\":{}}"));
    Awaitility.await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> !peer.peer().received(Methods.TASKS_CANCEL).isEmpty());
  }

  @Test
  void a_call_can_be_cancelled_while_the_connection_is_away() {
    TaskPeer peer = peer().connect(IMPATIENT);
    Future<JsonObject> call = polled(peer, with(Headers.CALL_ID, "mine"));
    peer.on(Methods.DISCOVER, "silence").on(Methods.INITIALIZE, "silence");
    peer.peer().hangUp();
    bus.awaitState("peer", "RECONNECTING");
    JsonObject found =
        bus.request(TaskPeer.address(Addresses.CANCEL), new JsonObject().put("callId", "mine"));
    assertThat(found.getBoolean("cancelled")).isTrue();
    Awaitility.await().until(call::isComplete);
    McpFailure failure = McpFailure.of(call.cause());
    assertThat(failure.code()).isEqualTo(FailureCode.CANCELLED);
    assertThat(failure.sent()).isEqualTo(McpFailure.Sent.MAYBE);
  }

  @Test
  void a_connection_that_is_taken_down_ends_who_waits() {
    TaskPeer peer = peer().connect(ConnectionOptions.DEFAULT, Duration.ofMillis(200));
    Future<JsonObject> call = polled(peer, NONE);
    bus.request(TaskPeer.address(Addresses.DISCONNECT), new JsonObject());
    Awaitility.await().atMost(Duration.ofSeconds(60)).until(call::isComplete);
    assertThat(McpFailure.of(call.cause()).sent()).isEqualTo(McpFailure.Sent.MAYBE);
  }

  @Test
  void a_call_that_was_lost_before_it_became_a_task_fails_as_ever() {
    TaskPeer peer = peer().on(Methods.TOOLS_CALL, "silence").connect();
    Future<JsonObject> call = peer.call("plain", NONE);
    peer.await(Methods.TOOLS_CALL);
    peer.peer().hangUp();
    Awaitility.await().until(call::isComplete);
    assertThat(McpFailure.of(call.cause()).sent()).isEqualTo(McpFailure.Sent.MAYBE);
    assertThat(peer.peer().received(Methods.TASKS_GET)).isEmpty();
  }
}
