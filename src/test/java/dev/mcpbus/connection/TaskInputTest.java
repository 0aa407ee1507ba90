package dev.mcpbus.connection;

import static dev.mcpbus.connection.TaskPeer.completed;
import static dev.mcpbus.connection.TaskPeer.created;
import static dev.mcpbus.connection.TaskPeer.named;
import static dev.mcpbus.connection.TaskPeer.result;
import static dev.mcpbus.connection.TaskPeer.state;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.Headers;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.client.McpClient;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.testing.ScriptedPeer;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.json.JsonObject;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tasks of the discover era with questions. */
class TaskInputTest {

  private static final DeliveryOptions NONE = new DeliveryOptions();
  private static final String ASKING = asking("who", "elicitation/create");
  private static final JsonObject BO =
      new JsonObject().put("action", "accept").put("content", new JsonObject().put("name", "Bo"));

  @SuppressWarnings("NullAway.Init") // set before each test
  private TestBus bus;

  private final AtomicInteger questions = new AtomicInteger();
  private final Promise<JsonObject> answer = Promise.promise();

  @BeforeEach
  void start() {
    bus = TestBus.start(new JsonObject());
  }

  @AfterEach
  void stop() {
    bus.close();
  }

  private static String asking(String key, String method) {
    return state(
        "input_required",
        ",\"inputRequests\":{\""
            + key
            + "\":{\"method\":\""
            + method
            + "\",\"params\":{\"message\":\"Who?\",\"requestedSchema\":{\"type\":\"object\","
            + "\"properties\":{\"name\":{\"type\":\"string\"}}}}}}");
  }

  private TaskPeer peer() {
    return TaskPeer.discover(bus)
        .on(Methods.TOOLS_CALL, created(50))
        .on(Methods.TASKS_GET, ASKING)
        .on(Methods.TASKS_CANCEL, result("{\"resultType\":\"complete\"}"))
        .on(Methods.TASKS_UPDATE, result("{\"resultType\":\"complete\"}"));
  }

  private void answerElicitations() {
    McpClient client = McpClient.create(bus.vertx());
    TestBus.await(
        client.setInputHandler(
            Methods.ELICITATION,
            (server, question) -> {
              questions.incrementAndGet();
              return answer.future();
            }));
  }

  private static void awaitPolls(TaskPeer peer, int more) {
    int enough = peer.asked().size() + more;
    Awaitility.await().until(() -> peer.asked().size() >= enough);
  }

  @Test
  void a_question_is_put_once_and_its_answer_sent_once() {
    TaskPeer peer = peer().connect();
    answerElicitations();
    Future<JsonObject> call = peer.call("plain", NONE);
    awaitPolls(peer, 3);
    answer.complete(BO);
    peer.await(Methods.TASKS_UPDATE);
    awaitPolls(peer, 3); // the server still lists the question: its answer is on its way
    peer.on(Methods.TASKS_GET, completed("hello"));
    assertThat(TestBus.await(call).encode()).contains("hello");
    assertThat(questions).hasValue(1);
    assertThat(peer.params(Methods.TASKS_UPDATE)).hasSize(1);
    JsonObject update = peer.params(Methods.TASKS_UPDATE).get(0);
    assertThat(update.getString("taskId")).isEqualTo("t-1");
    assertThat(update.getJsonObject("inputResponses")).isEqualTo(new JsonObject().put("who", BO));
    assertThat(peer.peer().received(Methods.TOOLS_CALL)).hasSize(1);
  }

  @Test
  void two_who_wait_for_the_same_task_put_its_question_once() {
    TaskPeer peer = peer().connect();
    answerElicitations();
    Future<JsonObject> first = bus.send(TaskPeer.address(Addresses.TASKS_RESULT), named(), NONE);
    Future<JsonObject> second = bus.send(TaskPeer.address(Addresses.TASKS_RESULT), named(), NONE);
    awaitPolls(peer, 6);
    answer.complete(BO);
    peer.await(Methods.TASKS_UPDATE);
    peer.on(Methods.TASKS_GET, completed("hello"));
    assertThat(TestBus.await(first)).isEqualTo(TestBus.await(second));
    assertThat(questions).hasValue(1);
    assertThat(peer.params(Methods.TASKS_UPDATE)).hasSize(1);
  }

  @Test
  void an_answer_that_did_not_arrive_is_sent_again() {
    TaskPeer peer = peer().on(Methods.TASKS_UPDATE, ScriptedPeer.error(-32603, "busy")).connect();
    answerElicitations();
    answer.complete(BO);
    Future<JsonObject> call = peer.call("plain", NONE);
    Awaitility.await().until(() -> peer.params(Methods.TASKS_UPDATE).size() >= 2);
    peer.on(Methods.TASKS_GET, completed("hello"));
    assertThat(TestBus.await(call).encode()).contains("hello");
    assertThat(questions).hasValue(1);
  }

