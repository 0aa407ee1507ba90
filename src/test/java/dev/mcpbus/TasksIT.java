package dev.mcpbus;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.Events;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.client.CallOptions;
import dev.mcpbus.client.McpClient;
import dev.mcpbus.client.McpServerClient;
import dev.mcpbus.client.McpTask;
import dev.mcpbus.client.ToolCallOutcome;
import dev.mcpbus.client.ToolCallResult;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.testing.NpmServers;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tasks of servers that run: server-everything for 2025-11-25, and for 2026-07-28 a server on the
 * SDK's own transports that checks headers and capabilities ({@code tasks-server.mjs}).
 */
class TasksIT {

  private static final String EVERYTHING = "@modelcontextprotocol/server-everything/dist/index.js";
  private static final String RESEARCH = "simulate-research-query";
  private static final CallOptions PATIENT = CallOptions.timeout(Duration.ofSeconds(40));

  private final List<Process> processes = new ArrayList<>();

  @TempDir Path folder;

  @AfterEach
  void stop() {
    processes.forEach(Process::destroyForcibly);
  }

  private Process run(int port, ProcessBuilder builder) {
    try {
      Process server =
          builder.redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
      processes.add(server);
      Awaitility.await("the server to listen")
          .atMost(Duration.ofSeconds(60))
          .until(() -> listens(port));
      return server;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static boolean listens(int port) {
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 500);
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  private static JsonObject url(int port) {
    return new JsonObject().put("url", "http://127.0.0.1:" + port + "/mcp");
  }

  private static String text(ToolCallResult result) {
    return result.text();
  }

  // 2025-11-25

  private JsonObject everything(String transport) {
    if (transport.equals("stdio")) {
      return NpmServers.stdio(EVERYTHING);
    }
    int port = NpmServers.freePort();
    ProcessBuilder builder =
        new ProcessBuilder(NpmServers.node(), NpmServers.script(EVERYTHING), "streamableHttp");
    builder.environment().put("PORT", String.valueOf(port));
    run(port, builder);
    return url(port);
  }

  @Tag("long")
  @ParameterizedTest
  @ValueSource(strings = {"stdio", "http"})
  void everything_researches_as_a_task(String transport) {
    JsonObject entry = everything(transport);
    try (TestBus bus = TestBus.start(new JsonObject())) {
      McpClient client = McpClient.create(bus.vertx());
      // Before the server is there, so that it is told in its first session.
      TestBus.await(
          client.setInputHandler(
              Methods.ELICITATION,
              (id, question) ->
                  Future.succeededFuture(
                      new JsonObject()
                          .put("action", "accept")
                          .put("content", new JsonObject().put("interpretation", "snake")))));
      TestBus.await(client.addServer("everything", entry));
      bus.awaitState("everything", "READY");
      McpServerClient server = client.server("everything");

      // Who knows nothing of tasks gets the result; the question on the way is answered.
      Future<ToolCallResult> plain =
          server.callTool(RESEARCH, Map.of("topic", "python", "ambiguous", true), PATIENT);

      // Who wants the task gets it at once.
      ToolCallOutcome answer =
          TestBus.await(
              server.callToolAsTask(
                  RESEARCH, Map.of("topic", "otters"), Duration.ofMinutes(5), PATIENT));
      McpTask task = Objects.requireNonNull(answer.task());
      assertThat(task.status()).isEqualTo(McpTask.Status.WORKING);
      assertThat(task.pollMillis()).isEqualTo(1_000);
      assertThat(TestBus.await(server.getTask(task.id(), PATIENT)).id()).isEqualTo(task.id());
      assertThat(TestBus.await(server.listTasks(PATIENT)))
          .extracting(McpTask::id)
          .contains(task.id());

      ToolCallOutcome unwanted =
          TestBus.await(server.callToolAsTask(RESEARCH, Map.of("topic", "moss"), null, PATIENT));
      String id = Objects.requireNonNull(unwanted.task()).id();
      TestBus.await(server.cancelTask(id, PATIENT));
      assertThat(TestBus.await(server.getTask(id, PATIENT)).status())
          .isEqualTo(McpTask.Status.CANCELLED);
      McpFailure cancelled =
          bus.failure(
              Addresses.of(new ConnectionId("everything"), Addresses.TASKS_RESULT),
              new JsonObject().put("taskId", id));
      assertThat(cancelled.code()).isEqualTo(FailureCode.CANCELLED);

      assertThat(text(TestBus.await(server.taskResult(task.id(), PATIENT)))).contains("otters");
      assertThat(text(TestBus.await(plain))).contains("python").contains("snake");
      TestBus.await(client.close());
    }
  }

  // 2026-07-28

  private String fixture() {
    return NpmServers.script("../tasks-server.mjs");
  }

  private Process overHttp(int port) {
    return run(
        port,
        new ProcessBuilder(NpmServers.node(), fixture(), folder.toString(), String.valueOf(port)));
  }

  private JsonObject overStdio() {
    return NpmServers.stdio("../tasks-server.mjs", folder.toString());
  }

  private JsonObject discover(String transport) {
    if (transport.equals("stdio")) {
      return overStdio();
    }
    int port = NpmServers.freePort();
    overHttp(port);
    return url(port);
  }

  private long logged(String line) {
    try {
      Path log = folder.resolve("log");
      return Files.exists(log) ? Files.readAllLines(log).stream().filter(line::equals).count() : 0;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"stdio", "http"})
  void a_discover_server_decides_what_becomes_a_task(String transport) {
    try (TestBus bus = TestBus.start(TestBus.server("tasks", discover(transport)))) {
      assertThat(bus.awaitState("tasks", "READY").getString("era")).isEqualTo("DISCOVER");
      McpClient client = McpClient.create(bus.vertx());
      McpServerClient server = client.server("tasks");

      assertThat(text(TestBus.await(server.callTool("plain", Map.of())))).contains("at once");
      assertThat(text(TestBus.await(server.callTool("work", Map.of("ms", 300)))))
          .contains("worked 300 ms");
      McpFailure failed =
          bus.failure(
              Addresses.of(new ConnectionId("tasks"), Addresses.TOOLS_CALL),
              TestBus.toolCall("work", new JsonObject().put("ms", 10).put("fail", true)));
      assertThat(failed.toJsonRpcError().getInteger("code")).isEqualTo(-32050);

      TestBus.await(
          client.setInputHandler(
              Methods.ELICITATION,
              (id, question) ->
                  Future.succeededFuture(
                      new JsonObject()
                          .put("action", "accept")
                          .put("content", new JsonObject().put("name", "Ada")))));
      assertThat(text(TestBus.await(server.callTool("ask", Map.of())))).contains("hello Ada");
      assertThat(logged("update")).isEqualTo(1);

      ToolCallOutcome answer =
          TestBus.await(server.callToolAsTask("work", Map.of("ms", 60_000), null, PATIENT));
      McpTask task = Objects.requireNonNull(answer.task());
      TestBus.await(server.cancelTask(task.id(), PATIENT));
      assertThat(TestBus.await(server.getTask(task.id(), PATIENT)).status())
          .isEqualTo(McpTask.Status.CANCELLED);
      ToolCallOutcome asks = TestBus.await(server.callToolAsTask("ask", Map.of(), null, PATIENT));
      McpTask question = Objects.requireNonNull(asks.task());
      assertThat(TestBus.await(server.getTask(question.id(), PATIENT)).inputRequests()).hasSize(1);
      JsonObject byHand =
          new JsonObject()
              .put(
                  "name",
                  new JsonObject()
                      .put("action", "accept")
                      .put("content", new JsonObject().put("name", "Bo")));
      TestBus.await(server.updateTask(question.id(), byHand, PATIENT));
      assertThat(text(TestBus.await(server.taskResult(question.id(), PATIENT))))
          .contains("hello Bo");
      assertThat(TestBus.await(server.callToolAsTask("plain", Map.of(), null, PATIENT)).isTask())
          .isFalse();
      TestBus.await(client.close());
    }
  }

  @Test
  void a_task_survives_the_end_of_the_child_that_works_on_it() {
    try (TestBus bus = TestBus.start(TestBus.server("tasks", overStdio()))) {
      bus.awaitState("tasks", "READY");
      Future<ToolCallResult> call = longWork(bus);
      long pid = bus.status("tasks").getJsonObject("transport").getLong("pid");
      assertThat(ProcessHandle.of(pid).orElseThrow().destroyForcibly()).isTrue();
      endsWell(bus, call);
      assertThat(bus.status("tasks").getJsonObject("transport").getLong("pid")).isNotEqualTo(pid);
    }
  }

  @Test
  void a_task_survives_the_end_of_the_http_server_that_works_on_it() {
    int port = NpmServers.freePort();
    Process server = overHttp(port);
    try (TestBus bus = TestBus.start(TestBus.server("tasks", url(port)))) {
      bus.awaitState("tasks", "READY");
      Future<ToolCallResult> call = longWork(bus);
      server.destroyForcibly();
      Awaitility.await().until(() -> !listens(port));
      overHttp(port);
      assertThat(text(TestBus.await(call))).contains("worked 4000 ms");
      assertThat(logged("call work")).isEqualTo(1);
      assertThat(logged("cancel")).isZero();
    }
  }

  @Test
  void a_task_survives_a_restart_of_the_connection_to_an_http_server() {
    int port = NpmServers.freePort();
    overHttp(port);
    try (TestBus bus = TestBus.start(TestBus.server("tasks", url(port)))) {
      bus.awaitState("tasks", "READY");
      Future<ToolCallResult> call = longWork(bus);
      bus.request(Addresses.of(new ConnectionId("tasks"), Addresses.RESTART), new JsonObject());
      endsWell(bus, call);
    }
  }

  /** A call that became a task, whose server was asked for it once at least. */
  private Future<ToolCallResult> longWork(TestBus bus) {
    McpServerClient server = McpClient.create(bus.vertx()).server("tasks");
    Future<ToolCallResult> call = server.callTool("work", Map.of("ms", 4_000), PATIENT);
    Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> logged("get") > 0);
    return call;
  }

  private void endsWell(TestBus bus, Future<ToolCallResult> call) {
    Awaitility.await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> bus.events(Events.CONNECTED).size() >= 2);
    assertThat(text(TestBus.await(call))).contains("worked 4000 ms");
    assertThat(logged("call work")).isEqualTo(1);
    assertThat(logged("cancel")).isZero();
  }
}
