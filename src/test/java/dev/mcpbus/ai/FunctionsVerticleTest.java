package dev.mcpbus.ai;

import static dev.mcpbus.bus.BusTests.await;
import static dev.mcpbus.bus.BusTests.failure;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.Events;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.FakeConnection;
import dev.mcpbus.bus.Headers;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.NamePolicy;
import dev.mcpbus.bus.RoutingName;
import dev.mcpbus.bus.ToolName;
import dev.mcpbus.client.CallOptions;
import dev.mcpbus.client.CancellationToken;
import dev.mcpbus.client.McpClient;
import dev.mcpbus.directory.DirectoryVerticle;
import dev.mcpbus.directory.aggregate.AggregateService;
import dev.mcpbus.testing.OpenAccess;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Behind the real catalog and before connections that answer what a test wants. */
class FunctionsVerticleTest {

  private static final String ODD = RoutingName.of(new ToolName("files", "read/all files"));

  private final Vertx vertx = Vertx.vertx();
  private final McpClient mcp = McpClient.create(vertx);
  private final List<JsonObject> calls = new CopyOnWriteArrayList<>();
  private final List<String> deadlines = new CopyOnWriteArrayList<>();

  private FakeConnection git;

  @BeforeEach
  void two_servers() {
    await(
        vertx.deployVerticle(
            new DirectoryVerticle(
                OpenAccess.directory(vertx),
                List.of(new AggregateService(NamePolicy.DOTTED, false)))));
    await(vertx.deployVerticle(new FunctionsVerticle()));
    server(
        "files",
        """
        {"tools": [{"name": "read", "inputSchema": {"type": "object"}},
                   {"name": "read/all files", "inputSchema": {"type": "object"}}]}
        """);
    git =
        server(
            "git", "{\"tools\": [{\"name\": \"log\", \"inputSchema\": {\"type\": \"object\"}}]}");
    Awaitility.await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> await(mcp.listTools()).items().size() == 3);
  }

  private FakeConnection server(String id, String tools) {
    FakeConnection connection = new FakeConnection(vertx, id);
    connection
        .answering(Addresses.TOOLS_LIST, tools)
        .on(
            Addresses.TOOLS_CALL,
            message -> {
              JsonObject params = (JsonObject) message.body();
              calls.add(params);
              deadlines.add(String.valueOf(message.headers().get(Headers.DEADLINE)));
              if (params.getJsonObject("arguments").containsKey("bad")) {
                message.reply(
                    McpFailure.notSent(FailureCode.INVALID_ARGUMENTS, "/bad: not allowed"));
              } else if (!params.getJsonObject("arguments").containsKey("hang")) {
                message.reply(
                    new JsonObject("{\"content\": [{\"type\": \"text\", \"text\": \"done\"}]}"));
              }
            })
        .event(Events.CONNECTED, new JsonObject());
    return connection;
  }

  @AfterEach
  void close() {
    await(vertx.close());
  }

  private static JsonObject call(String name, String arguments) {
    return new JsonObject()
        .put("form", "openai")
        .put(
            "call",
            new JsonObject()
                .put("id", "c1")
                .put("function", new JsonObject().put("name", name).put("arguments", arguments)));
  }

  @Test
  void functions_of_all_servers_come_in_a_stable_order_with_their_routes() {
    JsonObject all = await(mcp.functions("openai"));
    assertThat(names(all)).containsExactly("files__read", ODD, "git__log");
    assertThat(all.getJsonObject("routes").getJsonObject(ODD))
        .isEqualTo(new JsonObject().put("server", "files").put("tool", "read/all files"));
    assertThat(names(await(mcp.functions("openai", "git")))).containsExactly("git__log");
    assertThat(failure(mcp.functions("openai", "nowhere")).code())
        .isEqualTo(FailureCode.UNKNOWN_CONNECTION);
    assertThat(failure(mcp.functions("basic")).code()).isEqualTo(FailureCode.BAD_REQUEST);
  }

  private static List<String> names(JsonObject reply) {
    return reply.getJsonArray("tools").stream()
        .map(one -> ((JsonObject) one).getJsonObject("function").getString("name"))
        .toList();
  }

  @Test
  void a_schema_of_the_callers_stands_in_place_of_the_servers() {
    JsonObject schema = new JsonObject("{\"type\":\"object\",\"properties\":{\"n\":{}}}");
    JsonObject request =
        new JsonObject()
            .put("form", "anthropic")
            .put("servers", "git")
            .put("schemas", new JsonObject().put("git.log", schema).put("git__push", schema));
    JsonObject reply = await(mcp.functions(request));
    JsonObject log = reply.getJsonArray("tools").getJsonObject(0);
    assertThat(log.getJsonObject("input_schema")).isEqualTo(schema);
    assertThat(reply.getJsonArray("problems").toString()).contains("git__push");
    assertThat(await(mcp.functions(request.put("schemas", "automatic"))).containsKey("problems"))
        .isFalse();
    assertThat(failure(mcp.functions(request.put("schemas", 3)))).hasMessageContaining("schemas");
  }

  @Test
  void schemas_name_the_only_tools_that_a_model_gets_by_plain_names_too() {
    JsonObject schema = new JsonObject("{\"type\":\"object\",\"properties\":{\"n\":{}}}");
    JsonObject request =
        new JsonObject().put("form", "openai").put("schemas", new JsonObject().put("log", schema));

    JsonObject reply = await(mcp.functions(request));

    assertThat(names(reply)).containsExactly("git__log");
    assertThat(
            reply
                .getJsonArray("tools")
                .getJsonObject(0)
                .getJsonObject("function")
                .getJsonObject("parameters"))
        .isEqualTo(schema);
    assertThat(reply.getJsonObject("routes").fieldNames()).containsExactly("git__log");
    assertThat(reply.containsKey("problems")).isFalse();
    JsonObject both = new JsonObject().put("log", new JsonObject()).put("git__log", schema);
    assertThat(await(mcp.functions(request.put("schemas", both))).encode()).contains("\"n\":{}");
    assertThat(names(await(mcp.functions(request.put("schemas", new JsonObject()))))).isEmpty();
    assertThat(names(await(mcp.functions(request.put("schemas", "automatic"))))).hasSize(3);
  }

  @Test
  void a_models_call_reaches_the_right_tool_with_its_deadline() {
    JsonObject plain =
        await(
            mcp.callFunction(
                call("git__log", "{\"n\": 3}"), CallOptions.timeout(Duration.ofSeconds(9))));
    assertThat(plain.getJsonObject("result").getString("content")).isEqualTo("done");
    assertThat(plain.getBoolean("isError")).isFalse();
    assertThat(calls.get(0))
        .isEqualTo(new JsonObject("{\"name\": \"log\", \"arguments\": {\"n\": 3}}"));
    assertThat(deadlines).containsExactly("9000");

    await(mcp.callFunction(call(ODD, ""), CallOptions.DEFAULT));
    assertThat(calls.get(1).getString("name")).isEqualTo("read/all files");
  }

  @Test
  void the_model_gets_the_error_of_its_wrong_call() {
    for (JsonObject wrong :
        List.of(
            call("git__log", "{\"bad\": 1}"),
            call("git__log", "no json"),
            call("nobody__knows", "{}"),
            call("readme", "{}"),
            call(ODD.replace("read", "raed"), "{}"))) {
      JsonObject reply = await(mcp.callFunction(wrong, CallOptions.DEFAULT));
      assertThat(reply.getBoolean("isError")).isTrue();
      String code = reply.getJsonObject("failure").getString("code");
      assertThat(code).isIn("INVALID_ARGUMENTS", "UNKNOWN_TOOL", "UNKNOWN_CONNECTION");
      assertThat(reply.getJsonObject("result").getString("content")).startsWith(code + ": ");
    }
  }

  @Test
  void a_model_reaches_no_server_that_it_was_not_offered() {
    for (String name : List.of("git__log", ODD)) {
      JsonObject request = call(name, "{}").put("servers", new JsonArray().add("elsewhere"));
      JsonObject reply =
          await(
              mcp.callFunction(request, CallOptions.DEFAULT)
                  .otherwise(new JsonObject().put("isError", true)));
      assertThat(reply.getBoolean("isError")).isTrue();
    }
    assertThat(calls).isEmpty();
  }

  @Test
  void a_call_whose_caller_cancels_is_cancelled_at_its_server() {
    CancellationToken token = new CancellationToken();
    Future<JsonObject> hanging =
        mcp.callFunction(call("git__log", "{\"hang\": 1}"), CallOptions.DEFAULT.withCancel(token));
    Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> calls.size() == 1);
    token.cancel();
    assertThat(failure(hanging).code()).isEqualTo(FailureCode.CANCELLED);
    Awaitility.await()
        .atMost(Duration.ofSeconds(60))
        .untilAsserted(() -> assertThat(git.cancelled()).hasSize(1));
  }

  @Test
  void replies_are_in_kind_and_a_bad_body_is_refused() {
    Object reply =
        await(
                vertx
                    .eventBus()
                    .<Object>request(
                        Addresses.ALL_TOOLS_FUNCTIONS, Buffer.buffer("{\"form\": \"gemini\"}")))
            .body();
    assertThat(reply).isInstanceOf(Buffer.class);
    assertThat(new JsonObject((Buffer) reply).getString("form")).isEqualTo("gemini");
    for (Object bad : new Object[] {Buffer.buffer("[]"), Buffer.buffer("{"), "text"}) {
      assertThat(failure(vertx.eventBus().request(Addresses.ALL_TOOLS_FUNCTIONS, bad)).code())
          .isEqualTo(FailureCode.BAD_REQUEST);
    }
    assertThat(
            failure(mcp.callFunction(new JsonObject().put("form", "openai"), CallOptions.DEFAULT)))
        .hasMessageContaining("'call'");
  }
}
