package dev.mcpbus;

import static dev.mcpbus.testing.TestBus.address;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.Events;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.client.CallOptions;
import dev.mcpbus.client.CancellationToken;
import dev.mcpbus.client.McpClient;
import dev.mcpbus.client.ToolCallResult;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.testing.Fixture;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Clients of both eras, through the gateway, to servers of both eras over both transports: what the
 * one can, the other gets. The clients are connections of our own in another mcpbus, pinned to
 * their era; the servers are on the official SDK.
 */
class GatewayMatrixIT {

  private static final String ALL = "combinations";

  private static final Map<String, String> VERSIONS =
      Map.of("legacy", "2025-11-25", "modern", "2026-07-28");

  /** One cell of the matrix. */
  record Combination(String clientEra, String serverEra, String transport) {

    String server() {
      return serverEra + "-" + transport;
    }

    String client() {
      return clientEra + "-on-" + server();
    }

    @Override
    public String toString() {
      return clientEra + " client, " + serverEra + " server over " + transport;
    }
  }

  @TempDir static Path folder;

  private static Fixture fixture;
  private static TestBus gateway;
  private static TestBus clients;
  private static McpClient client;

  static Stream<Combination> combinations() {
    return Stream.of("legacy", "modern")
        .flatMap(
            clientEra ->
                Stream.of("legacy", "modern")
                    .flatMap(
                        serverEra ->
                            Stream.of("stdio", "http")
                                .map(
                                    transport ->
                                        new Combination(clientEra, serverEra, transport))));
  }

  @BeforeAll
  static void start() {
    fixture = new Fixture(folder);
    JsonObject servers = new JsonObject();
    for (String era : List.of("legacy", "modern")) {
      for (String transport : List.of("stdio", "http")) {
        servers.put(era + "-" + transport, fixture.entry(era, transport));
      }
    }
    gateway = TestBus.startWithBridge(servers);
    servers.fieldNames().forEach(id -> gateway.awaitState(id, "READY"));
    JsonObject entries = new JsonObject();
    combinations().forEach(one -> entries.put(one.client(), entry(one)));
    clients = TestBus.start(entries);
    client = McpClient.create(clients.vertx());
    TestBus.await(
        client.setInputHandler(Methods.ELICITATION, (from, question) -> accept(question)));
    entries.fieldNames().forEach(id -> clients.awaitState(id, "READY"));
  }

  @AfterAll
  static void close() {
    clients.close();
    gateway.close();
    fixture.close();
  }

  private static JsonObject entry(Combination one) {
    return new JsonObject()
        .put("url", "http://127.0.0.1:" + gateway.port() + "/mcp/" + one.server())
        .put("protocolVersion", VERSIONS.get(one.clientEra()))
        .put("capabilities", new JsonArray().add("elicitation"));
  }

  private static Future<JsonObject> accept(JsonObject question) {
    JsonObject content = new JsonObject();
    question
        .getJsonObject("requestedSchema")
        .getJsonObject("properties")
        .fieldNames()
        .forEach(name -> content.put(name, "my " + name));
    return Future.succeededFuture(new JsonObject().put("action", "accept").put("content", content));
  }

  private static JsonObject ask(Combination one, String suffix, JsonObject body) {
    return clients.request(address(one.client(), suffix), body);
  }

  private static List<String> names(Combination one, String suffix, String list, String key) {
    return ask(one, suffix, new JsonObject()).getJsonArray(list).stream()
        .map(item -> ((JsonObject) item).getString(key))
        .toList();
  }

