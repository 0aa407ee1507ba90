package dev.mcpbus.testing;

import static dev.mcpbus.testing.ToolResultAssert.assertThatResult;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mcpbus.McpBus;
import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.Events;
import dev.mcpbus.bus.Headers;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.client.CallOptions;
import dev.mcpbus.protocol.Era;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.ProtocolVersion;
import dev.mcpbus.server.LogLevel;
import dev.mcpbus.server.ToolResult;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.junit5.VertxExtension;
import io.vertx.junit5.VertxTestContext;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The kit for tests of programs that embed mcpbus, used as these use it. */
@ExtendWith(VertxExtension.class)
class TestingKitTest {

  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final JsonObject HERE = new JsonObject().put("path", ".");

  private FakeMcpServer git;

  @SuppressWarnings("NullAway.Init") // set when the bus has started
  private McpBus bus;

  @BeforeEach
  void start(Vertx vertx, VertxTestContext test) {
    JsonObject schema =
        new JsonObject().put("type", "object").put("required", new JsonArray().add("message"));
    git =
        FakeMcpServer.create(vertx, "git")
            .tool("status", "clean")
            .failingTool("push", "fetch first")
            .refusingTool("gc", -32603, "disk is full")
            .tool("commit", schema, arguments -> Future.succeededFuture(ToolResult.text("done")));
    McpBus.start(vertx, McpBus.Options.of())
        .onSuccess(started -> bus = started)
        .compose(started -> started.add("git", git.transport()))
        .compose(added -> bus.awaitReady(PATIENCE, "git"))
        .onComplete(test.succeedingThenComplete());
  }

  @Test
  void a_call_gets_the_scripted_answer_and_is_recorded() {
    assertThatResult(TestBus.await(call("status", HERE))).isSuccess().hasText("clean");

    git.assertCalled("status");
    git.assertCalled("status", HERE);
    git.assertCalls("status", 1);
    assertThat(git.requests()).hasSize(1);
    assertThat(git.requests().get(0).toString()).isEqualTo("tools/call status {\"path\":\".\"}");
  }

  @Test
  void an_assertion_that_fails_shows_what_came() {
    TestBus.await(call("status", HERE));

    assertThatThrownBy(() -> git.assertNotCalled("status"))
        .isInstanceOf(AssertionError.class)
        .hasMessage(
            "the tool \"status\" was called; calls so far:\n  tools/call status {\"path\":\".\"}");
    assertThatThrownBy(() -> git.assertCalled("push"))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("\"push\" was not called; calls so far:\n  tools/call status");
    assertThatThrownBy(() -> git.assertCalled("status", new JsonObject()))
        .hasMessageContaining("was not called with {}");
    assertThatThrownBy(() -> git.assertCalls("status", 2))
        .hasMessageContaining("was called 1 times, not 2");
    git.forgetRequests();
    assertThatThrownBy(() -> git.assertCalled("status")).hasMessageContaining("calls so far: none");
    assertThatThrownBy(() -> git.hold("pull")).hasMessageContaining("has no tool \"pull\"");
    git.assertNotCalled("status");
  }

  @Test
  void results_are_compared_with_the_whole_result_in_the_message() {
    JsonObject result = ToolResult.structured(HERE);

    assertThatResult(result).isSuccess().containsText("path").hasStructuredContent(HERE);
    assertThatThrownBy(() -> assertThatResult(result).isError())
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("the tool has not failed; the result is {\"content\"");
    assertThatThrownBy(() -> assertThatResult(result).hasText("x"))
        .hasMessageContaining("the text is not \"x\"");
    assertThatThrownBy(() -> assertThatResult(result).containsText("x"))
        .isInstanceOf(AssertionError.class);
    assertThatThrownBy(() -> assertThatResult(result).hasStructuredContent(new JsonObject()))
        .isInstanceOf(AssertionError.class);
    assertThatThrownBy(() -> assertThatResult(ToolResult.error("no")).isSuccess())
        .isInstanceOf(AssertionError.class);
  }

  @Test
  void tools_fail_and_are_refused_as_the_script_says() {
    assertThatResult(TestBus.await(call("push", HERE))).isError().hasText("fetch first");
    assertThatThrownBy(() -> TestBus.await(call("gc", HERE)))
        .isInstanceOf(McpFailure.class)
        .hasMessageContaining("disk is full");
    git.tool("push", "done");
    assertThatResult(TestBus.await(call("push", HERE))).isSuccess();
  }

