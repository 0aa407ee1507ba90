package dev.mcpbus.bridge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.Requester;
import dev.mcpbus.bus.SealedTaskIds;
import dev.mcpbus.protocol.JsonRpcError;
import dev.mcpbus.protocol.RawJson;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import io.vertx.junit5.VertxExtension;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** No caller gets a server's own task id, and nothing else of an answer changes. */
@ExtendWith(VertxExtension.class)
class TaskIdSealingTest {

  private static final Requester ADA = new Requester("ada", false);
  private static final Requester BOB = new Requester("bob", false);
  private static final String RELATED =
      "{\"x\":1.50, \"io.modelcontextprotocol/related-task\":{\"taskId\":\"own\"}}";

  @SuppressWarnings("NullAway.Init") // set before each test
  private TaskIdSealing tasks;

  @SuppressWarnings("NullAway.Init")
  private String sealed;

  @SuppressWarnings("NullAway.Init")
  private SealedTaskIds ids;

  @BeforeEach
  void open(Vertx vertx) {
    ids = SealedTaskIds.of(vertx);
    BridgeFixture.await(ids.open(vertx));
    tasks = new TaskIdSealing(vertx);
    sealed = ids.seal("ada", new SealedTaskIds.Named("s", "", "own"));
  }

  private TaskIdSealing.SealedCall passing(Requester who, String suffix, String params) {
    return tasks.new SealedCall(who, "s", suffix, RawJson.of(params));
  }

  private String passed(String suffix, String params, String result) {
    return passing(ADA, suffix, params).sealed(Buffer.buffer(result)).toString();
  }

