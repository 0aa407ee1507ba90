package dev.mcpbus.ai.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mcpbus.ai.FrameworkOptions;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.testing.NpmServers;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.ai.chat.client.ChatClient;
import org.springframework.ai.chat.messages.AssistantMessage;
import org.springframework.ai.chat.messages.Message;
import org.springframework.ai.chat.messages.ToolResponseMessage;
import org.springframework.ai.chat.model.ChatModel;
import org.springframework.ai.chat.model.ChatResponse;
import org.springframework.ai.chat.model.Generation;
import org.springframework.ai.chat.model.ToolContext;
import org.springframework.ai.chat.prompt.ChatOptions;
import org.springframework.ai.chat.prompt.Prompt;
import org.springframework.ai.model.tool.ToolCallingChatOptions;
import org.springframework.ai.tool.ToolCallback;
import org.springframework.ai.tool.execution.ToolExecutionException;

/** Spring AI as it is, with a real server; only the model is scripted. */
class McpBusToolCallbackProviderIT {

  private static final String EVERYTHING = "@modelcontextprotocol/server-everything/dist/index.js";

  private static TestBus bus;
  private static McpBusToolCallbackProvider provider;

  @BeforeAll
  static void start() {
    bus = TestBus.start(TestBus.server("everything", NpmServers.stdio(EVERYTHING)));
    bus.awaitState("everything", "READY");
    provider = McpBusToolCallbackProvider.create(bus.vertx(), FrameworkOptions.DEFAULT);
  }

  @AfterAll
  static void stop() {
    if (bus != null) {
      bus.close();
    }
  }

  private static ToolCallback tool(String name) {
    return tool(provider, name);
  }

  private static ToolCallback tool(McpBusToolCallbackProvider tools, String name) {
    return Stream.of(tools.getToolCallbacks())
        .filter(callback -> callback.getToolDefinition().name().equals(name))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void a_callback_has_the_servers_schema_and_calls_the_server() {
    ToolCallback echo = tool("everything__echo");
    assertThat(echo.getToolDefinition().description()).isEqualTo("Echoes back the input string");
    JsonObject schema = new JsonObject(echo.getToolDefinition().inputSchema());
    assertThat(schema.getJsonArray("required")).containsExactly("message");
    assertThat(echo.call("{\"message\": \"hello\"}")).isEqualTo("Echo: hello");
    assertThat(echo.call("{\"message\": \"hello\"}", new ToolContext(Map.of("secret", "s"))))
        .isEqualTo("Echo: hello");
  }

  @Test
  void structured_content_comes_once_and_an_image_as_a_short_text() {
    assertThat(tool("everything__get-structured-content").call("{\"location\": \"New York\"}"))
        .startsWith("{\"temperature\"")
        .doesNotContain("\n");
    assertThat(tool("everything__get-tiny-image").call(""))
        .contains("[image, image/png, ")
        .doesNotContain("iVBOR");
  }

  @Test
  void failures_are_the_frameworks_exception_with_the_reason() {
    assertThatThrownBy(() -> tool("everything__get-sum").call("{\"a\": \"x\"}"))
        .isInstanceOfSatisfying(
            ToolExecutionException.class,
            e -> assertThat(e.getToolDefinition().name()).isEqualTo("everything__get-sum"))
        .cause()
        .isInstanceOfSatisfying(
            McpFailure.class,
            failure -> assertThat(failure.code()).isEqualTo(FailureCode.INVALID_ARGUMENTS));
    assertThatThrownBy(
            () -> tool("everything__get-resource-reference").call("{\"resourceId\": -1}"))
        .isInstanceOf(ToolExecutionException.class)
        .hasMessageNotContaining("INTERNAL");
    assertThatThrownBy(() -> tool("everything__echo").call("no json"))
        .isInstanceOf(ToolExecutionException.class)
        .hasMessageContaining("not a JSON object");
  }

  @Test
  void a_call_ends_by_its_deadline() {
    FrameworkOptions hasty = FrameworkOptions.DEFAULT.withTimeout(Duration.ofMillis(300));
    try (McpBusToolCallbackProvider impatient =
        McpBusToolCallbackProvider.create(bus.vertx(), hasty)) {
      ToolCallback slow = tool(impatient, "everything__trigger-long-running-operation");
      assertThatThrownBy(() -> slow.call("{\"duration\": 20, \"steps\": 1}"))
          .isInstanceOf(ToolExecutionException.class)
          .cause()
          .isInstanceOfSatisfying(
              McpFailure.class,
              failure -> assertThat(failure.code()).isEqualTo(FailureCode.CALL_TIMEOUT));
    }
  }

  @Test
  void an_interrupted_thread_gets_its_answer_at_once_and_the_call_is_cancelled() {
    ToolCallback slow = tool("everything__trigger-long-running-operation");
    Thread.currentThread().interrupt();
    try {
      assertThatThrownBy(() -> slow.call("{\"duration\": 20, \"steps\": 1}"))
          .hasMessageContaining("interrupted");
    } finally {
      assertThat(Thread.interrupted()).as("the flag is kept").isTrue();
    }
  }

  @Test
  void an_event_loop_is_refused() {
    ToolCallback echo = tool("everything__echo");
    Future<String> onLoop =
        Future.future(
            promise ->
                bus.vertx()
                    .runOnContext(
                        loop -> {
                          try {
                            promise.complete(echo.call("{\"message\": \"hello\"}"));
                          } catch (RuntimeException e) {
                            promise.fail(e);
                          }
                        }));
    assertThatThrownBy(() -> TestBus.await(onLoop))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("is an event loop");
  }

  /** Calls one tool, then repeats its answer. */
  private static final class Script implements ChatModel {

    private final List<Prompt> prompts = new CopyOnWriteArrayList<>();

    /** Declares that it can call tools. */
    @Override
    public ChatOptions getOptions() {
      return ToolCallingChatOptions.builder().build();
    }

    @Override
    public ChatResponse call(Prompt prompt) {
      prompts.add(prompt);
      List<Message> messages = prompt.getInstructions();
      Message last = messages.get(messages.size() - 1);
      return new ChatResponse(List.of(new Generation(answer(last))));
    }

    private static AssistantMessage answer(Message last) {
      if (last instanceof ToolResponseMessage result) {
        return new AssistantMessage(
            "The tool said: " + result.getResponses().get(0).responseData());
      }
      AssistantMessage.ToolCall wanted =
          new AssistantMessage.ToolCall(
              "call-1", "function", "everything__echo", "{\"message\": \"hello\"}");
      return AssistantMessage.builder().content("").toolCalls(List.of(wanted)).build();
    }
  }

  @Test
  void a_chat_client_offers_the_tools_and_carries_out_the_models_call() {
    Script model = new Script();
    String answer =
        ChatClient.builder(model).build().prompt("Say hello").tools(provider).call().content();
    assertThat(answer).isEqualTo("The tool said: Echo: hello");
    assertThat(model.prompts).hasSize(2);
    assertThat(model.prompts.get(0).getOptions())
        .isInstanceOfSatisfying(
            ToolCallingChatOptions.class,
            offered -> assertThat(offered.getToolCallbacks()).hasSize(13));
  }
}