  @Test
  void clients_are_notified_of_tools_that_come_and_go(Vertx vertx) {
    EventRecorder events = TestBus.await(EventRecorder.start(vertx));

    git.tool("pull", "up to date").removeTool("push");

    TestBus.await(events.await("git", Events.TOOLS_CHANGED, PATIENCE));
    Awaitility.await("the new list")
        .until(() -> send(Addresses.TOOLS_LIST, new JsonObject()).encode().contains("\"pull\""));
    assertThatThrownBy(() -> TestBus.await(call("push", HERE))).isInstanceOf(McpFailure.class);
  }

  @Test
  void a_held_call_is_in_flight_until_the_test_releases_it() {
    git.hold("status");
    Future<JsonObject> call = call("status", HERE);
    Awaitility.await("the call to arrive").until(() -> git.calls("status").size() == 1);
    assertThat(call.isComplete()).isFalse();

    git.release("status");

    assertThatResult(TestBus.await(call)).hasText("clean");
  }

  @Test
  void a_delay_ends_when_the_test_moves_the_time() {
    FakeTime time = new FakeTime();
    git.withTime(time).delay("status", Duration.ofMinutes(2));
    Future<JsonObject> call = call("status", HERE);
    Awaitility.await("the call to arrive").until(() -> time.waiting() == 1);
    time.advance(Duration.ofSeconds(119));
    assertThat(call.isComplete()).isFalse();

    time.advance(Duration.ofSeconds(1));

    assertThatResult(TestBus.await(call)).hasText("clean");
    assertThat(time.waiting()).isZero();
  }

  @Test
  void resources_and_prompts_are_served() {
    git.resource("file:///readme", "text/plain", "hello").prompt("review", "Please review.");

    assertThat(send(Addresses.RESOURCES_LIST, new JsonObject()).encode())
        .contains("file:///readme")
        .doesNotContain("hello");
    assertThat(
            send(Addresses.RESOURCES_READ, new JsonObject().put("uri", "file:///readme")).encode())
        .contains("hello");
    assertThat(send(Addresses.PROMPTS_LIST, new JsonObject()).encode()).contains("review");
    assertThat(send(Addresses.PROMPTS_GET, new JsonObject().put("name", "review")).encode())
        .contains("Please review.");
  }

  @Test
  void a_lost_connection_is_an_event_and_comes_back(Vertx vertx) {
    EventRecorder events = TestBus.await(EventRecorder.start(vertx));
    events.assertNone("git", Events.DISCONNECTED);

    TestBus.await(git.disconnect());

    TestBus.await(events.await("git", Events.DISCONNECTED, PATIENCE));
    TestBus.await(events.await("git", Events.CONNECTED, PATIENCE));
    assertThatResult(TestBus.await(call("status", HERE))).hasText("clean");
    assertThatThrownBy(() -> events.assertNone("git", Events.DISCONNECTED))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("git disconnected");
    assertThatThrownBy(() -> TestBus.await(events.await("git", "nothing", Duration.ofMillis(1))))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("no event \"nothing\" of \"git\"");
    TestBus.await(events.close());
  }

  @Test
  void a_server_that_refuses_connections_is_not_ready() {
    git.refuseConnections(true);
    TestBus.await(git.disconnect());
    Awaitility.await("the loss")
        .until(() -> !TestBus.await(bus.server("git").status()).state().serves());

    assertThatThrownBy(() -> TestBus.await(bus.awaitReady(Duration.ofMillis(50), "git")))
        .isInstanceOf(McpFailure.class);
    git.refuseConnections(false);
    TestBus.await(bus.awaitReady(PATIENCE, "git"));
  }

  @Test
  void arguments_are_checked_against_the_schema() {
    assertThatThrownBy(() -> TestBus.await(call("commit", HERE)))
        .isInstanceOf(McpFailure.class)
        .hasMessageContaining("message");
    git.assertNotCalled("commit");
  }

  // Scripts.

  private static final JsonObject FORM =
      new JsonObject()
          .put("message", "Really?")
          .put("requestedSchema", new JsonObject().put("type", "object"));

  /** Another server, on the same bus. */
  private FakeMcpServer added(FakeMcpServer fake, String id) {
    TestBus.await(bus.add(id, fake.transport()));
    TestBus.await(bus.awaitReady(PATIENCE, id));
    return fake;
  }