  /** A task id is sealed for its server: sealed for none, no request of the caller opens it. */
  @ParameterizedTest
  @ValueSource(strings = {"s.work", "s:work", "s__work"})
  void a_peers_task_belongs_to_the_server_that_the_tools_name_says(String name) {
    PeerMessage message =
        new PeerMessage(
            ADA,
            tasks,
            Addresses.ALL_TOOLS_CALL,
            new JsonObject().put("name", name),
            new JsonObject());

    Object answer =
        message.answer(new JsonObject().put("task", new JsonObject().put("taskId", "own")));

    assertThat(answer)
        .isEqualTo(new JsonObject().put("task", new JsonObject().put("taskId", sealed)));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "tools.call|{\"resultType\":\"task\",\"taskId\":\"own\",\"n\":1.50e+2}",
        "tools.call|{\"task\":{\"taskId\":\"own\",\"status\":\"working\"},\"z\":[1 , 2]}",
        "tools.call|{\"content\":[],\"_meta\":META}",
        "tasks.get|{\"taskId\":\"own\",\"status\":\"working\", \"big\":12345678901234567890123}",
        "tasks.get|{\"taskId\":\"own\",\"result\":{\"_meta\":META,\"a\":1}}",
        "tasks.get|{\"taskId\":\"own\",\"inputRequests\":{\"k\":{\"params\":{\"_meta\":META}}}}",
        "tasks.cancel|{\"taskId\":\"own\"}",
        "tasks.result|{\"content\":[],\"_meta\":META}",
        "tasks.list|{\"tasks\":[{\"taskId\":\"own\",\"ttl\":1.0},{\"taskId\":\"own\"}]}"
      })
  void the_id_alone_is_another(String suffix, String template) {
    String result = template.replace("META", RELATED);
    String given = suffix.equals("tools.call") ? "own" : sealed;

    String answer = passed(suffix, new JsonObject().put("taskId", given).encode(), result);

    assertThat(new JsonObject(answer))
        .isEqualTo(new JsonObject(result.replace("\"own\"", "\"" + sealed + "\"")));
    for (String form : new String[] {"1.50e+2", "12345678901234567890123", "[1 , 2]", "1.50,"}) {
      assertThat(answer.contains(form)).as(form).isEqualTo(result.contains(form));
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"content\":[],\"structuredContent\":{\"taskId\":\"own\"}}",
        "{\"content\":[{\"type\":\"text\",\"text\":\"\\\"taskId\\\":\\\"own\\\"\"}]}",
        "{\"content\":[],\"taskId\":\"own\"}",
        "{ \"content\" : [] }",
        "[\"taskId\"]"
      })
  void what_is_no_id_of_a_task_stays_byte_for_byte(String result) {
    assertThat(passed("tools.call", "{\"name\":\"t\"}", result)).isEqualTo(result);
  }

  @ParameterizedTest
  @ValueSource(strings = {"tasks.get", "tasks.result", "tasks.update", "tasks.cancel"})
  void a_task_belongs_to_the_principal_that_got_it(String suffix) {
    String params = new JsonObject().put("taskId", sealed).put("n", 1).encode();
    String raw = new JsonObject().put("taskId", "own").encode();

    assertThat(passing(ADA, suffix, params).params().toJsonObject())
        .isEqualTo(new JsonObject().put("taskId", "own").put("n", 1));
    assertThat(passing(new Requester("root", true), suffix, params).params().toJsonObject())
        .isEqualTo(new JsonObject().put("taskId", "own").put("n", 1));
    for (String other : new String[] {params, raw}) {
      assertThatThrownBy(() -> passing(BOB, suffix, other)).hasMessageContaining("Task not found");
    }
    assertThatThrownBy(() -> passing(ADA, suffix, raw)).hasMessageContaining("Task not found");
    assertThatThrownBy(() -> tasks.new SealedCall(ADA, "other", suffix, RawJson.of(params)))
        .hasMessageContaining("Task not found");
    assertThat(passing(BOB, suffix, "{}").params().toString()).isEqualTo("{}");
  }

  @Test
  void a_raw_request_is_no_way_around() {
    String raw = "{\"method\":\"tasks/get\",\"params\":{\"taskId\":\"own\"}}";
    String his = raw.replace("own", sealed);

    assertThatThrownBy(() -> passing(ADA, Addresses.REQUEST, raw))
        .hasMessageContaining("Task not found");
    assertThatThrownBy(() -> passing(BOB, Addresses.REQUEST, his))
        .hasMessageContaining("Task not found");
    assertThat(passing(ADA, Addresses.REQUEST, his).params().toJsonObject())
        .isEqualTo(new JsonObject(raw));
    assertThat(passed(Addresses.REQUEST, his, "{\"taskId\":\"own\"}"))
        .isEqualTo("{\"taskId\":\"" + sealed + "\"}");
    String call = "{\"method\":\"tools/call\",\"params\":{\"name\":\"t\"}}";
    assertThat(passed(Addresses.REQUEST, call, "{\"task\":{\"taskId\":\"own\"}}"))
        .isEqualTo("{\"task\":{\"taskId\":\"" + sealed + "\"}}");
    String other = "{\"method\":\"x/y\",\"params\":{\"taskId\":\"own\"}}";
    assertThat(passing(ADA, Addresses.REQUEST, other).params().toString()).isEqualTo(other);
  }

  @Test
  void a_failure_names_the_task_as_its_caller_does() {
    McpFailure failure =
        new McpFailure(
            FailureCode.OUTCOME_UNKNOWN,
            McpFailure.Sent.MAYBE,
            "the task 'own' is lost",
            7,
            new JsonObject().put("taskId", "own").put("x", 1));

    Future<Buffer> passed = passing(ADA, "tools.call", "{}").sealed(Future.failedFuture(failure));

    McpFailure shown = McpFailure.of(passed.cause());
    assertThat(shown.getMessage()).isEqualTo("the task '" + sealed + "' is lost");
    assertThat(shown.data()).isEqualTo(new JsonObject().put("taskId", sealed).put("x", 1));
    assertThat(shown.retryAfterMillis()).isEqualTo(7);
    String params = new JsonObject().put("taskId", sealed).encode();
    McpFailure late = McpFailure.maybeSent(FailureCode.CALL_TIMEOUT, "the task 'own' is not over");
    assertThat(passing(ADA, "tasks.result", params).sealed(Future.failedFuture(late)).cause())
        .hasMessage("the task '" + sealed + "' is not over");
  }

  /** A server's error stands in the data, too. */
  @Test
  void an_error_of_the_server_names_the_task_as_its_caller_does() {
    String params = new JsonObject().put("taskId", sealed).encode();
    McpFailure failure =
        McpFailure.upstream(
            new JsonRpcError(-32602, "no task 'own'", new JsonObject().put("x", 1)));

    McpFailure shown =
        McpFailure.of(
            passing(ADA, "tasks.get", params).sealed(Future.failedFuture(failure)).cause());

    assertThat(shown.getMessage()).isEqualTo("no task '" + sealed + "'");
    assertThat(shown.toJsonRpcError())
        .isEqualTo(
            new JsonObject()
                .put("code", -32602)
                .put("message", "no task '" + sealed + "'")
                .put("data", new JsonObject().put("x", 1)));
    assertThat(failure.data().encode()).as("the failure of the connection").contains("'own'");
  }

  @Test
  void a_fact_about_a_task_names_it_as_its_owner_does() {
    JsonObject event =
        new JsonObject()
            .put("type", "task")
            .put("id", "s")
            .put("principal", "ada")
            .put("params", new JsonObject().put("taskId", "own").put("status", "working"));

    JsonObject shown = tasks.sealed(event);

    assertThat(shown.getJsonObject("params"))
        .isEqualTo(new JsonObject().put("taskId", sealed).put("status", "working"));
    assertThat(event.getJsonObject("params").getString("taskId")).isEqualTo("own");
  }
}
