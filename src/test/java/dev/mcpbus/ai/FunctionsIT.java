package dev.mcpbus.ai;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.client.CallOptions;
import dev.mcpbus.client.McpClient;
import dev.mcpbus.testing.Http;
import dev.mcpbus.testing.NpmServers;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Functions of two real servers, on the bus and over HTTP. */
class FunctionsIT {

  private static TestBus bus;
  private static McpClient mcp;

  /** A call of {@code everything__echo} as each vendor's model writes it. */
  private static final Map<String, String> CALLS =
      Map.of(
          "openai",
          """
          {"id": "c1", "type": "function", "function":
           {"name": "everything__echo", "arguments": "{\\"message\\": \\"hello\\"}"}}
          """,
          "openai-responses",
          """
          {"type": "function_call", "call_id": "c1", "name": "everything__echo",
           "arguments": "{\\"message\\": \\"hello\\"}"}
          """,
          "anthropic",
          """
          {"type": "tool_use", "id": "c1", "name": "everything__echo",
           "input": {"message": "hello"}}
          """,
          "gemini",
          "{\"functionCall\": {\"name\": \"everything__echo\", \"args\": {\"message\": \"hello\"}}}",
          "bedrock",
          """
          {"toolUse": {"toolUseId": "c1", "name": "everything__echo",
           "input": {"message": "hello"}}}
          """,
          "ai-sdk",
          """
          {"type": "tool-call", "toolCallId": "c1", "toolName": "everything__echo",
           "input": {"message": "hello"}}
          """);

  @BeforeAll
  static void start() {
    JsonObject servers =
        TestBus.server(
                "everything",
                NpmServers.stdio("@modelcontextprotocol/server-everything/dist/index.js"))
            .put("demo", new JsonObject().put("address", "mcpbus.demo"));
    bus = TestBus.startWithBridge(servers);
    mcp = McpClient.create(bus.vertx());
    bus.awaitState("everything", "READY");
    bus.awaitState("demo", "READY");
  }

  @AfterAll
  static void stop() {
    if (bus != null) {
      bus.close();
    }
  }

  @Test
  void every_form_offers_all_tools_and_carries_out_its_own_calls() {
    for (FunctionFormat form : FunctionFormat.values()) {
      JsonObject functions = TestBus.await(mcp.functions(form.word()));
      assertThat(functions.getJsonObject("routes")).as(form.word()).hasSize(13 + 3);
      assertThat(functions.getValue("tools").toString())
          .contains("everything__echo", "demo__add", "Echoes back the input string");

      JsonObject request =
          new JsonObject()
              .put("form", form.word())
              .put("call", new JsonObject(CALLS.get(form.word())));
      JsonObject reply = TestBus.await(mcp.callFunction(request, CallOptions.DEFAULT));
      assertThat(reply.getBoolean("isError")).isFalse();
      assertThat(reply.getJsonObject("result").encode()).contains("Echo: hello");
    }
  }

  @Test
  void the_same_over_http() {
    JsonObject functions =
        Http.get(bus.port(), "/api/tools?form=anthropic&server=demo&server=everything").json();
    assertThat(functions.getJsonArray("tools")).hasSize(13 + 3);
    assertThat(
            Http.get(bus.port(), "/api/tools?form=anthropic&server=demo")
                .json()
                .getJsonArray("tools"))
        .hasSize(3);
    JsonObject gemini = Http.get(bus.port(), "/api/tools?form=gemini").json();
    JsonArray declarations =
        gemini.getJsonArray("tools").getJsonObject(0).getJsonArray("functionDeclarations");
    assertThat(declarations).hasSize(13 + 3);
    assertThat(Http.get(bus.port(), "/api/tools").json().getJsonArray("tools")).hasSize(13 + 3);

    Http.Answer called =
        Http.post(
            bus.port(), "/api/tools/call?form=anthropic", CALLS.getOrDefault("anthropic", ""));
    assertThat(called.status()).isEqualTo(200);
    assertThat(called.json().getJsonObject("result"))
        .isEqualTo(
            new JsonObject(
                """
                {"type": "tool_result", "tool_use_id": "c1",
                 "content": [{"type": "text", "text": "Echo: hello"}]}
                """));
  }

  @Test
  void a_wrong_request_over_http_is_a_problem_and_the_model_gets_the_error_of_a_wrong_call() {
    assertThat(Http.get(bus.port(), "/api/tools?form=basic").status()).isEqualTo(400);
    assertThat(Http.get(bus.port(), "/api/tools?form=openai&server=nowhere").status())
        .isEqualTo(404);
    assertThat(Http.post(bus.port(), "/api/tools/call?form=gemini", "{}").status()).isEqualTo(400);
    assertThat(Http.post(bus.port(), "/api/tools/call?form=gemini", "nonsense").status())
        .isEqualTo(400);
    assertThat(Http.get(bus.port(), "/api/tools/call").status()).isEqualTo(405);

    JsonObject wrong =
        Http.post(
                bus.port(),
                "/api/tools/call?form=gemini&server=demo",
                "{\"name\": \"everything__echo\", \"args\": {\"message\": \"hello\"}}")
            .json();
    assertThat(wrong.getJsonObject("failure").getString("code")).isEqualTo("UNKNOWN_TOOL");
    JsonObject arguments =
        Http.post(
                bus.port(),
                "/api/tools/call?form=gemini",
                "{\"name\": \"demo__add\", \"args\": {\"a\": \"x\"}}")
            .json();
    assertThat(arguments.getBoolean("isError")).isTrue();
    assertThat(arguments.getJsonObject("result").encode()).contains("INVALID_ARGUMENTS");
  }

  @Test
  void structured_content_is_an_object_where_the_vendor_takes_one() {
    JsonObject request =
        new JsonObject()
            .put("form", "gemini")
            .put(
                "call",
                new JsonObject("{\"name\": \"demo__add\", \"args\": {\"a\": 5, \"b\": 7}}"));
    JsonObject response =
        TestBus.await(mcp.callFunction(request, CallOptions.DEFAULT))
            .getJsonObject("result")
            .getJsonObject("functionResponse");
    assertThat(response.getJsonObject("response").encode()).contains("12");
  }
}