  @ParameterizedTest
  @EnumSource(names = {"V2025_11_25", "V2026_07_28"})
  void a_script_tells_asks_and_answers_in_both_eras(ProtocolVersion version, Vertx vertx) {
    JsonObject schema =
        new JsonObject()
            .put("type", "object")
            .put("properties", new JsonObject().put("said", new JsonObject().put("type", "string")))
            .put("required", new JsonArray().add("said"));
    TestBus.await(
        bus.client()
            .setInputHandler(
                Methods.ELICITATION,
                (server, question) ->
                    Future.succeededFuture(new JsonObject().put("action", "decline"))));
    added(
        FakeMcpServer.create(vertx, "files")
            .versions(version)
            .tool(
                "delete",
                ToolScript.of()
                    .define("title", "Delete")
                    .define("annotations", new JsonObject().put("destructiveHint", true))
                    .define("outputSchema", schema)
                    .progress(1, 2.0, "looking")
                    .log(LogLevel.ERROR, "files", "one")
                    .ask("elicitation/create", FORM)
                    .answer(
                        answers ->
                            ToolResult.structured(
                                new JsonObject().put("said", answers.get(0).getString("action"))))),
        "files");
    EventRecorder events = TestBus.await(EventRecorder.start(vertx));
    List<String> told = new CopyOnWriteArrayList<>();
    vertx
        .eventBus()
        .<JsonObject>consumer("my.progress", one -> told.add(one.body().getString("message")));

    JsonObject result =
        TestBus.await(
                vertx
                    .eventBus()
                    .<JsonObject>request(
                        TestBus.address("files", Addresses.TOOLS_CALL),
                        TestBus.toolCall("delete", new JsonObject()),
                        new DeliveryOptions().addHeader(Headers.PROGRESS, "my.progress")))
            .body();

    assertThatResult(result)
        .isSuccess()
        .hasStructuredContent(new JsonObject().put("said", "decline"));
    assertThat(told).contains("looking");
    if (version.era() == Era.INITIALIZE) { // in the other era a caller asks for the log
      TestBus.await(events.await("files", Events.LOG, PATIENCE));
    }
    assertThat(TestBus.await(bus.server("files").status()).protocolVersion())
        .isEqualTo(version.wire());
    assertThat(
            TestBus.await(
                    bus.server("files")
                        .send(Addresses.TOOLS_LIST, new JsonObject(), CallOptions.DEFAULT))
                .encode())
        .contains("destructiveHint", "\"title\":\"Delete\"", "outputSchema");
  }

  @Test
  void a_server_may_be_without_what_others_have(Vertx vertx) {
    added(FakeMcpServer.create(vertx, "bare").without("prompts").tool("a", "b"), "bare");

    assertThat(TestBus.await(bus.server("bare").status()).capabilities().fieldNames())
        .contains("tools", "resources")
        .doesNotContain("prompts");
  }

  @Test
  void clients_are_notified_of_resources_and_prompts(Vertx vertx) {
    EventRecorder events = TestBus.await(EventRecorder.start(vertx));
    git.resource("file:///a", "text/plain", "one").prompt("p", "text");
    TestBus.await(events.await("git", Events.RESOURCES_CHANGED, PATIENCE));
    TestBus.await(events.await("git", Events.PROMPTS_CHANGED, PATIENCE));
    send(Addresses.RESOURCES_SUBSCRIBE, new JsonObject().put("uri", "file:///a"));
    // Again, because in the discover era the stream may be younger than the subscription.
    Awaitility.await("the update")
        .until(
            () -> {
              git.resource("file:///a", "text/plain", "two");
              return !events.events("git", Events.RESOURCE_UPDATED).isEmpty();
            });
  }

  @Test
  void requests_without_an_answer_are_known() {
    git.hold("status");
    Future<JsonObject> call = call("status", HERE);
    Awaitility.await("the call to arrive").until(() -> git.openRequests().size() == 1);
    assertThat(git.openRequests().get(0).toString()).startsWith("tools/call status");
    assertThat(git.connections()).isEqualTo(1);
    git.release("status");
    TestBus.await(call);
    Awaitility.await("the end").until(() -> git.openRequests().isEmpty());
  }

  private JsonObject send(String suffix, JsonObject params) {
    return TestBus.await(bus.server("git").send(suffix, params, CallOptions.DEFAULT));
  }

  private Future<JsonObject> call(String tool, JsonObject arguments) {
    return bus.server("git")
        .send(Addresses.TOOLS_CALL, TestBus.toolCall(tool, arguments), CallOptions.DEFAULT);
  }
}
