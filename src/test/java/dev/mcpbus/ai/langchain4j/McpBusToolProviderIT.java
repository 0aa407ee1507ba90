package dev.mcpbus.ai.langchain4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.langchain4j.agent.tool.ToolExecutionRequest;
import dev.langchain4j.agent.tool.ToolSpecification;
import dev.langchain4j.data.message.AiMessage;
import dev.langchain4j.data.message.ChatMessage;
import dev.langchain4j.data.message.ImageContent;
import dev.langchain4j.data.message.TextContent;
import dev.langchain4j.data.message.ToolExecutionResultMessage;
import dev.langchain4j.data.message.UserMessage;
import dev.langchain4j.exception.ToolExecutionException;
import dev.langchain4j.model.chat.ChatModel;
import dev.langchain4j.model.chat.request.ChatRequest;
import dev.langchain4j.model.chat.request.json.JsonStringSchema;
import dev.langchain4j.model.chat.response.ChatResponse;
import dev.langchain4j.service.AiServices;
import dev.langchain4j.service.Result;
import dev.langchain4j.service.tool.AiServiceTool;
import dev.langchain4j.service.tool.ToolExecution;
import dev.langchain4j.service.tool.ToolProviderRequest;
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
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** LangChain4j as it is, with a real server; only the model is scripted. */
class McpBusToolProviderIT {

  private static final String EVERYTHING = "@modelcontextprotocol/server-everything/dist/index.js";

  private static final ToolProviderRequest ASKED =
      new ToolProviderRequest("memory", UserMessage.from("Anything"));

  private static TestBus bus;
  private static McpBusToolProvider provider;

  private final Script script = new Script();

  /** Calls one tool, then repeats its answer. */
  private static final class Script implements ChatModel {

    private final List<ChatRequest> requests = new CopyOnWriteArrayList<>();
    private ToolExecutionRequest wanted = ToolExecutionRequest.builder().build();

    Script asksFor(String tool, String arguments) {
      wanted = ToolExecutionRequest.builder().id("call-1").name(tool).arguments(arguments).build();
      return this;
    }

    @Override
    public ChatResponse doChat(ChatRequest request) {
      requests.add(request);
      List<ChatMessage> messages = request.messages();
      AiMessage answer =
          messages.get(messages.size() - 1) instanceof ToolExecutionResultMessage result
              ? AiMessage.from("The tool said: " + result.contents())
              : AiMessage.from(wanted);
      return ChatResponse.builder().aiMessage(answer).build();
    }

    ToolExecutionResultMessage result() {
      List<ChatMessage> messages = requests.get(1).messages();
      return (ToolExecutionResultMessage) messages.get(messages.size() - 1);
    }
  }

  /** A program that uses LangChain4j. */
  interface Assistant {
    Result<String> chat(String question);
  }

  @BeforeAll
  static void start() {
    bus = TestBus.start(TestBus.server("everything", NpmServers.stdio(EVERYTHING)));
    bus.awaitState("everything", "READY");
    provider = McpBusToolProvider.create(bus.vertx(), FrameworkOptions.DEFAULT);
  }

  @AfterAll
  static void stop() {
    if (bus != null) {
      bus.close();
    }
  }

  private Assistant assistant(McpBusToolProvider tools) {
    return AiServices.builder(Assistant.class).chatModel(script).toolProvider(tools).build();
  }

  @Test
  void a_model_is_offered_the_tools_and_its_call_reaches_the_server() {
    script.asksFor("everything__echo", "{\"message\": \"hello\"}");
    Result<String> answer = assistant(provider).chat("Say hello");
    assertThat(answer.content()).contains("Echo: hello");

    List<ToolSpecification> offered = script.requests.get(0).toolSpecifications();
    assertThat(offered).hasSize(13);
    ToolSpecification echo =
        offered.stream().filter(t -> t.name().equals("everything__echo")).findFirst().orElseThrow();
    assertThat(echo.description()).isEqualTo("Echoes back the input string");
    assertThat(echo.parameters().properties().get("message")).isInstanceOf(JsonStringSchema.class);
    assertThat(echo.parameters().required()).containsExactly("message");
    assertThat(echo.metadata()).containsEntry("mcpServer", "everything");
    assertThat(echo.metadata()).containsEntry("readOnlyHint", true);
  }

