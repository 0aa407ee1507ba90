package dev.mcpbus;

import static dev.mcpbus.testing.TestBus.address;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.Events;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.Headers;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.Future;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;

/** All that server-everything can do, one thing after another, over whatever wire it is behind. */
final class EverythingTour {

  static final String ID = "everything";

  /** What an entry offers the server, so that it asks. */
  static final JsonArray ASKABLE = new JsonArray().add("elicitation").add("sampling").add("roots");

  private static final String URI = "demo://resource/dynamic/text/1";

  private final TestBus bus;
  private final Set<String> tools;

  EverythingTour(TestBus bus) {
    this.bus = bus;
    JsonObject list = request(Addresses.TOOLS_LIST, new JsonObject());
    this.tools =
        list.getJsonArray("tools").stream()
            .map(tool -> ((JsonObject) tool).getString("name"))
            .collect(Collectors.toSet());
  }

  Set<String> tools() {
    return tools;
  }

  private static ConditionFactory patiently(String what) {
    return Awaitility.await(what).atMost(Duration.ofSeconds(60));
  }

  private JsonObject request(String suffix, JsonObject body) {
    return bus.request(address(ID, suffix), body);
  }

  private JsonObject call(String tool, JsonObject arguments) {
    return bus.callTool(ID, tool, arguments);
  }

  private static String text(JsonObject result) {
    return result.getJsonArray("content").getJsonObject(0).getString("text", "");
  }

  /** What needs no stream from the server beside the answer. */
  void askAndAnswer() {
    assertThat(text(call("echo", new JsonObject().put("message", "h\u00e9llo"))))
        .contains("h\u00e9llo");
    assertThat(text(call("get-sum", new JsonObject().put("a", 2).put("b", 40)))).contains("42");
    assertThat(call("get-tiny-image", new JsonObject()).encode()).contains("image/png");
    Message<JsonObject> structured =
        TestBus.await(
            bus.vertx()
                .eventBus()
                .request(
                    address(ID, Addresses.TOOLS_CALL),
                    TestBus.toolCall(
                        "get-structured-content", new JsonObject().put("location", "Chicago"))));
    assertThat(structured.body().getJsonObject("structuredContent").fieldNames())
        .contains("temperature", "conditions", "humidity");
    assertThat(structured.headers().get(Headers.OUTPUT_MISMATCH)).isNull();

    JsonObject resources = request(Addresses.RESOURCES_LIST, new JsonObject());
    assertThat(resources.getJsonArray("resources")).isNotEmpty();
    assertThat(
            request(Addresses.RESOURCES_TEMPLATES, new JsonObject())
                .getJsonArray("resourceTemplates"))
        .hasSize(2);
    JsonObject read = request(Addresses.RESOURCES_READ, new JsonObject().put("uri", URI));
    assertThat(read.getJsonArray("contents").getJsonObject(0).getString("uri")).isEqualTo(URI);

    JsonObject prompts = request(Addresses.PROMPTS_LIST, new JsonObject());
    assertThat(prompts.getJsonArray("prompts")).hasSize(4);
    JsonObject prompt =
        request(
            Addresses.PROMPTS_GET,
            new JsonObject()
                .put("name", "completable-prompt")
                .put("arguments", new JsonObject().put("department", "Sales").put("name", "Eve")));
    assertThat(prompt.encode()).contains("Eve", "Sales");
    assertThat(bus.status(ID).getValue("leftOutTools")).isNull();
  }

  void completes() {
    JsonObject argument = new JsonObject().put("name", "department").put("value", "S");
    JsonObject found =
        request(
            Addresses.COMPLETION,
            new JsonObject()
                .put(
                    "ref",
                    new JsonObject().put("type", "ref/prompt").put("name", "completable-prompt"))
                .put("argument", argument));
    assertThat(found.getJsonObject("completion").getJsonArray("values"))
        .containsExactly("Sales", "Support");
    JsonObject narrowed =
        request(
            Addresses.COMPLETION,
            new JsonObject()
                .put(
                    "ref",
                    new JsonObject().put("type", "ref/prompt").put("name", "completable-prompt"))
                .put("argument", new JsonObject().put("name", "name").put("value", "D"))
                .put(
                    "context",
                    new JsonObject()
                        .put("arguments", new JsonObject().put("department", "Sales"))));
    assertThat(narrowed.getJsonObject("completion").getJsonArray("values"))
        .containsExactly("David");
  }

  void logs() {
    request(Addresses.LOGLEVEL, new JsonObject().put("level", "debug"));
    call("toggle-simulated-logging", new JsonObject());
    patiently("a log message").until(() -> !bus.events(Events.LOG).isEmpty());
    call("toggle-simulated-logging", new JsonObject());
    assertThat(bus.events(Events.LOG).get(0).getJsonObject("params").getString("level"))
        .isNotEmpty();
  }

