package dev.mcpbus.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.mcpbus.TestOptions;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.connection.options.ConnectionOptions;
import dev.mcpbus.testing.McpHttp;
import dev.mcpbus.testing.ScriptedPeer;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The bytes that clients of both eras receive: status, headers, results, errors and the frames of
 * streams. The expected text stands in {@code golden/}; a difference leaves the actual text in
 * {@code target/}.
 */
class GatewayBytesTest {

  private static final HttpClient CLIENT =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  private static final String QUESTION =
      "{\"jsonrpc\":\"2.0\",\"id\":77,\"method\":\"elicitation/create\",\"params\":{"
          + "\"message\":\"?\",\"requestedSchema\":{\"type\":\"object\",\"properties\":{}}}}";

  private static final String INITIALIZED =
      "\"result\":{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{\"tools\":{},"
          + "\"resources\":{},\"prompts\":{},\"logging\":{},\"completions\":{},\"tasks\":{"
          + "\"list\":{},\"cancel\":{},\"requests\":{\"tools\":{\"call\":{}}}}},"
          + "\"serverInfo\":{\"name\":\"peer\",\"version\":\"1\"},\"instructions\":\"Be kind.\"}";

  private static final String LONG = "long ".repeat(4_000);

  private final StringBuilder seen = new StringBuilder();
  private final List<String> headers = new ArrayList<>();
  private TestBus bus;
  private ScriptedPeer older;
  private int id;

  @BeforeEach
  void start() {
    bus = TestBus.startWithBridge(new JsonObject());
    older =
        connected(
            "o",
            new ScriptedPeer(
                bus.vertx(),
                (method, params, connection) ->
                    switch (method) {
                      case "server/discover" -> ScriptedPeer.error(-32601, "no such method");
                      case "initialize" -> INITIALIZED;
                      case "logging/setLevel" -> "\"result\":{}";
                      default -> answer(method, params, "");
                    }));
    connected(
        "m",
        ScriptedPeer.discover(
            bus.vertx(),
            (method, params, connection) ->
                method.equals("subscriptions/listen")
                    ? null
                    : answer(method, params, "\"resultType\":\"complete\",")));
  }

  @AfterEach
  void close() {
    bus.close();
  }

  private ScriptedPeer connected(String name, ScriptedPeer peer) {
    TestBus.await(
        TestOptions.add(
            bus.bus(), new ConnectionId(name), peer.transport(), ConnectionOptions.DEFAULT));
    bus.awaitState(name, "READY");
    return peer;
  }

  private static @Nullable String answer(String method, JsonObject params, String type) {
    String result =
        switch (method) {
          case "tools/list" ->
              "\"ttlMs\":60000,\"tools\":[{\"name\":\"now\",\"inputSchema\":{\"type\":\"object\"}},"
                  + "{\"name\":\"long\",\"inputSchema\":{\"type\":\"object\"}},"
                  + "{\"name\":\"fail\",\"inputSchema\":{\"type\":\"object\"}},"
                  + "{\"name\":\"wait\",\"inputSchema\":{\"type\":\"object\"}},"
                  + "{\"name\":\"task\",\"inputSchema\":{\"type\":\"object\"},"
                  + "\"execution\":{\"taskSupport\":\"optional\"}}]";
          case "resources/list" ->
              "\"ttlMs\":60000,\"resources\":[{\"uri\":\"file:///"
                  + (type.isEmpty() ? "o" : "m")
                  + "\",\"name\":\"a\"}]";
          case "resources/templates/list" -> "\"ttlMs\":60000,\"resourceTemplates\":[]";
          case "prompts/list" -> "\"ttlMs\":60000,\"prompts\":[{\"name\":\"p\"}]";
          case "prompts/get" -> "\"messages\":[]";
          case "resources/read" -> "\"contents\":[{\"uri\":\"file:///a\",\"text\":\"x\"}]";
          case "completion/complete" -> "\"completion\":{\"values\":[\"v\"]}";
          case "tools/call" ->
              switch (params.getString("name")) {
                case "now" -> "\"content\":[{\"type\":\"text\",\"text\":\"now\"}]";
                case "long" -> "\"content\":[{\"type\":\"text\",\"text\":\"" + LONG + "\"}]";
                case "fail" -> "";
                default -> null;
              };
          default -> null;
        };
    if (result == null) {
      return null;
    }
    return result.isEmpty()
        ? "\"error\":{\"code\":-32050,\"message\":\"broken\",\"data\":{\"why\":1}}"
        : "\"result\":{" + type + result + "}";
  }