  @Test
  void structured_content_reaches_the_model_once_and_the_program_as_an_object() {
    script.asksFor("everything__get-structured-content", "{\"location\": \"New York\"}");
    Result<String> answer = assistant(provider).chat("Weather?");
    assertThat(script.result().text()).startsWith("{\"temperature\"").doesNotContain("\n");
    ToolExecution execution = answer.toolExecutions().get(0);
    assertThat(execution.resultObject()).asString().contains("temperature=33");
    assertThat(execution.hasFailed()).isFalse();
  }

  @Test
  void an_image_is_a_short_text_unless_the_model_takes_images() {
    script.asksFor("everything__get-tiny-image", "{}");
    assistant(provider).chat("Show it");
    assertThat(script.result().text()).contains("[image, image/png, ").doesNotContain("iVBOR");

    script.requests.clear();
    assistant(provider.withImages()).chat("Show it");
    assertThat(script.result().contents())
        .hasAtLeastOneElementOfType(ImageContent.class)
        .hasAtLeastOneElementOfType(TextContent.class);
  }

  @Test
  void wrong_arguments_and_the_tools_own_failure_go_back_to_the_model() {
    script.asksFor("everything__get-sum", "{\"a\": \"x\"}");
    Result<String> answer = assistant(provider).chat("Add");
    assertThat(script.result().isError()).isTrue();
    assertThat(script.result().text()).startsWith("INVALID_ARGUMENTS: ");
    assertThat(answer.toolExecutions().get(0).hasFailed()).isTrue();

    script.requests.clear();
    script.asksFor("everything__get-resource-reference", "{\"resourceId\": -1}");
    assistant(provider).chat("Give me resource -1");
    assertThat(script.result().isError()).isTrue();
  }

  @Test
  void a_call_ends_by_its_deadline_and_the_service_gets_the_reason() {
    FrameworkOptions hasty = FrameworkOptions.DEFAULT.withTimeout(Duration.ofMillis(300));
    try (McpBusToolProvider impatient = McpBusToolProvider.create(bus.vertx(), hasty)) {
      AiServiceTool slow =
          impatient.provideTools(ASKED).aiServiceTools().stream()
              .filter(tool -> tool.name().equals("everything__trigger-long-running-operation"))
              .findFirst()
              .orElseThrow();
      ToolExecutionRequest request =
          ToolExecutionRequest.builder()
              .name(slow.name())
              .arguments("{\"duration\": 20, \"steps\": 1}")
              .build();
      assertThatThrownBy(() -> slow.toolExecutor().execute(request, "memory"))
          .isInstanceOf(ToolExecutionException.class)
          .cause()
          .isInstanceOfSatisfying(
              McpFailure.class,
              failure -> assertThat(failure.code()).isEqualTo(FailureCode.CALL_TIMEOUT));
    }
  }

  @Test
  void only_the_requested_servers_are_offered_with_the_programs_own_schemas() {
    JsonObject schema = new JsonObject("{\"properties\": {\"text\": {\"type\": \"string\"}}}");
    FrameworkOptions own =
        FrameworkOptions.DEFAULT
            .withServers("everything")
            .withSchemas(Map.of("everything.echo", schema));
    try (McpBusToolProvider some = McpBusToolProvider.create(bus.vertx(), own)) {
      AiServiceTool echo =
          some.provideTools(ASKED).aiServiceTools().stream()
              .filter(tool -> tool.name().equals("everything__echo"))
              .findFirst()
              .orElseThrow();
      assertThat(echo.toolSpecification().parameters().properties()).containsOnlyKeys("text");
    }
  }

  @Test
  void an_event_loop_is_refused_and_a_worker_is_not() {
    assertThatThrownBy(
            () ->
                TestBus.await(
                    Future.future(
                        promise ->
                            bus.vertx()
                                .runOnContext(
                                    loop -> {
                                      try {
                                        promise.complete(provider.provideTools(ASKED));
                                      } catch (RuntimeException e) {
                                        promise.fail(e);
                                      }
                                    }))))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("is an event loop; call it inside vertx.executeBlocking");

    script.asksFor("everything__echo", "{\"message\": \"from a worker\"}");
    String answer =
        TestBus.await(bus.vertx().executeBlocking(() -> assistant(provider).chat("Say").content()));
    assertThat(answer).contains("from a worker");
  }
}
