package dev.mcpbus.bridge;

import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.bus.AggregateOperation;
import dev.mcpbus.bus.ServerOperation;
import dev.mcpbus.bus.ServiceOperation;
import dev.mcpbus.testing.Compared;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.json.schema.Draft;
import io.vertx.json.schema.JsonSchema;
import io.vertx.json.schema.JsonSchemaOptions;
import io.vertx.json.schema.OutputFormat;
import io.vertx.json.schema.OutputUnit;
import io.vertx.json.schema.Validator;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The document against the running bridge, and the bridge against the document. */
class OpenApiDocumentTest {

  private static final JsonObject DEMO =
      new JsonObject().put("type", "bus").put("address", "mcpbus.demo").put("rpcLog", "bus");

  private static TestBus bus;
  private static HttpClient client;
  private static JsonObject document;

  private record Answer(int status, String type, String body) {}

  @BeforeAll
  static void start() {
    bus = TestBus.startWithBridge(new JsonObject().put("demo", DEMO));
    client = bus.vertx().createHttpClient();
    bus.awaitState("demo", "READY");
    document = new JsonObject(send("GET", "/openapi.json", null).body());
  }

  @AfterAll
  static void stop() {
    bus.close();
  }

  private static Answer send(String method, String path, @Nullable String body) {
    return TestBus.await(
        client
            .request(HttpMethod.valueOf(method), bus.bus().port(), "127.0.0.1", path)
            .map(OpenApiDocumentTest::asAdmin)
            .compose(
                request ->
                    (body == null ? request.send() : request.send(Buffer.buffer(body)))
                        .compose(
                            response ->
                                response
                                    .body()
                                    .map(
                                        bytes ->
                                            new Answer(
                                                response.statusCode(),
                                                String.valueOf(response.getHeader("Content-Type")),
                                                bytes.toString())))));
  }

  /** The first event that says something. */
  private static HttpClientRequest asAdmin(HttpClientRequest request) {
    return request.putHeader("X-Api-Key", bus.bus().adminToken());
  }

  private static String firstEvent(String path, Runnable cause) {
    CompletableFuture<String> seen = new CompletableFuture<>();
    StringBuilder text = new StringBuilder();
    var request =
        TestBus.await(
            client
                .request(HttpMethod.GET, bus.bus().port(), "127.0.0.1", path)
                .map(OpenApiDocumentTest::asAdmin)
                .compose(
                    open ->
                        open.send()
                            .map(
                                response -> {
                                  assertThat(response.getHeader("Content-Type"))
                                      .isEqualTo("text/event-stream");
                                  response.handler(
                                      data -> {
                                        Matcher event =
                                            Pattern.compile("data: (.*)\n\n")
                                                .matcher(text.append(data));
                                        if (event.find()) {
                                          seen.complete(event.group(1));
                                        }
                                      });
                                  return open;
                                })));
    cause.run();
    String event = seen.orTimeout(60, TimeUnit.SECONDS).join();
    request.reset();
    return event;
  }

  private record Operation(String method, String path, JsonObject json) {
    String id() {
      return json.getString("operationId");
    }
  }

  private static List<Operation> operations() {
    List<Operation> all = new ArrayList<>();
    JsonObject paths = document.getJsonObject("paths");
    for (String path : paths.fieldNames()) {
      for (String method : paths.getJsonObject(path).fieldNames()) {
        all.add(
            new Operation(
                method.toUpperCase(Locale.ROOT),
                path,
                paths.getJsonObject(path).getJsonObject(method)));
      }
    }
    return all;
  }

  @Test
  void the_document_is_whole() {
    assertThat(document.getString("openapi")).isEqualTo("3.1.0");
    JsonObject schemas = document.getJsonObject("components").getJsonObject("schemas");
    Set<String> used = new HashSet<>();
    Matcher references =
        Pattern.compile("\"\\$ref\":\"#/components/schemas/(\\w+)\"").matcher(document.encode());
    while (references.find()) {
      used.add(references.group(1));
    }
    Compared.names("openapi-schemas.json", schemas.fieldNames(), used);
    Set<String> ids = new HashSet<>();
    for (Operation operation : operations()) {
      assertThat(ids.add(operation.id())).as(operation.id() + " is there once").isTrue();
      assertThat(operation.json().getString("summary")).as(operation.id()).endsWith(".");
      assertThat(operation.json().getString("x-action"))
          .isIn("list", "call", "read", "get", "subscribe", "metrics", "admin");
      List<String> inPath =
          operation.json().getJsonArray("parameters", new JsonArray()).stream()
              .map(JsonObject.class::cast)
              .filter(parameter -> parameter.getString("in").equals("path"))
              .map(parameter -> "{" + parameter.getString("name") + "}")
              .toList();
      assertThat(inPath)
          .containsExactlyElementsOf(
              Pattern.compile("\\{\\w+}")
                  .matcher(operation.path())
                  .results()
                  .map(found -> found.group())
                  .toList());
    }
  }

