package dev.mcpbus.ai;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.langchain4j.agent.tool.ToolExecutionRequest;
import dev.langchain4j.agent.tool.ToolSpecification;
import dev.langchain4j.data.message.UserMessage;
import dev.langchain4j.mcp.McpToolProvider;
import dev.langchain4j.mcp.client.DefaultMcpClient;
import dev.langchain4j.mcp.client.transport.McpTransport;
import dev.langchain4j.mcp.client.transport.http.StreamableHttpMcpTransport;
import dev.langchain4j.mcp.client.transport.stdio.StdioMcpTransport;
import dev.langchain4j.mcp.resourcesastools.DefaultMcpResourcesAsToolsPresenter;
import dev.langchain4j.service.tool.AiServiceTool;
import dev.langchain4j.service.tool.ToolProviderRequest;
import dev.mcpbus.testing.TestBus;
import io.modelcontextprotocol.client.McpClient;
import io.modelcontextprotocol.client.McpSyncClient;
import io.modelcontextprotocol.client.transport.HttpClientStreamableHttpTransport;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.ai.chat.model.ToolContext;
import org.springframework.ai.mcp.SyncMcpToolCallbackProvider;
import org.springframework.ai.tool.ToolCallback;

/**
 * What {@code src/docs/frameworks.md} says that the frameworks' own MCP clients do not, or do in
 * another way. A failure here after an upgrade of one means that the page is out of date.
 */
class OwnClientsTest {

  private static final ToolProviderRequest ASKED =
      new ToolProviderRequest("memory", UserMessage.from("Anything"));

  private final List<JsonObject> params = new CopyOnWriteArrayList<>();
  private TestBus bus;

  @BeforeEach
  void start() {
    bus = TestBus.startWithBridge(new JsonObject());
    TestBus.await(
        bus.bus().add("lab", LabServer.create(params).inMemory(bus.vertx().getOrCreateContext())));
    bus.awaitState("lab", "READY");
  }

  @AfterEach
  void stop() {
    bus.close();
  }

  private String origin() {
    return "http://127.0.0.1:" + bus.port();
  }

  private DefaultMcpClient langChain() {
    return langChain(StreamableHttpMcpTransport.builder().url(origin() + "/mcp/lab").build());
  }

  private static DefaultMcpClient langChain(McpTransport transport) {
    return DefaultMcpClient.builder()
        .key("lab")
        .transport(transport)
        .toolExecutionTimeout(Duration.ofMillis(500))
        .autoHealthCheck(false)
        .build();
  }

  private McpSyncClient sdk() {
    McpSyncClient client =
        McpClient.sync(
                HttpClientStreamableHttpTransport.builder(origin()).endpoint("/mcp/lab").build())
            .build();
    client.initialize();
    return client;
  }

  private static ToolCallback tool(SyncMcpToolCallbackProvider provider, String name) {
    return Stream.of(provider.getToolCallbacks())
        .filter(tool -> tool.getToolDefinition().name().endsWith(name))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void of_langchain4j_has_neither_images_nor_links_nor_meta_of_tools() throws Exception {
    try (DefaultMcpClient client = langChain()) {
      assertThatThrownBy(
              () ->
                  client.executeTool(
                      ToolExecutionRequest.builder().name("media").arguments("{}").build()))
          .hasMessageContaining("Unsupported content type");
      ToolSpecification look =
          client.listTools().stream()
              .filter(t -> t.name().equals("look"))
              .findFirst()
              .orElseThrow();
      assertThat(look.metadata()).containsEntry("title", "Look").doesNotContainKey("_meta");
    }
  }

  @Test
  void of_langchain4j_reads_no_binary_resource() throws Exception {
    try (DefaultMcpClient client = langChain()) {
      AiServiceTool get =
          McpToolProvider.builder()
              .mcpClients(client)
              .resourcesAsToolsPresenter(DefaultMcpResourcesAsToolsPresenter.builder().build())
              .build()
              .provideTools(ASKED)
              .aiServiceTools()
              .stream()
              .filter(tool -> tool.name().equals("get_resource"))
              .findFirst()
              .orElseThrow();
      String arguments = "{\"mcpServer\": \"lab\", \"uri\": \"lab://photo\"}";
      assertThatThrownBy(
              () ->
                  get.toolExecutor()
                      .execute(
                          ToolExecutionRequest.builder()
                              .name("get_resource")
                              .arguments(arguments)
                              .build(),
                          "memory"))
          .hasMessageContaining("binary");
    }
  }

  @Test
  void of_langchain4j_waits_at_each_list_for_a_server_that_hangs() throws Exception {
    String script =
        "read first; echo '{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{\"protocolVersion\":"
            + "\"2025-06-18\",\"capabilities\":{\"tools\":{}},\"serverInfo\":{\"name\":"
            + "\"silent\",\"version\":\"1\"}}}'; exec cat > /dev/null";
    try (DefaultMcpClient silent =
        langChain(StdioMcpTransport.builder().command(List.of("sh", "-c", script)).build())) {
      McpToolProvider provider = McpToolProvider.builder().mcpClients(silent).build();
      for (int list = 0; list < 2; list++) {
        long start = System.nanoTime();
        assertThat(provider.provideTools(ASKED).aiServiceTools()).isEmpty();
        assertThat(Duration.ofNanos(System.nanoTime() - start))
            .isGreaterThanOrEqualTo(Duration.ofMillis(500));
      }
    }
  }

  @Test
  void of_spring_ai_sends_the_whole_context_by_default() {
    try (McpSyncClient client = sdk()) {
      SyncMcpToolCallbackProvider provider =
          SyncMcpToolCallbackProvider.builder().mcpClients(client).build();
      tool(provider, "look").call("{}", new ToolContext(Map.of("secret", "s")));
      assertThat(params)
          .singleElement()
          .satisfies(
              call -> assertThat(call.getJsonObject("_meta").getString("secret")).isEqualTo("s"));
    }
  }

  @Test
  void of_spring_ai_gives_the_content_as_json_and_no_structured_content() {
    try (McpSyncClient client = sdk()) {
      SyncMcpToolCallbackProvider provider =
          SyncMcpToolCallbackProvider.builder().mcpClients(client).build();
      assertThat(tool(provider, "any").call("{\"value\": {\"a\": 1}}")).isEqualTo("[]");
      assertThat(new JsonArray(tool(provider, "media").call("{}"))).hasSize(5);
    }
  }

  @Test
  void of_spring_ai_has_no_tools_while_one_server_fails() {
    McpSyncClient nowhere =
        McpClient.sync(HttpClientStreamableHttpTransport.builder("http://127.0.0.1:1").build())
            .build();
    try (McpSyncClient client = sdk()) {
      assertThatThrownBy(
              () ->
                  SyncMcpToolCallbackProvider.builder()
                      .mcpClients(client, nowhere)
                      .build()
                      .getToolCallbacks())
          .isInstanceOf(RuntimeException.class);
    }
  }
}
