package dev.mcpbus.ai;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.langchain4j.agent.tool.SearchBehavior;
import dev.langchain4j.agent.tool.ToolExecutionRequest;
import dev.langchain4j.agent.tool.ToolSpecification;
import dev.langchain4j.data.message.ImageContent;
import dev.langchain4j.data.message.TextContent;
import dev.langchain4j.data.message.UserMessage;
import dev.langchain4j.invocation.InvocationContext;
import dev.langchain4j.invocation.InvocationParameters;
import dev.langchain4j.service.tool.AiServiceTool;
import dev.langchain4j.service.tool.ToolExecutionResult;
import dev.langchain4j.service.tool.ToolExecutor;
import dev.langchain4j.service.tool.ToolProviderRequest;
import dev.mcpbus.Servers;
import dev.mcpbus.ai.langchain4j.McpBusToolProvider;
import dev.mcpbus.ai.spring.McpBusToolCallbackProvider;
import dev.mcpbus.ai.spring.McpBusToolDefinition;
import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.client.CallOptions;
import dev.mcpbus.testing.EchoServer;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.Context;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.ai.chat.model.ToolContext;
import org.springframework.ai.tool.ToolCallback;
import org.springframework.ai.tool.definition.ToolDefinition;
import org.springframework.ai.tool.execution.ToolExecutionException;

/**
 * Each row of the table in {@code src/docs/frameworks.md}: what the frameworks' own MCP clients
 * can, both adapters can.
 */
class FrameworkAdaptersTest {

  private static final ToolProviderRequest ASKED =
      new ToolProviderRequest("memory", UserMessage.from("Anything"));
  private static final String TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

  private final List<JsonObject> params = new CopyOnWriteArrayList<>();
  private TestBus bus;

  @BeforeEach
  void start() {
    bus = TestBus.start(new JsonObject());
    TestBus.await(
        bus.bus().add("lab", LabServer.create(params).inMemory(bus.vertx().getOrCreateContext())));
    bus.awaitState("lab", "READY");
  }

  @AfterEach
  void stop() {
    bus.close();
  }

  private McpBusToolProvider langChain(FrameworkOptions options) {
    return McpBusToolProvider.create(bus.vertx(), options);
  }

  private McpBusToolCallbackProvider spring(FrameworkOptions options) {
    return McpBusToolCallbackProvider.create(bus.vertx(), options);
  }

  private static AiServiceTool tool(McpBusToolProvider provider, String name) {
    return provider.provideTools(ASKED).aiServiceTools().stream()
        .filter(tool -> tool.name().equals(name))
        .findFirst()
        .orElseThrow();
  }

  private static ToolCallback tool(McpBusToolCallbackProvider provider, String name) {
    return Stream.of(provider.getToolCallbacks())
        .filter(tool -> tool.getToolDefinition().name().equals(name))
        .findFirst()
        .orElseThrow();
  }

  private static List<String> names(McpBusToolProvider provider) {
    return provider.provideTools(ASKED).aiServiceTools().stream().map(tool -> tool.name()).toList();
  }

  private static List<String> names(McpBusToolCallbackProvider provider) {
    return Stream.of(provider.getToolCallbacks())
        .map(tool -> tool.getToolDefinition().name())
        .toList();
  }

  private static ToolExecutionResult call(McpBusToolProvider provider, String name, String with) {
    InvocationContext context =
        InvocationContext.builder()
            .invocationParameters(InvocationParameters.from("user", "ada"))
            .build();
    return tool(provider, name)
        .toolExecutor()
        .executeWithContext(
            ToolExecutionRequest.builder().name(name).arguments(with).build(), context);
  }

  @Test
  void a_time_out_that_no_call_can_have_is_refused_at_once() {
    assertThatThrownBy(() -> FrameworkOptions.DEFAULT.withTimeout(Duration.ZERO))
        .hasMessageContaining("at least 1 ms");
  }

  @Test
  void a_filter_sees_what_the_server_says_of_a_tool() {
    FrameworkOptions careful =
        FrameworkOptions.DEFAULT.withFilter(
            tool -> tool.annotations().getBoolean("readOnlyHint", false));
    assertThat(names(langChain(careful))).containsExactly("lab__look");
    assertThat(names(spring(careful))).containsExactly("lab__look");
  }