  @Test
  void whatever_starts_or_stops_a_process_is_for_administrators() {
    Set<String> admin = new TreeSet<>();
    for (Operation operation : operations()) {
      if (operation.json().getString("x-action").equals("admin")) {
        admin.add(operation.id());
      }
    }
    Compared.names(
        "the list of this test, for what has the right admin,",
        List.of(
            "addServer",
            "approveTools",
            "cancelNumberedCall",
            "connect",
            "disconnect",
            "drainNode",
            "endLease",
            "examineServer",
            "getConfig",
            "getHistory",
            "getLoggers",
            "getLogs",
            "listAllCalls",
            "listCalls",
            "listLeases",
            "previewServers",
            "removeServer",
            "restart",
            "setLogLevel",
            "setLogger",
            "setRpcLog",
            "streamRpcLog"),
        admin);
  }

  @Test
  void the_paths_of_all_rows_are_mounted() {
    Set<String> rows = new TreeSet<>();
    Stream.of(
            Arrays.stream(ServerOperation.values()).map(row -> row.paths),
            Arrays.stream(AggregateOperation.values()).map(row -> row.paths),
            Arrays.stream(ServiceOperation.values()).map(row -> row.paths))
        .flatMap(paths -> paths)
        .forEach(paths -> paths.forEach(path -> rows.add(path.id())));
    Set<String> mounted =
        operations().stream().map(Operation::id).filter(rows::contains).collect(toSet());
    Compared.names(
        "what ServiceRoutes, DiagnosticRoutes, OperationRoutes and AggregateRoutes mount",
        mounted,
        rows);
  }

  @Test
  void every_path_has_the_methods_of_the_document_and_no_other() {
    JsonObject paths = document.getJsonObject("paths");
    for (String path : paths.fieldNames()) {
      Set<String> methods = new TreeSet<>();
      paths
          .getJsonObject(path)
          .fieldNames()
          .forEach(method -> methods.add(method.toUpperCase(Locale.ROOT)));
      // Nothing of ours answers PATCH.
      Answer other = send("PATCH", path.replaceAll("\\{\\w+}", "x"), "");
      assertThat(other.status()).as(path).isEqualTo(405);
      assertThat(new JsonObject(other.body()).getString("detail"))
          .isEqualTo("use " + String.join(" or ", methods));
    }
  }

  @Test
  void the_routes_are_all_in_the_manual() throws IOException {
    String manual = Files.readString(Path.of("src/docs/http.md"));
    assertThat(document.getJsonObject("paths").fieldNames())
        .filteredOn(path -> !manual.contains(path.substring(path.lastIndexOf('/') + 1)))
        .as("paths that the first tables of src/docs/http.md lack")
        .isEmpty();
  }

