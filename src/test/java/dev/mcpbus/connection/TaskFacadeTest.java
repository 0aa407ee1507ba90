package dev.mcpbus.connection;

import static dev.mcpbus.connection.TaskPeer.completed;
import static dev.mcpbus.connection.TaskPeer.created;
import static dev.mcpbus.connection.TaskPeer.initializeCreated;
import static dev.mcpbus.connection.TaskPeer.initializeTask;
import static dev.mcpbus.connection.TaskPeer.result;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.client.CallOptions;
import dev.mcpbus.client.McpClient;
import dev.mcpbus.client.McpServerClient;
import dev.mcpbus.client.McpTask;
import dev.mcpbus.client.ToolCallOutcome;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The typed methods mean the same in both eras. */
class TaskFacadeTest {

  private static final CallOptions OPTIONS = CallOptions.DEFAULT;

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

  private McpServerClient server() {
    return McpClient.create(bus.vertx()).server("peer");
  }

  private McpTask started() {
    ToolCallOutcome answer =
        TestBus.await(
            server().callToolAsTask("may", Map.of("a", 1), Duration.ofMinutes(1), OPTIONS));
    assertThat(answer.result()).isNull();
    return Objects.requireNonNull(answer.task());
  }

  @Test
  void the_tasks_of_2025_11_25() {
    TaskPeer peer =
        TaskPeer.initialize(
                bus, "{\"list\":{},\"cancel\":{},\"requests\":{\"tools\":{\"call\":{}}}}")
            .on(Methods.TOOLS_CALL, initializeCreated())
            .on(Methods.TASKS_GET, result(initializeTask("completed", 70)))
            .on(Methods.TASKS_LIST, result("{\"tasks\":[" + initializeTask("working", 50) + "]}"))
            .on(Methods.TASKS_RESULT, result(TaskPeer.content("done")))
            .on(Methods.TASKS_CANCEL, result(initializeTask("cancelled", 50)))
            .connect();
    McpTask task = started();
    assertThat(task.id()).isEqualTo("t-1");
    assertThat(task.ttlMillis()).isEqualTo(60_000);
    JsonObject call = peer.params(Methods.TOOLS_CALL).get(0);
    assertThat(call.getJsonObject("task").getLong("ttl")).isEqualTo(60_000);
    assertThat(call.getJsonObject("arguments").getInteger("a")).isEqualTo(1);
    McpTask over = TestBus.await(server().getTask("t-1", OPTIONS));
    assertThat(over.status()).isEqualTo(McpTask.Status.COMPLETED);
    assertThat(over.pollMillis()).isEqualTo(70);
    assertThat(TestBus.await(server().listTasks(OPTIONS)))
        .extracting(McpTask::id)
        .containsExactly("t-1");
    assertThat(TestBus.await(server().taskResult("t-1", OPTIONS)).content().toString())
        .contains("done");
    TestBus.await(server().cancelTask("t-1", OPTIONS));
    assertThat(peer.params(Methods.TASKS_CANCEL)).hasSize(1);
  }

  @Test
  void the_tasks_of_2026_07_28() {
    TaskPeer peer =
        TaskPeer.discover(bus)
            .on(Methods.TOOLS_CALL, created(50), result(TaskPeer.content("at once")))
            .on(Methods.TASKS_GET, completed("done"))
            .on(Methods.TASKS_UPDATE, result("{\"resultType\":\"complete\"}"))
            .on(Methods.TASKS_CANCEL, result("{\"resultType\":\"complete\"}"))
            .connect();
    McpTask task = started();
    assertThat(task.pollMillis()).isEqualTo(50);
    ToolCallOutcome atOnce = TestBus.await(server().callToolAsTask("may", Map.of(), null, OPTIONS));
    assertThat(atOnce.isTask()).isFalse();
    assertThat(Objects.requireNonNull(atOnce.result()).content().toString()).contains("at once");
    assertThat(TestBus.await(server().getTask("t-1", OPTIONS)).status().isFinal()).isTrue();
    assertThat(TestBus.await(server().taskResult("t-1", OPTIONS)).content().toString())
        .contains("done");
    JsonObject answers = new JsonObject().put("k", new JsonObject().put("action", "cancel"));
    TestBus.await(server().updateTask("t-1", answers, OPTIONS));
    assertThat(peer.params(Methods.TASKS_UPDATE).get(0).getJsonObject("inputResponses"))
        .isEqualTo(answers);
    TestBus.await(server().cancelTask("t-1", OPTIONS));
  }

  @Test
  void events_of_tasks_contain_the_params_of_the_server() {
    TaskPeer peer = TaskPeer.discover(bus).connect();
    List<JsonObject> heard = new CopyOnWriteArrayList<>();
    server().onTask(heard::add);
    JsonObject task = TaskPeer.named().put("status", "working").put("ttlMs", 1);
    peer.peer().notify(Methods.TASKS_CHANGED, task);
    Awaitility.await().until(() -> !heard.isEmpty());
    assertThat(heard.get(0)).isEqualTo(task);
  }
}