  // ---- requests

  private CompletableFuture<HttpResponse<String>> sent(
      String method, String path, @Nullable String body, String... more) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + bus.port() + path))
            .method(method, body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(body));
    List<String> all = new ArrayList<>(headers);
    all.addAll(Arrays.asList(more));
    if (body != null && !all.contains("Content-Type")) {
      all.addAll(List.of("Content-Type", "application/json"));
    }
    if (!all.contains("Accept")) {
      all.addAll(List.of("Accept", "application/json, text/event-stream"));
    }
    request.headers(all.toArray(String[]::new));
    return CLIENT.sendAsync(request.build(), BodyHandlers.ofString());
  }

  private HttpResponse<String> noted(
      String what, CompletableFuture<HttpResponse<String>> response) {
    HttpResponse<String> got = response.orTimeout(60, TimeUnit.SECONDS).join();
    seen.append("== ").append(what).append('\n').append(got.statusCode()).append('\n');
    boolean timed = got.body().contains("createdAt"); // a time does not always have as many digits
    got.headers().map().entrySet().stream()
        .filter(header -> !timed || !header.getKey().equals("content-length"))
        .forEach(header -> seen.append(header.getKey() + ": " + header.getValue() + "\n"));
    seen.append(got.body().replace(LONG, "<long>")).append("\n\n");
    return got;
  }

  private void note(String what, String method, @Nullable String body, String... more) {
    noted(what, sent(method, "/mcp", body, more));
  }

  private CompletableFuture<HttpResponse<String>> discover(String method, JsonObject params) {
    return discover(method, params, new JsonObject());
  }

  private CompletableFuture<HttpResponse<String>> discover(
      String method, JsonObject params, JsonObject meta) {
    JsonObject request =
        new JsonObject()
            .put("jsonrpc", "2.0")
            .put("id", "c" + ++id)
            .put("method", method)
            .put(
                "params", params.copy().put("_meta", McpHttp.meta(new JsonObject()).mergeIn(meta)));
    return sent("POST", "/mcp", request.encode(), McpHttp.headers(request));
  }

  private String request(String method, JsonObject params) {
    return new JsonObject()
        .put("jsonrpc", "2.0")
        .put("id", ++id)
        .put("method", method)
        .put("params", params)
        .encode();
  }

  private static JsonObject named(String name) {
    return new JsonObject().put("name", name).put("arguments", new JsonObject());
  }

  private static JsonObject uri(String uri) {
    return new JsonObject().put("uri", uri);
  }

  private static JsonObject completion() {
    return new JsonObject()
        .put("ref", new JsonObject().put("type", "ref/prompt").put("name", "o__p"))
        .put("argument", new JsonObject().put("name", "a").put("value", "v"));
  }

  private JsonObject awaitCall(int number) {
    await().until(() -> older.received("tools/call").size() == number);
    return older.received("tools/call").get(number - 1);
  }

  /** The server reports progress of the call, and answers it. */
  private void progressAndAnswer(JsonObject call, int connection) {
    Object token = call.getJsonObject("params").getJsonObject("_meta").getValue("progressToken");
    older.say(
        connection,
        new JsonObject()
            .put("jsonrpc", "2.0")
            .put("method", "notifications/progress")
            .put("params", new JsonObject().put("progressToken", token).put("progress", 1))
            .encode());
    answerCall(call, connection);
  }

  private void answerCall(JsonObject call, int connection) {
    older.say(
        connection,
        "{\"jsonrpc\":\"2.0\",\"id\":"
            + call.getValue("id")
            + ",\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"done\"}]}}");
  }

  // ---- what clients receive

  @Test
  void the_discover_era() throws IOException {
    JsonObject none = new JsonObject();
    noted("discover", discover("server/discover", none));
    for (String list : List.of("tools", "prompts", "resources", "resources/templates")) {
      noted(list, discover(list + "/list", none));
    }
    for (String tool : List.of("o__now", "m__now", "o__long", "m__long", "o__fail", "m__none")) {
      noted(tool, discover("tools/call", named(tool)));
    }
    noted("prompt", discover("prompts/get", named("o__p")));
    noted("no prompt", discover("prompts/get", named("m__none")));
    noted("resource of an older server", discover("resources/read", uri("file:///o")));
    noted("resource", discover("resources/read", uri("file:///m")));
    noted("no resource", discover("resources/read", uri("db://none")));
    noted("completion", discover("completion/complete", completion()));
    noted("no method", discover("tasks/none", none));
    noted("no name", discover("tools/call", new JsonObject().put("name", 1)));
    noted("cursor", discover("tools/list", new JsonObject().put("cursor", "none")));
    noted("listen to nothing", discover("subscriptions/listen", none));
    CompletableFuture<HttpResponse<String>> streamed =
        discover("tools/call", named("o__wait"), new JsonObject().put("progressToken", "p"));
    progressAndAnswer(awaitCall(4), 2);
    noted("stream", streamed);
    parked();
    task();
    JsonObject version =
        new JsonObject().put("io.modelcontextprotocol/protocolVersion", "2027-01-01");
    noted("unsupported version", discover("tools/list", none, version));
    note(
        "notification",
        "POST",
        "{\"jsonrpc\":\"2.0\",\"method\":\"x\"}",
        "MCP-Protocol-Version",
        "2026-07-28");
    compare("gateway-discover.txt");
  }

  private void parked() {
    JsonObject can =
        new JsonObject()
            .put(
                "io.modelcontextprotocol/clientCapabilities",
                new JsonObject().put("elicitation", new JsonObject()));
    CompletableFuture<HttpResponse<String>> asked = discover("tools/call", named("o__wait"), can);
    JsonObject call = awaitCall(5);
    older.say(2, QUESTION);
    JsonObject result = new JsonObject(noted("question", asked).body()).getJsonObject("result");
    JsonObject answers = new JsonObject().put("input-1", new JsonObject().put("action", "decline"));
    JsonObject retry =
        named("o__wait")
            .put("requestState", result.getString("requestState"))
            .put("inputResponses", answers);
    CompletableFuture<HttpResponse<String>> done = discover("tools/call", retry, can);
    await().until(() -> !older.answers(77).isEmpty());
    answerCall(call, 2);
    noted("retry", done);
    noted("retry once more", discover("tools/call", retry, can));
  }

  private void task() {
    JsonObject can =
        new JsonObject()
            .put(
                "io.modelcontextprotocol/clientCapabilities",
                new JsonObject()
                    .put("elicitation", new JsonObject())
                    .put(
                        "extensions",
                        new JsonObject().put("io.modelcontextprotocol/tasks", new JsonObject())));
    String body = noted("task", discover("tools/call", named("o__task"), can)).body();
    JsonObject id =
        new JsonObject()
            .put("taskId", new JsonObject(body).getJsonObject("result").getString("taskId"));
    JsonObject call = awaitCall(6);
    noted("working", discover("tasks/get", id, can));
    older.say(2, QUESTION);
    awaitStatus("input_required", id, can);
    noted("asking", discover("tasks/get", id, can));
    JsonObject answers = new JsonObject().put("input-1", new JsonObject().put("action", "decline"));
    noted("answered", discover("tasks/update", id.copy().put("inputResponses", answers), can));
    noted("wrong answer", discover("tasks/update", id, can));
    answerCall(call, 2);
    awaitStatus("completed", id, can);
    noted("completed", discover("tasks/get", id, can));
    noted("cancelled too late", discover("tasks/cancel", id, can));
    noted("no task", discover("tasks/get", new JsonObject().put("taskId", "none"), can));
  }

  /** Asks as often as it takes; the ids of these requests do not count. */
  private void awaitStatus(String status, JsonObject task, JsonObject can) {
    int before = id;
    await()
        .until(
            () -> {
              id = before;
              return discover("tasks/get", task, can).join().body().contains("\"" + status + "\"");
            });
    id = before;
  }

  @Test
  void the_initialize_era() throws IOException {
    JsonObject opening =
        new JsonObject()
            .put("protocolVersion", "2025-11-25")
            .put("capabilities", new JsonObject().put("elicitation", new JsonObject()))
            .put("clientInfo", new JsonObject().put("name", "test").put("version", "1"));
    note("no session", "POST", request("ping", new JsonObject()));
    HttpResponse<String> opened =
        noted("initialize", sent("POST", "/mcp", request("initialize", opening)));
    String session = opened.headers().firstValue("mcp-session-id").orElseThrow();
    headers.addAll(List.of("Mcp-Session-Id", session, "MCP-Protocol-Version", "2025-11-25"));
    note("notification", "POST", "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
    JsonObject none = new JsonObject();
    note("ping", "POST", request("ping", none));
    for (String list : List.of("tools", "prompts", "resources", "resources/templates")) {
      note(list, "POST", request(list + "/list", none));
    }
    for (String tool : List.of("o__now", "m__now", "o__long", "m__long", "o__fail", "m__none")) {
      note(tool, "POST", request("tools/call", named(tool)));
    }
    note("prompt", "POST", request("prompts/get", named("o__p")));
    note("resource", "POST", request("resources/read", uri("file:///o")));
    note("no resource", "POST", request("resources/read", uri("db://none")));
    note("no resource to hear of", "POST", request("resources/subscribe", uri("db://none")));
    note("completion", "POST", request("completion/complete", completion()));
    note("level", "POST", request("logging/setLevel", new JsonObject().put("level", "error")));
    note("no level", "POST", request("logging/setLevel", new JsonObject().put("level", "loud")));
    note("no method", "POST", request("none", none));
    note("no task", "POST", request("tasks/get", new JsonObject().put("taskId", "none")));
    JsonObject wanted = named("o__wait").put("_meta", new JsonObject().put("progressToken", "p"));
    CompletableFuture<HttpResponse<String>> streamed =
        sent("POST", "/mcp", request("tools/call", wanted));
    progressAndAnswer(awaitCall(4), 2);
    noted("stream", streamed);
    note("no JSON", "POST", "{");
    note("two at once", "POST", "[]");
    note("not acceptable", "POST", request("ping", none), "Accept", "text/html");
    note("no JSON by its type", "POST", "x", "Content-Type", "text/plain");
    note("no such method of HTTP", "PUT", "{}");
    note("end", "DELETE", null);
    note("no such session", "POST", request("ping", none));
    compare("gateway-initialize.txt");
  }

  // ---- comparison

  private void compare(String file) throws IOException {
    String text = seen.toString();
    text = replaced(text, "[0-9a-f]{16}\\.[0-9a-f]{32}", "id");
    text = replaced(text, "[0-9a-f]{8}-[0-9a-f-]{27}", "uuid");
    text = replaced(text, "[0-9a-f]{16}", "host");
    text = text.replaceAll("\\d{4}-\\d\\d-\\d\\dT[0-9:.]+Z", "<time>");
    text = text.replaceAll("\"ttlMs\":60[01]\\d{3}", "\"ttlMs\":<time>");
    Path expected = Path.of("src/test/resources/golden", file);
    if (!Files.exists(expected) || !Files.readString(expected).equals(text)) {
      Files.createDirectories(Path.of("target/golden"));
      Files.writeString(Path.of("target/golden", file), text);
    }
    assertThat(text).isEqualTo(Files.readString(expected));
  }

  /** Names that are random become numbers in the order in which they appear. */
  private static String replaced(String text, String pattern, String word) {
    List<String> known = new ArrayList<>();
    Matcher found = Pattern.compile(pattern).matcher(text);
    return found.replaceAll(
        name -> {
          if (!known.contains(name.group())) {
            known.add(name.group());
          }
          return "<" + word + "-" + (known.indexOf(name.group()) + 1) + ">";
        });
  }
}