  @Test
  void real_answers_fit_the_schemas() {
    String one = "/api/servers/demo";
    String readme = "demo%3A%2F%2Freadme";
    Set<String> seen = new TreeSet<>();
    fits(seen, "live", "/health/live", null, 200);
    fits(seen, "ready", "/health/ready", null, 200);
    fits(seen, "getOpenApi", "/openapi.json", null, 200);
    fits(seen, "getAsyncApi", "/asyncapi.json", null, 200);
    fits(seen, "listServers", "/api/servers", null, 200);
    fits(seen, "listNodes", "/api/nodes", null, 200);
    fits(seen, "drainNode", "/api/nodes/local/drain", "", 400);
    String more = new JsonObject().put("name", "more").put("config", DEMO).encode();
    String pasted = new JsonObject().put("text", "npx -y more --key=$KEY").encode();
    fits(seen, "previewServers", "/api/servers/preview", pasted, 200);
    fits(seen, "previewServers", "/api/servers/preview", "{}", 400);
    String large = new JsonObject().put("text", "x".repeat(256 * 1024 + 1)).encode();
    fits(seen, "previewServers", "/api/servers/preview", large, 413);
    fits(seen, "addServer", "/api/servers", more, 201);
    fits(seen, "addServer", "/api/servers", more, 400);
    fits(seen, "getServer", "/api/servers/more", null, 200);
    fits(seen, "disconnect", "/api/servers/more/disconnect", "", 200);
    fits(seen, "connect", "/api/servers/more/connect", "", 200);
    fits(seen, "restart", "/api/servers/more/restart", "", 200);
    fits(seen, "removeServer", "/api/servers/more", null, 200);
    fits(seen, "removeServer", "/api/servers/more", null, 404);
    fits(seen, "getStatus", one + "/status", null, 200);
    fits(seen, "listTools", one + "/tools", null, 200);
    fits(seen, "getToolMetadata", one + "/metadata", null, 200);
    fits(seen, "callTool", one + "/tools/add", "{\"a\":2,\"b\":3}", 200);
    fits(seen, "callTool", one + "/tools/add", "{\"a\":\"x\"}", 422);
    fits(seen, "callTool", one + "/tools/nope", "", 404);
    fits(seen, "callTool", one + "/tools/add", "[", 400);
    fits(seen, "getHistory", one + "/history", null, 200);
    fits(seen, "examineServer", one + "/examine", "", 200);
    fits(seen, "examineServer", "/api/servers/none/examine", "", 404);
    fits(seen, "getCaller", "/api/caller", null, 200);
    fits(seen, "getConfig", "/api/config", null, 200);
    fits(seen, "listAllCalls", "/api/calls", null, 200);
    fits(seen, "setRpcLog", one + "/rpc-log", "{\"mode\":\"on\",\"seconds\":60}", 200);
    fits(seen, "getStatus", one + "/status", null, 200);
    fits(seen, "setRpcLog", one + "/rpc-log", "{\"mode\":null}", 200);
    fits(seen, "setRpcLog", one + "/rpc-log", "{\"mode\":\"loud\"}", 400);
    fits(seen, "getActivity", one + "/activity", null, 200);
    fits(seen, "listActivity", "/api/activity?server=demo,none", null, 200);
    fits(seen, "listLogins", "/api/logins", null, 200);
    fits(seen, "listLeases", "/api/leases", null, 200);
    fits(seen, "endLease", "/api/leases/none", null, 404);
    fits(seen, "setCredential", "/api/credentials/demo", "{\"secret\":\"s\"}", 200);
    fits(seen, "setCredential", "/api/credentials/demo", "{}", 400);
    fits(seen, "listCredentials", "/api/credentials", null, 200);
    fits(seen, "removeCredential", "/api/credentials/demo", null, 200);
    fits(seen, "removeCredentials", "/api/credentials", null, 200);
    fits(seen, "listCalls", one + "/calls", null, 200);
    fits(seen, "cancelNumberedCall", one + "/calls/7777/cancel", "", 200);
    fits(seen, "cancelNumberedCall", one + "/calls/x/cancel", "", 400);
    fits(seen, "getLogs", one + "/logs", null, 200);
    fits(seen, "getLogs", one + "/logs?limit=501", null, 400);
    fits(seen, "getDrift", one + "/drift", null, 200);
    fits(seen, "approveTools", one + "/drift/approve", "{}", 400);
    fits(seen, "listResources", one + "/resources", null, 200);
    fits(seen, "listResourceTemplates", one + "/resources/templates", null, 200);
    fits(seen, "getResource", one + "/resources/read?uri=" + readme, null, 200);
    fits(seen, "getResource", one + "/resources/read?uri=x", null, 502);
    fits(seen, "readResource", one + "/resources/read", "{\"uri\":\"demo://readme\"}", 200);
    fits(seen, "subscribeResource", one + "/resources/subscribe", "{}", 400);
    fits(seen, "unsubscribeResource", one + "/resources/unsubscribe", "{}", 400);
    String skill = "skill%3A%2F%2Fnone%2FSKILL.md";
    fits(seen, "listSkills", one + "/skills", null, 200);
    fits(seen, "getSkill", one + "/skills/get?uri=" + skill, null, 404);
    fits(seen, "getSkillFile", one + "/skills/read?path=a.md&uri=" + skill, null, 404);
    fits(seen, "readSkillFile", one + "/skills/read", "{\"uri\":\"skill://../SKILL.md\"}", 400);
    fits(seen, "readDirectory", one + "/resources/directory?uri=skill%3A%2F%2Fnone", null, 404);
    fits(seen, "listPrompts", one + "/prompts", null, 200);
    fits(seen, "getPrompt", one + "/prompts/greet", "{\"name\":\"you\"}", 200);
    fits(seen, "listTasks", one + "/tasks", null, 404);
    fits(seen, "getTask", one + "/tasks/1", null, 404);
    fits(seen, "getTaskResult", one + "/tasks/1/result", null, 404);
    fits(seen, "updateTask", one + "/tasks/1/update", "{}", 404);
    fits(seen, "cancelTask", one + "/tasks/1/cancel", "", 404);
    fits(seen, "complete", one + "/completion", "{}", 404);
    fits(seen, "ping", one + "/ping", "", 200);
    fits(seen, "getLoggers", "/api/log-level", null, 200);
    fits(
        seen,
        "setLogger",
        "/api/log-level",
        "{\"logger\":\"dev.mcpbus.quiet\",\"level\":\"INFO\"}",
        200);
    fits(seen, "setLogLevel", one + "/loglevel", "{\"level\":\"info\"}", 200);
    fits(seen, "request", one + "/request", "{\"method\":\"tools/list\"}", 200);
    fits(seen, "cancelCall", one + "/cancel", "{\"callId\":\"none\"}", 200);
    fits(seen, "listAllTools", "/api/tools", null, 200);
    fits(seen, "listAllTools", "/api/tools?form=gemini&server=demo&strict=true", null, 200);
    fits(seen, "searchTools", "/api/tools/search?q=add", null, 200);
    fits(seen, "callFunction", "/api/tools/call?form=openai", "{}", 400);
    fits(seen, "callNamedTool", "/api/tools/demo.add", "{\"a\":2,\"b\":3}", 200);
    fits(seen, "listAllResources", "/api/resources", null, 200);
    fits(seen, "listAllSkills", "/api/skills", null, 200);
    fits(seen, "listAllPrompts", "/api/prompts", null, 200);
    fits(seen, "listInputs", "/api/inputs", null, 200);
    fits(seen, "answerInput", "/api/inputs/none", "{}", 400);
    fits(seen, "declineInput", "/api/inputs/none", null, 400);
    fits(seen, "offerInput", "/api/offers", "{\"capabilities\":{},\"offer\":\"o\"}", 200);
    fits(seen, "withdrawOffer", "/api/offers/o", null, 200);
    String rpc = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"";
    fits(seen, "rpc", "/rpc", rpc + "ping\"}", 200);
    fits(seen, "rpc", "/rpc", rpc + "nope\"}", 200);
    fits(seen, "rpc", "/rpc", "{", 400);
    Runnable restart = () -> send("POST", one + "/restart", "");
    check(operation("streamEvents"), 200, firstEvent("/api/events?server=demo", restart));
    check(operation("streamRpcLog"), 200, firstEvent("/api/rpc-log", restart));
    assertThat(send("GET", "/", null).body()).contains("/mcp", "/api/servers", "#token=");
    seen.add("getRoot");
    fits(seen, "getMetrics", "/metrics", null, 404);
    seen.add("streamEvents");
    seen.add("streamRpcLog");
    Compared.names(
        "this test, with a real answer of each operation,",
        seen,
        operations().stream().map(Operation::id).toList());
  }