  private static String text(JsonObject result) {
    return result.getJsonArray("content").getJsonObject(0).getString("text");
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource(ALL)
  void both_sides_speak_the_era_that_they_are_pinned_to(Combination one) {
    assertThat(clients.status(one.client()).getString("protocolVersion"))
        .isEqualTo(VERSIONS.get(one.clientEra()));
    // A program that only lists rests while its client has one of its own.
    gateway.request(address(one.server(), Addresses.PING), new JsonObject());
    assertThat(gateway.status(one.server()).getString("protocolVersion"))
        .isEqualTo(VERSIONS.get(one.serverEra()));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource(ALL)
  void tools(Combination one) {
    assertThat(names(one, Addresses.TOOLS_LIST, "tools", "name")).contains("test_simple_text");
    assertThat(text(clients.callTool(one.client(), "test_simple_text", new JsonObject())))
        .isEqualTo("This is a simple text response for testing.");
    JsonObject failed = clients.callTool(one.client(), "test_error_handling", new JsonObject());
    assertThat(failed.getBoolean("isError")).isTrue();
    JsonObject many =
        clients.callTool(one.client(), "test_multiple_content_types", new JsonObject());
    assertThat(many.getJsonArray("content"))
        .extracting(item -> ((JsonObject) item).getString("type"))
        .containsExactly("text", "image", "resource");
    McpFailure unknown =
        clients.failure(
            address(one.client(), Addresses.TOOLS_CALL),
            TestBus.toolCall("no_such_tool", new JsonObject()));
    assertThat(unknown.code()).isEqualTo(FailureCode.UNKNOWN_TOOL);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource(ALL)
  void resources(Combination one) {
    assertThat(names(one, Addresses.RESOURCES_LIST, "resources", "uri"))
        .contains("test://static-text", "test://static-binary");
    assertThat(names(one, Addresses.RESOURCES_TEMPLATES, "resourceTemplates", "uriTemplate"))
        .containsExactly("test://template/{id}/data");
    assertThat(read(one, "test://static-text").getString("text"))
        .isEqualTo("This is the content of the static text resource.");
    assertThat(read(one, "test://static-binary").getString("blob")).isNotBlank();
    assertThat(read(one, "test://template/7/data").getString("text")).contains("Data for ID: 7");
    McpFailure missing =
        clients.failure(
            address(one.client(), Addresses.RESOURCES_READ),
            new JsonObject().put("uri", "test://missing"));
    assertThat(missing.getMessage()).containsIgnoringCase("resource");
  }

  private static JsonObject read(Combination one, String uri) {
    return ask(one, Addresses.RESOURCES_READ, new JsonObject().put("uri", uri))
        .getJsonArray("contents")
        .getJsonObject(0);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource(ALL)
  void prompts(Combination one) {
    assertThat(names(one, Addresses.PROMPTS_LIST, "prompts", "name"))
        .contains("test_simple_prompt", "test_prompt_with_arguments");
    JsonObject prompt =
        ask(
            one,
            Addresses.PROMPTS_GET,
            new JsonObject()
                .put("name", "test_prompt_with_arguments")
                .put("arguments", new JsonObject().put("arg1", "one").put("arg2", "two")));
    assertThat(prompt.getJsonArray("messages").encode()).contains("arg1='one', arg2='two'");
    assertThat(completions(one)).containsExactly("paris", "park", "party");
  }

  private static JsonArray completions(Combination one) {
    return ask(
            one,
            Addresses.COMPLETION,
            new JsonObject()
                .put(
                    "ref",
                    new JsonObject()
                        .put("type", "ref/prompt")
                        .put("name", "test_prompt_with_arguments"))
                .put("argument", new JsonObject().put("name", "arg1").put("value", "par")))
        .getJsonObject("completion")
        .getJsonArray("values");
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource(ALL)
  void elicitation(Combination one) {
    JsonObject answered =
        clients.callTool(
            one.client(), "test_elicitation", new JsonObject().put("message", "Who are you?"));
    assertThat(text(answered)).contains("my username", "my email", "accept");
    assertThat(
            text(
                clients.callTool(
                    one.client(), "test_input_required_result_multi_round", new JsonObject())))
        .isEqualTo("my name likes my color");
    JsonObject prompt =
        ask(
            one,
            Addresses.PROMPTS_GET,
            new JsonObject().put("name", "test_input_required_result_prompt"));
    assertThat(prompt.encode()).contains("Context: my context");
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource(ALL)
  void progress(Combination one) {
    List<Double> heard = new CopyOnWriteArrayList<>();
    ToolCallResult result =
        TestBus.await(
            client
                .server(one.client())
                .callTool(
                    "test_tool_with_progress",
                    Map.of(),
                    CallOptions.timeout(Duration.ofSeconds(30))
                        .withProgress(told -> heard.add(told.progress()))));
    assertThat(String.valueOf(result.content())).contains("done");
    await().untilAsserted(() -> assertThat(heard).containsExactly(0.0, 50.0, 100.0));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource(ALL)
  void cancel(Combination one) {
    CancellationToken token = new CancellationToken();
    Future<ToolCallResult> call =
        client
            .server(one.client())
            .callTool(
                "test_wait",
                Map.of("name", one.client()),
                CallOptions.timeout(Duration.ofSeconds(50)).withCancel(token));
    await().until(() -> fixture.notes(one.client()), notes -> notes.equals("started\n"));
    token.cancel();
    await().until(() -> fixture.notes(one.client()), notes -> notes.equals("started\ncancelled\n"));
    assertThat(call.failed()).isTrue();
    assertThat(McpFailure.of(call.cause()).code()).isEqualTo(FailureCode.CANCELLED);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource(ALL)
  void list_changed(Combination one) {
    change(one, "tool", Addresses.TOOLS_LIST, Events.TOOLS_CHANGED);
    change(one, "prompt", Addresses.PROMPTS_LIST, Events.PROMPTS_CHANGED);
  }

  /** The server's list changes; the client hears of it, and finds what has come or gone. */
  private static void change(Combination one, String what, String suffix, String event) {
    String extra = "test_extra_" + what;
    boolean before = names(one, suffix, what + "s", "name").contains(extra);
    long heard = heard(one, event);
    trigger(one, "test_trigger_" + what + "_change");
    await(event).until(() -> heard(one, event) > heard);
    await(extra)
        .until(() -> names(one, suffix, what + "s", "name").contains(extra), now -> now != before);
  }

  /** A client has a session of its own with an older server: that one's lists it sees. */
  private static void trigger(Combination one, String tool) {
    if (one.serverEra().equals("legacy")) {
      clients.callTool(one.client(), tool, new JsonObject());
    } else {
      gateway.callTool(one.server(), tool, new JsonObject());
    }
  }

  private static long heard(Combination one, String event) {
    return clients.events(event).stream()
        .filter(told -> one.client().equals(told.getString("id")))
        .count();
  }
}