  @Test
  void names_and_texts_are_the_programs_and_calls_still_arrive() {
    FrameworkOptions own =
        FrameworkOptions.DEFAULT
            .withNames(tool -> "my_" + tool.tool().tool())
            .withDescriptions(tool -> tool.description() + ", on " + tool.tool().server());
    assertThat(call(langChain(own), "my_look", "{}").resultText()).isEqualTo("seen");
    assertThat(tool(langChain(own), "my_look").toolSpecification().description())
        .isEqualTo("The tool look, on lab");
    assertThat(tool(spring(own), "my_look").call("{}")).isEqualTo("seen");
    assertThat(tool(spring(own), "my_look").getToolDefinition().description())
        .isEqualTo("The tool look, on lab");
    assertThat(params).extracting(call -> call.getString("name")).containsOnly("look");

    FrameworkOptions same = FrameworkOptions.DEFAULT.withNames(tool -> "one");
    assertThatThrownBy(() -> names(langChain(same)))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("\"one\" would be the name of two tools, lab.look and lab.any");
    assertThatThrownBy(() -> names(spring(same))).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void a_schema_for_a_tool_that_is_not_there_is_refused_with_the_near_name() {
    JsonObject schema = new JsonObject();
    FrameworkOptions wrong = FrameworkOptions.DEFAULT.withSchemas(Map.of("lab.lok", schema));
    for (ThrowingCallable list :
        List.<ThrowingCallable>of(() -> names(langChain(wrong)), () -> names(spring(wrong)))) {
      assertThatThrownBy(list)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageStartingWith(
              "withSchemas: no tool has the name 'lab.lok'; did you mean 'lab.look'");
    }
    FrameworkOptions far = FrameworkOptions.DEFAULT.withSchemas(Map.of("other.thing", schema));
    assertThatThrownBy(() -> names(spring(far)))
        .hasMessage("withSchemas: no tool has the name 'other.thing'");
    for (String name : List.of("look", "lab.look", "lab__look")) {
      FrameworkOptions right = FrameworkOptions.DEFAULT.withSchemas(Map.of(name, schema));
      assertThat(names(spring(right))).as(name).contains("lab__look", "lab__any");
    }
  }

  @Test
  void a_schema_for_a_server_that_has_listed_nothing_waits_for_it() {
    TestBus.await(bus.bus().add("late", Servers.bus("nobody.here").set("lazy", true)));
    FrameworkOptions early =
        FrameworkOptions.DEFAULT
            .withPatience(Duration.ZERO)
            .withSchemas(Map.of("late.thing", new JsonObject()));
    assertThat(names(spring(early))).contains("lab__look");
  }

  @Test
  void a_function_of_the_program_that_gives_null_is_named_with_the_tool() {
    for (Map.Entry<String, FrameworkOptions> each :
        Map.of(
                "withNames", FrameworkOptions.DEFAULT.withNames(tool -> null),
                "withDescriptions", FrameworkOptions.DEFAULT.withDescriptions(tool -> null))
            .entrySet()) {
      assertThatThrownBy(() -> names(spring(each.getValue())))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageStartingWith(
              "the function of " + each.getKey() + " gave null for the tool lab.");
    }
    assertThatThrownBy(() -> names(spring(FrameworkOptions.DEFAULT).withToolWrapper(own -> null)))
        .hasMessageStartingWith("the function of withToolWrapper gave null for the tool lab.");
    assertThatThrownBy(
            () ->
                call(
                    langChain(FrameworkOptions.DEFAULT).withMeta((tool, context) -> null),
                    "lab__look",
                    "{}"))
        .hasMessage("the function of withMeta gave null for the tool lab.look");
  }

  @Test
  void options_show_what_is_set_and_no_schema() {
    assertThat(FrameworkOptions.DEFAULT).hasToString("framework options {}");
    assertThat(
            FrameworkOptions.DEFAULT
                .withServers("lab")
                .withSchemas(Map.of("lab.look", new JsonObject().put("default", "secret")))
                .withNames(tool -> "x"))
        .hasToString("framework options {servers=[lab], schemas=[lab.look], names=set}");
  }

  @Test
  void a_specification_is_the_programs_to_change() {
    ToolSpecification always =
        tool(
                langChain(FrameworkOptions.DEFAULT)
                    .withSpecifications(
                        (tool, specification) ->
                            specification.toBuilder()
                                .addMetadata(
                                    ToolSpecification.METADATA_SEARCH_BEHAVIOR,
                                    SearchBehavior.ALWAYS_VISIBLE)
                                .build()),
                "lab__look")
            .toolSpecification();
    assertThat(always.metadata())
        .containsEntry("searchBehavior", SearchBehavior.ALWAYS_VISIBLE)
        .containsEntry("mcpServer", "lab");
  }

  @Test
  void a_wrapper_stands_around_each_tool() {
    List<String> seen = new CopyOnWriteArrayList<>();
    McpBusToolProvider langChain =
        langChain(FrameworkOptions.DEFAULT)
            .withToolWrapper(
                inner ->
                    new ToolExecutor() {
                      @Override
                      public String execute(ToolExecutionRequest request, Object memoryId) {
                        return inner.execute(request, memoryId);
                      }

                      @Override
                      public ToolExecutionResult executeWithContext(
                          ToolExecutionRequest request, InvocationContext context) {
                        seen.add(request.name());
                        return inner.executeWithContext(request, context);
                      }
                    });
    assertThat(call(langChain, "lab__look", "{}").resultText()).isEqualTo("seen");

    McpBusToolCallbackProvider spring =
        spring(FrameworkOptions.DEFAULT)
            .withToolWrapper(
                inner ->
                    new ToolCallback() {
                      @Override
                      public ToolDefinition getToolDefinition() {
                        return inner.getToolDefinition();
                      }

                      @Override
                      public String call(String input) {
                        seen.add("spring");
                        return inner.call(input);
                      }
                    });
    assertThat(tool(spring, "lab__look").call("{}")).isEqualTo("seen");
    assertThat(seen).containsExactly("lab__look", "spring");
  }

  @Test
  void a_model_lists_and_reads_resources_by_two_tools() {
    FrameworkOptions with = FrameworkOptions.DEFAULT.withResourcesAsTools(true);
    assertThat(names(langChain(FrameworkOptions.DEFAULT))).doesNotContain("list_resources");
    assertThat(new JsonArray(call(langChain(with), "list_resources", "").resultText()))
        .containsExactly(
            new JsonObject().put("mcpServer", "lab").put("uri", "lab://note").put("name", "note"),
            new JsonObject()
                .put("mcpServer", "lab")
                .put("uriTemplate", "lab://{n}")
                .put("name", "all"));
    String note = "{\"mcpServer\": \"lab\", \"uri\": \"lab://note\"}";
    assertThat(call(langChain(with), "get_resource", note).resultText()).isEqualTo("a note");
    assertThat(tool(spring(with), "get_resource").call(note)).isEqualTo("a note");
    String photo = "{\"mcpServer\": \"lab\", \"uri\": \"lab://photo\"}";
    assertThat(call(langChain(with).withImages(), "get_resource", photo).resultContents())
        .containsExactly(ImageContent.from("AAAA", "image/png"));

    bus.request(
        Addresses.SERVERS_ADD,
        new JsonObject().put("name", "other").put("config", EchoServer.shell()));
    ToolExecutionResult unknown =
        call(
            langChain(with.withServers("other")),
            "get_resource",
            "{\"mcpServer\": \"lab\", \"uri\": \"lab://note\"}");
    assertThat(unknown.isError()).isTrue();
    assertThat(unknown.resultText()).contains("there is no server \"lab\"");
    assertThat(tool(langChain(with), "get_resource").toolSpecification().parameters().required())
        .containsExactly("mcpServer", "uri");
  }

  @Test
  void a_program_may_demand_all_servers() {
    JsonObject broken = new JsonObject().put("command", "/nowhere/at/all");
    bus.request(
        Addresses.SERVERS_ADD, new JsonObject().put("name", "broken").put("config", broken));
    FrameworkOptions strict =
        FrameworkOptions.DEFAULT
            .withFailIfOneServerFails(true)
            .withPatience(Duration.ofMillis(100));
    assertThat(names(langChain(FrameworkOptions.DEFAULT))).contains("lab__look");
    assertThatThrownBy(() -> names(langChain(strict)))
        .isInstanceOf(McpFailure.class)
        .hasMessageContaining("broken: ");
    assertThatThrownBy(() -> names(spring(strict))).hasMessageContaining("broken: ");
    assertThat(names(spring(strict.withServers("LAB")))).as("by name").contains("lab__look");
    assertThatThrownBy(() -> strict.withServers("lab", ""))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("no server has the name ''");
  }

  @Test
  void meta_of_a_call_reaches_its_server_and_nothing_does_by_itself() {
    FrameworkOptions all = FrameworkOptions.DEFAULT;
    call(langChain(all), "lab__look", "{}");
    tool(spring(all), "lab__look").call("{}", new ToolContext(Map.of("secret", "s")));
    assertThat(params).noneMatch(call -> call.encode().contains("ada"));
    assertThat(params).noneMatch(call -> call.encode().contains("secret"));

    params.clear();
    call(
        langChain(all)
            .withMeta(
                (tool, context) ->
                    Map.of("acme/user", context.invocationParameters().get("user").toString())),
        "lab__look",
        "{}");
    tool(
            spring(all).withMeta(context -> Map.of("acme/user", context.getContext().get("user"))),
            "lab__look")
        .call("{}", new ToolContext(Map.of("user", "ada", "secret", "s")));
    assertThat(params)
        .hasSize(2)
        .allSatisfy(
            call ->
                assertThat(call.getJsonObject("_meta").getString("acme/user")).isEqualTo("ada"));
    assertThat(params).noneMatch(call -> call.encode().contains("secret"));
  }

  @Test
  void options_of_a_call_are_its_own() {
    CallOptions traced = CallOptions.DEFAULT.withTraceparent(TRACE);
    call(
        langChain(FrameworkOptions.DEFAULT).withCallOptions((tool, context) -> traced),
        "lab__look",
        "{}");
    tool(spring(FrameworkOptions.DEFAULT).withCallOptions((tool, context) -> traced), "lab__look")
        .call("{}");
    assertThat(params)
        .hasSize(2)
        .allSatisfy(
            call ->
                assertThat(call.getJsonObject("_meta").getString("traceparent"))
                    .contains("0af7651916cd43dd8448eb211c80319c"));
  }

  @Test
  void progress_and_log_messages_reach_handlers_that_may_block() {
    List<String> seen = new CopyOnWriteArrayList<>();
    FrameworkOptions listening =
        FrameworkOptions.DEFAULT
            .withProgress(
                (tool, step) -> {
                  assertThat(Context.isOnEventLoopThread()).isFalse();
                  seen.add(tool.name() + " " + step.getDouble("progress").intValue());
                })
            .withLog(
                event -> seen.add(event.getString("id") + " " + event.getJsonObject("params")));
    call(langChain(listening), "lab__walk", "{}");
    Awaitility.await()
        .untilAsserted(
            () ->
                assertThat(seen)
                    .contains("lab__walk 1", "lab__walk 2")
                    .anySatisfy(text -> assertThat(text).startsWith("lab {").contains("walked")));
    seen.clear();
    tool(spring(listening.withServers("lab")), "lab__walk").call("{}");
    Awaitility.await().untilAsserted(() -> assertThat(seen).contains("lab__walk 1", "lab__walk 2"));
  }

  @Test
  void a_program_sees_annotations_and_meta_of_a_tool() {
    Map<String, Object> metadata =
        tool(langChain(FrameworkOptions.DEFAULT), "lab__look").toolSpecification().metadata();
    assertThat(metadata)
        .containsEntry("title", "Look")
        .containsEntry("title-annotation", "Look up")
        .containsEntry("readOnlyHint", true)
        .containsEntry("icons", List.of(Map.of("src", "data:,")));
    assertThat(metadata.get("_meta")).asString().contains("lab/unit=mm");

    ToolDefinition definition =
        tool(spring(FrameworkOptions.DEFAULT), "lab__look").getToolDefinition();
    assertThat(definition)
        .isInstanceOfSatisfying(
            McpBusToolDefinition.class,
            known -> {
              assertThat(known.tool().annotations().getBoolean("readOnlyHint")).isTrue();
              assertThat(known.tool().meta().getString("lab/unit")).isEqualTo("mm");
            });
  }

  @Test
  void a_result_may_be_any_json() {
    assertThat(call(langChain(FrameworkOptions.DEFAULT), "lab__any", "{\"value\": [1, 2]}"))
        .satisfies(
            result -> {
              assertThat(result.result()).isEqualTo(List.of(1, 2));
              assertThat(result.resultText()).isEqualTo("[1,2]");
            });
    for (String value : List.of("[1,2]", "42", "\"text\"", "true", "{\"a\":[1]}")) {
      String arguments = "{\"value\": " + value + "}";
      assertThat(call(langChain(FrameworkOptions.DEFAULT), "lab__any", arguments).resultText())
          .isEqualTo(value);
      assertThat(tool(spring(FrameworkOptions.DEFAULT), "lab__any").call(arguments))
          .isEqualTo(value);
    }
  }

  @Test
  void structured_content_that_a_text_repeats_comes_once() {
    for (String value : List.of("[1,2]", "42", "\"text\"", "{\"a\":[1]}")) {
      JsonObject result = new JsonObject("{\"structuredContent\": " + value + "}");
      String text = value.replace("\"text\"", "text").replace(",", ", ");
      result.put(
          "content", new JsonArray().add(new JsonObject().put("type", "text").put("text", text)));
      assertThat(ToolOutput.of(result).text()).isEqualTo(text);
    }
  }

  @Test
  void images_links_and_embedded_resources_arrive() {
    assertThat(
            call(langChain(FrameworkOptions.DEFAULT).withImages(), "lab__media", "{}")
                .resultContents())
        .containsExactly(
            TextContent.from("a picture"),
            ImageContent.from("AAAA", "image/png"),
            TextContent.from("[resource lab://plan plan]"),
            TextContent.from("a note"),
            ImageContent.from("BBBB", "image/jpeg"));
    assertThat(tool(spring(FrameworkOptions.DEFAULT), "lab__media").call("{}"))
        .isEqualTo(
            """
            a picture
            [image, image/png, 3 bytes]
            [resource lab://plan plan]
            a note
            [resource lab://photo, image/jpeg, 3 bytes]""");

    FrameworkOptions whole =
        FrameworkOptions.DEFAULT.withText(output -> output.json().getJsonArray("content").encode());
    assertThat(new JsonArray(tool(spring(whole), "lab__media").call("{}")))
        .isEqualTo(LabServer.media());
    assertThat(new JsonArray(call(langChain(whole), "lab__media", "{}").resultText()))
        .isEqualTo(LabServer.media());
  }

  @Test
  void a_server_that_hangs_delays_one_list_and_not_the_next() {
    JsonObject silent =
        new JsonObject().put("command", "sleep").put("args", new JsonArray().add("600"));
    bus.request(
        Addresses.SERVERS_ADD, new JsonObject().put("name", "silent").put("config", silent));
    Duration patience = Duration.ofSeconds(3);
    McpBusToolProvider provider = langChain(FrameworkOptions.DEFAULT.withPatience(patience));

    assertThat(time(provider)).isGreaterThanOrEqualTo(patience);
    assertThat(time(provider)).isLessThan(patience);
    // Another that was just added is waited for all the same.
    bus.request(
        Addresses.SERVERS_ADD,
        new JsonObject().put("name", "late").put("config", EchoServer.shell()));
    assertThat(names(provider)).contains("late__echo");
  }

  private static Duration time(McpBusToolProvider provider) {
    long start = System.nanoTime();
    assertThat(names(provider)).contains("lab__look");
    return Duration.ofNanos(System.nanoTime() - start);
  }

  @Test
  void the_tools_own_failure_and_a_failure_of_the_call_are_told_apart() {
    assertThatThrownBy(() -> tool(spring(FrameworkOptions.DEFAULT), "lab__look").call("no json"))
        .isInstanceOf(ToolExecutionException.class)
        .hasCauseInstanceOf(McpFailure.class);
    assertThat(call(langChain(FrameworkOptions.DEFAULT), "lab__look", "no json").isError())
        .isTrue();
  }
}