  private static Operation operation(String id) {
    return operations().stream()
        .filter(one -> one.id().equals(id))
        .findFirst()
        .orElseThrow(() -> new AssertionError(id + " is not in the document"));
  }

  private static void fits(
      Set<String> seen, String id, String path, @Nullable String body, int status) {
    Operation operation = operation(id);
    Pattern pattern =
        Pattern.compile(operation.path().replaceAll("\\{\\w+}", "[^/]+") + "(\\?.*)?");
    assertThat(path).matches(pattern);
    assertThat(body != null).as(id).isEqualTo(operation.json().containsKey("requestBody"));
    Answer answer = send(operation.method(), path, body);
    assertThat(answer.status()).as("%s: %s", id, answer.body()).isEqualTo(status);
    seen.add(id);
    if (id.equals("rpc")) {
      // Its failures are JSON-RPC's.
      check(operation, 200, answer.body());
      return;
    }
    assertThat(answer.type())
        .isEqualTo(status < 300 ? "application/json" : "application/problem+json");
    check(operation, status, answer.body());
  }

  private static void check(Operation operation, int status, String body) {
    JsonObject responses = operation.json().getJsonObject("responses");
    JsonObject response =
        responses.getJsonObject(responses.containsKey("" + status) ? "" + status : "default");
    JsonObject content = response.getJsonObject("content");
    String type = content.fieldNames().iterator().next();
    JsonObject schema =
        new JsonObject()
            .put("$ref", content.getJsonObject(type).getJsonObject("schema").getString("$ref"))
            .put("$defs", document.getJsonObject("components").getJsonObject("schemas"));
    JsonObject own = new JsonObject(schema.encode().replace("#/components/schemas/", "#/$defs/"));
    OutputUnit result =
        Validator.create(
                JsonSchema.of(own),
                new JsonSchemaOptions()
                    .setDraft(Draft.DRAFT202012)
                    .setOutputFormat(OutputFormat.Basic)
                    .setBaseUri("https://mcpbus.invalid/"))
            .validate(new JsonObject(body));
    assertThat(result.getValid()).as("%s: %s\n%s", operation.id(), body, result.toJson()).isTrue();
  }

  @Test
  void the_check_finds_an_answer_that_does_not_fit() {
    org.assertj.core.api.Assertions.assertThatThrownBy(
            () -> check(operation("listTools"), 200, "{\"tools\":[{\"name\":1}]}"))
        .isInstanceOf(AssertionError.class);
  }
}