  void subscribes() {
    JsonObject wanted = new JsonObject().put("uri", URI);
    request(Addresses.RESOURCES_SUBSCRIBE, wanted);
    call("toggle-subscriber-updates", new JsonObject());
    patiently("an update")
        .until(
            () ->
                bus.events(Events.RESOURCE_UPDATED).stream()
                    .anyMatch(event -> URI.equals(event.getJsonObject("params").getString("uri"))));
    call("toggle-subscriber-updates", new JsonObject());
    request(Addresses.RESOURCES_UNSUBSCRIBE, wanted);
  }

  void reportsProgress() {
    List<Integer> heard = longRunningHeard();
    patiently("progress").until(() -> heard.equals(List.of(1, 2, 3, 4)));
  }

  void reportsProgressButForTheLast() {
    List<Integer> heard = longRunningHeard();
    patiently("progress").until(() -> heard.size() >= 3);
    assertThat(List.of(1, 2, 3, 4)).startsWith(heard.toArray(Integer[]::new));
  }

  private List<Integer> longRunningHeard() {
    List<Integer> heard = new CopyOnWriteArrayList<>();
    bus.vertx()
        .eventBus()
        .<JsonObject>consumer(
            "tour.progress", message -> heard.add(message.body().getInteger("progress")));
    JsonObject done =
        bus.request(
            address(ID, Addresses.TOOLS_CALL),
            longRunning(1),
            new DeliveryOptions().addHeader(Headers.PROGRESS, "tour.progress"));
    assertThat(text(done)).contains("completed");
    return heard;
  }

  private static JsonObject longRunning(int seconds) {
    return TestBus.toolCall(
        "trigger-long-running-operation",
        new JsonObject().put("duration", seconds).put("steps", 4));
  }

  /** A call that is cancelled ends at once, and the connection serves on. */
  void cancels() {
    Future<JsonObject> call =
        bus.send(
            address(ID, Addresses.TOOLS_CALL),
            longRunning(30),
            new DeliveryOptions().addHeader(Headers.CALL_ID, "tour"));
    patiently("the call is on its way")
        .until(() -> bus.status(ID).getJsonObject("transport").getInteger("pending") > 0);
    JsonObject cancelled = request(Addresses.CANCEL, new JsonObject().put("callId", "tour"));
    assertThat(cancelled.getBoolean("cancelled")).isTrue();
    assertThat(call)
        .satisfies(
            ended -> {
              McpFailure failure =
                  McpFailure.of(
                      TestBus.await(ended.transform(e -> Future.succeededFuture(e.cause()))));
              assertThat(failure.code()).isEqualTo(FailureCode.CANCELLED);
            });
    assertThat(text(call("echo", new JsonObject().put("message", "on")))).contains("on");
  }

  void refuses() {
    McpFailure invalid =
        bus.failure(
            address(ID, Addresses.TOOLS_CALL),
            TestBus.toolCall("get-sum", new JsonObject().put("a", "two")));
    assertThat(invalid.code()).isEqualTo(FailureCode.INVALID_ARGUMENTS);
    McpFailure unknown =
        bus.failure(
            address(ID, Addresses.PROMPTS_GET), new JsonObject().put("name", "no-such-prompt"));
    assertThat(unknown.code()).isEqualTo(FailureCode.UPSTREAM_ERROR);
  }

  /** Elicitation, sampling and roots, each answered over the bus. */
  void answersWhatItAsks() {
    JsonObject answers =
        new JsonObject()
            .put(
                Methods.ELICITATION,
                new JsonObject()
                    .put("action", "accept")
                    .put("content", new JsonObject().put("name", "Ada L.")))
            .put(
                Methods.SAMPLING,
                new JsonObject()
                    .put("role", "assistant")
                    .put("model", "none")
                    .put(
                        "content",
                        new JsonObject().put("type", "text").put("text", "sampled here")))
            .put(
                Methods.ROOTS_LIST,
                new JsonObject()
                    .put(
                        "roots",
                        new JsonArray()
                            .add(new JsonObject().put("uri", "file:///tour").put("name", "tour"))));
    bus.vertx()
        .eventBus()
        .<JsonObject>consumer(
            address(ID, Addresses.INPUT),
            question -> question.reply(answers.getJsonObject(question.body().getString("method"))));
    assertThat(call("trigger-elicitation-request", new JsonObject()).encode()).contains("Ada L.");
    assertThat(call("trigger-sampling-request", new JsonObject().put("prompt", "say it")).encode())
        .contains("sampled here");
    assertThat(call("get-roots-list", new JsonObject()).encode()).contains("file:///tour");
  }
}
