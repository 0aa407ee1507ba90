package dev.mcpbus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.mcpbus.bus.Addresses;
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
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tasks through the gateway, in every mixture of eras: the clients are connections of our own in
 * another mcpbus, the older server is server-everything, the newer one is on the official SDK.
 */
class GatewayTasksIT {

  private static final String ALL = "combinations";
  private static final String EVERYTHING = "@modelcontextprotocol/server-everything/dist/index.js";
  private static final CallOptions PATIENT = CallOptions.timeout(Duration.ofSeconds(40));

  private static final Map<String, String> VERSIONS =
      Map.of("legacy", "2025-11-25", "modern", "2026-07-28");

  /** One cell of the matrix. */
  record Combination(String client, String server) {

    String id() {
      return client + "-on-" + server;
    }

    boolean isDiscoverServer() {
      return server.equals("modern");
    }

    String tool() {
      return isDiscoverServer() ? "work" : "simulate-research-query";
    }

    Map<String, Object> arguments() {
      return isDiscoverServer() ? Map.of("ms", 1_500) : Map.of("topic", "otters");
    }

    @Override
    public String toString() {
      return client + " client, " + server + " server";
    }
  }

  @TempDir static Path folder;

  private static TestBus gateway;
  private static TestBus clients;
  private static McpClient client;

  static Stream<Combination> combinations() {
    return Stream.of("legacy", "modern")
        .flatMap(
            clientEra ->
                Stream.of("legacy", "modern").map(server -> new Combination(clientEra, server)));
  }

  @BeforeAll
  static void start() {
    gateway =
        TestBus.startWithBridge(
            new JsonObject()
                .put("legacy", NpmServers.stdio(EVERYTHING))
                .put("modern", NpmServers.stdio("../tasks-server.mjs", folder.toString())));
    gateway.awaitState("legacy", "READY");
    gateway.awaitState("modern", "READY");
    JsonObject entries = new JsonObject();
    combinations().forEach(one -> entries.put(one.id(), entry(one)));
    clients = TestBus.start(entries);
    client = McpClient.create(clients.vertx());
    TestBus.await(
        client.setInputHandler(
            Methods.ELICITATION,
            (from, question) -> {
              String field =
                  question
                      .getJsonObject("requestedSchema")
                      .getJsonObject("properties")
                      .fieldNames()
                      .iterator()
                      .next();
              String value = field.equals("interpretation") ? "snake" : "Ada";
              return Future.succeededFuture(
                  new JsonObject()
                      .put("action", "accept")
                      .put("content", new JsonObject().put(field, value)));
            }));
    entries.fieldNames().forEach(id -> clients.awaitState(id, "READY"));
  }

  @AfterAll
  static void close() {
    clients.close();
    gateway.close();
  }

  private static JsonObject entry(Combination one) {
    return new JsonObject()
        .put("url", "http://127.0.0.1:" + gateway.port() + "/mcp/" + one.server())
        .put("protocolVersion", VERSIONS.get(one.client()))
        .put("capabilities", new JsonArray().add("elicitation"));
  }

  private static McpServerClient server(Combination one) {
    return client.server(one.id());
  }

  private static McpTask begin(Combination one, String tool, Map<String, Object> arguments) {
    ToolCallOutcome answer =
        TestBus.await(server(one).callToolAsTask(tool, arguments, Duration.ofMinutes(5), PATIENT));
    return Objects.requireNonNull(answer.task());
  }

  private static McpTask.Status status(Combination one, String taskId) {
    return TestBus.await(server(one).getTask(taskId, PATIENT)).status();
  }

  /** All four at a time, here and below: npm's server works on a task for 4 s. */
  @Test
  void a_call_becomes_a_task_that_is_polled_until_it_is_done() {
    Map<Combination, McpTask> tasks = new LinkedHashMap<>();
    combinations().forEach(one -> tasks.put(one, begin(one, one.tool(), one.arguments())));
    tasks.forEach(
        (one, task) -> {
          assertThat(task.status()).as("%s", one).isEqualTo(McpTask.Status.WORKING);
          assertThat(task.id()).as("%s", one).hasSizeGreaterThan(40);
        });
    tasks.forEach(
        (one, task) -> {
          await(one.toString())
              .atMost(Duration.ofSeconds(60))
              .until(() -> status(one, task.id()), McpTask.Status.COMPLETED::equals);
          String result = text(TestBus.await(server(one).taskResult(task.id(), PATIENT)));
          assertThat(result).as("%s", one).containsAnyOf("otters", "worked 1500 ms");
        });
  }

  private static String text(ToolCallResult result) {
    return result.text();
  }

  @Test
  void who_does_not_care_for_tasks_gets_the_result() {
    Map<Combination, Future<ToolCallResult>> calls = new LinkedHashMap<>();
    combinations()
        .forEach(one -> calls.put(one, server(one).callTool(one.tool(), one.arguments(), PATIENT)));
    calls.forEach(
        (one, call) ->
            assertThat(text(TestBus.await(call)))
                .as("%s", one)
                .containsAnyOf("otters", "worked 1500 ms"));
  }