  @Test
  void a_question_and_its_answer_outlive_the_session() {
    TaskPeer peer = peer().connect();
    answerElicitations();
    Future<JsonObject> call = peer.call("plain", NONE);
    Awaitility.await().until(() -> questions.get() == 1);
    peer.peer().hangUp();
    Awaitility.await().until(() -> peer.peer().connections() == 2);
    answer.complete(BO);
    peer.await(Methods.TASKS_UPDATE);
    peer.on(Methods.TASKS_GET, completed("hello"));
    assertThat(TestBus.await(call).encode()).contains("hello");
    assertThat(questions).hasValue(1);
  }

  @Test
  void a_question_without_a_handler_ends_the_call_and_the_task() {
    TaskPeer peer = peer().on(Methods.TASKS_GET, asking("model", "roots/list")).connect();
    McpClient client = McpClient.create(bus.vertx());
    TestBus.await(
        client.setInputHandler(
            Methods.ROOTS_LIST,
            (server, question) ->
                Future.failedFuture(McpFailure.notSent(FailureCode.FORBIDDEN, "not for you"))));
    McpFailure failure = peer.failedCall("plain", NONE);
    assertThat(failure.code()).isEqualTo(FailureCode.UNAVAILABLE);
    assertThat(failure).hasMessageContaining("roots/list");
    peer.await(Methods.TASKS_CANCEL);
  }

  @Test
  void only_the_address_that_the_call_names_gets_the_question() {
    TaskPeer peer = peer().connect();
    answerElicitations();
    answer.complete(new JsonObject().put("action", "decline"));
    bus.vertx().eventBus().<JsonObject>consumer("caller", asked -> asked.reply(BO));
    Future<JsonObject> call =
        peer.call("plain", new DeliveryOptions().addHeader(Headers.INPUT, "caller"));
    peer.await(Methods.TASKS_UPDATE);
    peer.on(Methods.TASKS_GET, completed("hello"));
    assertThat(TestBus.await(call).encode()).contains("hello");
    assertThat(peer.params(Methods.TASKS_UPDATE).get(0).getJsonObject("inputResponses"))
        .isEqualTo(new JsonObject().put("who", BO));
    assertThat(questions).hasValue(0);
  }

  @Test
  void no_handler_answers_for_a_caller_that_answers_by_calling_again() {
    TaskPeer peer = peer().connect();
    answerElicitations();
    answer.complete(BO);
    McpFailure failure =
        peer.failedCall("plain", new DeliveryOptions().addHeader(Headers.INPUT, Headers.PASS));
    assertThat(failure.code()).isEqualTo(FailureCode.UNAVAILABLE);
    assertThat(failure).hasMessageContaining("task");
    assertThat(questions).hasValue(0);
    peer.await(Methods.TASKS_CANCEL);
  }

  @Test
  void what_is_no_question_of_mcp_ends_the_call() {
    TaskPeer peer = peer().on(Methods.TASKS_GET, asking("x", "tools/call")).connect();
    assertThat(peer.failedCall("plain", NONE).code()).isEqualTo(FailureCode.PROTOCOL_ERROR);
    peer.await(Methods.TASKS_CANCEL);
  }

  @Test
  void a_caller_may_answer_by_hand() {
    TaskPeer peer = peer().connect();
    JsonObject task = peer.ask(Addresses.TASKS_GET);
    assertThat(task.getJsonObject("inputRequests").containsKey("who")).isTrue();
    JsonObject answers = new JsonObject().put("who", BO);
    JsonObject done =
        bus.request(
            TaskPeer.address(Addresses.TASKS_UPDATE), named().put("inputResponses", answers));
    assertThat(done.getString("resultType")).isEqualTo("complete");
    assertThat(peer.params(Methods.TASKS_UPDATE).get(0).getJsonObject("inputResponses"))
        .isEqualTo(answers);
  }

  @Test
  void a_question_that_the_server_takes_back_is_withdrawn() {
    TaskPeer peer = peer().connect();
    answerElicitations();
    Future<JsonObject> call = peer.call("plain", NONE);
    Awaitility.await().until(() -> questions.get() == 1);
    peer.on(Methods.TASKS_GET, state("working", ""));
    awaitPolls(peer, 2);
    answer.complete(BO);
    awaitPolls(peer, 2);
    peer.on(Methods.TASKS_GET, completed("hello"));
    assertThat(TestBus.await(call).encode()).contains("hello");
    assertThat(peer.params(Methods.TASKS_UPDATE)).isEmpty();
  }
}