  @Test
  void a_task_asks_its_client_and_goes_on_with_the_answer() {
    Map<Combination, Future<ToolCallResult>> results = new LinkedHashMap<>();
    combinations()
        .forEach(
            one -> {
              McpTask task =
                  one.isDiscoverServer()
                      ? begin(one, "ask", Map.of())
                      : begin(one, one.tool(), Map.of("topic", "python", "ambiguous", true));
              results.put(one, server(one).taskResult(task.id(), PATIENT));
            });
    results.forEach(
        (one, result) ->
            assertThat(text(TestBus.await(result)))
                .as("%s", one)
                .containsAnyOf("snake", "hello Ada"));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource(ALL)
  void a_task_is_cancelled(Combination one) {
    McpTask task =
        begin(
            one,
            one.tool(),
            one.isDiscoverServer() ? Map.of("ms", 60_000) : Map.of("topic", "moss"));
    TestBus.await(server(one).cancelTask(task.id(), PATIENT));
    assertThat(status(one, task.id())).isEqualTo(McpTask.Status.CANCELLED);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource(ALL)
  void an_unknown_task_is_absent(Combination one) {
    McpFailure absent =
        clients.failure(
            TestBus.address(one.id(), Addresses.TASKS_GET),
            new JsonObject().put("taskId", "bm8gc3VjaCB0YXNr"));
    assertThat(absent.toJsonRpcError().getInteger("code")).isEqualTo(-32602);
    assertThat(absent.getMessage()).contains("Task not found");
  }

  @Test
  void a_client_of_2025_11_25_lists_its_tasks_on_servers_of_either_era() {
    for (String era : List.of("legacy", "modern")) {
      Combination one = new Combination("legacy", era);
      McpTask task = begin(one, one.tool(), one.arguments());
      assertThat(TestBus.await(server(one).listTasks(PATIENT)))
          .extracting(McpTask::id)
          .contains(task.id());
    }
  }

  @Test
  void a_discover_client_answers_a_tasks_question_itself() {
    Combination one = new Combination("modern", "modern");
    McpTask task = begin(one, "ask", Map.of());
    assertThat(TestBus.await(server(one).getTask(task.id(), PATIENT)).inputRequests()).hasSize(1);
    JsonObject answer =
        new JsonObject()
            .put(
                "name",
                new JsonObject()
                    .put("action", "accept")
                    .put("content", new JsonObject().put("name", "Bo")));
    TestBus.await(server(one).updateTask(task.id(), answer, PATIENT));
    assertThat(text(TestBus.await(server(one).taskResult(task.id(), PATIENT))))
        .contains("hello Bo");
  }

  @Test
  void a_discover_client_answers_what_the_task_of_an_initialize_server_asks() {
    Combination one = new Combination("modern", "legacy");
    McpTask task = begin(one, one.tool(), Map.of("topic", "python", "ambiguous", true));
    await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> status(one, task.id()), McpTask.Status.INPUT_REQUIRED::equals);
    String question =
        Objects.requireNonNull(
                TestBus.await(server(one).getTask(task.id(), PATIENT)).inputRequests())
            .fieldNames()
            .iterator()
            .next();
    JsonObject answer =
        new JsonObject()
            .put(
                question,
                new JsonObject()
                    .put("action", "accept")
                    .put("content", new JsonObject().put("interpretation", "snake")));
    TestBus.await(server(one).updateTask(task.id(), answer, PATIENT));
    assertThat(text(TestBus.await(server(one).taskResult(task.id(), PATIENT))))
        .contains("snake")
        .doesNotContain("declined");
  }

  @Tag("long")
  @ParameterizedTest(name = "over {0}, {1} server")
  @CsvSource({"mcp,legacy", "mcp,modern", "sse,legacy", "sse,modern"})
  void the_typescript_sdk_runs_a_task_and_answers_what_it_asks(String path, String server)
      throws Exception {
    String script = Path.of("src", "test", "npm", "sdk-tasks.mjs").toAbsolutePath().toString();
    String url = "http://127.0.0.1:" + gateway.port() + "/" + path + "/" + server;
    boolean discover = server.equals("modern");
    JsonObject seen =
        new JsonObject(
            NpmServers.run(
                folder,
                script,
                url,
                discover ? "ask" : "simulate-research-query",
                discover ? "{}" : "{\"topic\":\"python\",\"ambiguous\":true}",
                path.equals("sse") ? "sse" : ""));
    assertThat(seen.getString("support")).isEqualTo(discover ? "optional" : "required");
    assertThat(seen.getJsonArray("seen")).startsWith("taskCreated").endsWith("result");
    assertThat(seen.getJsonArray("asked")).containsExactly(discover ? "name" : "interpretation");
    assertThat(seen.getString("text")).contains(discover ? "hello Ada" : "snake");
    assertThat(seen.getBoolean("related")).isTrue();
    assertThat(seen.getBoolean("listed")).isTrue();
    assertThat(seen.getString("status")).isEqualTo("completed");
  }

  @Test
  void a_tool_of_a_discover_server_that_answers_at_once_is_a_finished_task() {
    Combination one = new Combination("legacy", "modern");
    McpTask task = begin(one, "plain", Map.of());
    assertThat(task.status()).isEqualTo(McpTask.Status.COMPLETED);
    assertThat(text(TestBus.await(server(one).taskResult(task.id(), PATIENT)))).contains("at once");
  }
}
