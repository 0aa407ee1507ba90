package dev.mcpbus;

import static org.assertj.core.api.Assertions.assertThat;

import dev.langchain4j.agent.tool.ToolExecutionRequest;
import dev.langchain4j.agent.tool.ToolSpecification;
import dev.langchain4j.mcp.client.DefaultMcpClient;
import dev.langchain4j.mcp.client.McpTextResourceContents;
import dev.langchain4j.mcp.client.transport.http.StreamableHttpMcpTransport;
import dev.mcpbus.testing.Fixture;
import dev.mcpbus.testing.NpmServers;
import dev.mcpbus.testing.TestBus;
import io.modelcontextprotocol.client.McpClient;
import io.modelcontextprotocol.client.McpSyncClient;
import io.modelcontextprotocol.client.transport.HttpClientSseClientTransport;
import io.modelcontextprotocol.client.transport.HttpClientStreamableHttpTransport;
import io.modelcontextprotocol.spec.McpClientTransport;
import io.modelcontextprotocol.spec.McpSchema;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Clients that other people wrote, through the gateway, to servers of both eras: they list, call,
 * read and get, and are asked where they can answer.
 */
class GatewayClientsIT {

  private static final String INSPECTOR =
      "@modelcontextprotocol/inspector/clients/launcher/build/index.js";

  private static final String SIMPLE = "This is a simple text response for testing.";
  private static final String STATIC = "This is the content of the static text resource.";

  @TempDir static Path folder;

  private static Fixture fixture;
  private static TestBus bus;

  @BeforeAll
  static void start() {
    fixture = new Fixture(folder);
    bus = fixture.served("legacy", "modern", "stdio");
  }

  @AfterAll
  static void close() {
    bus.close();
    fixture.close();
  }

  private static String url(String server) {
    return at("/mcp/" + server);
  }

  private static String at(String path) {
    return "http://127.0.0.1:" + bus.port() + path;
  }

  private static String node(String... args) throws IOException, InterruptedException {
    return NpmServers.run(folder, args);
  }

  @Tag("long")
  @ParameterizedTest(name = "{0} client of the TypeScript SDK, {1} server")
  @CsvSource({
    "v1,legacy",
    "v1,modern",
    "v1-sse,legacy",
    "v1-sse,modern",
    "v2-sse,legacy",
    "v2-sse,modern",
    "v2-legacy,legacy",
    "v2-legacy,modern",
    "v2-modern,legacy",
    "v2-modern,modern",
    "v2-auto,legacy",
    "v2-auto,modern"
  })
  void the_typescript_sdks_use_everything(String kind, String server) throws Exception {
    String script = Path.of("src", "test", "npm", "sdk-client.mjs").toAbsolutePath().toString();
    JsonObject seen =
        new JsonObject(
            node(script, kind, kind.endsWith("-sse") ? at("/sse/" + server) : url(server)));
    assertThat(seen.getJsonArray("tools")).contains("test_simple_text", "test_elicitation");
    assertThat(seen.getJsonArray("resources")).contains("test://static-text");
    assertThat(seen.getJsonArray("prompts")).contains("test_prompt_with_arguments");
    assertThat(seen.getString("text")).isEqualTo(SIMPLE);
    assertThat(seen.getString("resource")).isEqualTo(STATIC);
    assertThat(seen.getString("prompt")).contains("arg1='one', arg2='two'");
    assertThat(seen.getString("elicitation")).contains("my username", "my email");
    assertThat(seen.getJsonArray("asked")).containsExactly("Who are you?");
    assertThat(seen.getString("sampling")).isEqualTo("LLM response: a thought");
    assertThat(seen.getString("progressed")).isEqualTo("done");
    assertThat(seen.getJsonArray("progress")).containsExactly(0, 50, 100);
    assertThat(seen.getBoolean("cancelled")).isTrue();
  }

  @ParameterizedTest(name = "the Java SDK, {0} server")
  @ValueSource(strings = {"legacy", "modern"})
  void the_java_sdk_uses_everything(String server) {
    usesEverything(
        HttpClientStreamableHttpTransport.builder(at("")).endpoint("/mcp/" + server).build());
  }

  @ParameterizedTest(name = "the Java SDK over HTTP+SSE, {0} server")
  @ValueSource(strings = {"legacy", "modern"})
  @SuppressWarnings("deprecation") // old clients are what this is about
  void the_java_sdk_uses_everything_over_http_sse(String server) {
    usesEverything(
        HttpClientSseClientTransport.builder(at("")).sseEndpoint("/sse/" + server).build());
  }

  private static void usesEverything(McpClientTransport transport) {
    List<String> asked = new ArrayList<>();
    McpSyncClient client =
        McpClient.sync(transport)
            .requestTimeout(Duration.ofSeconds(30))
            .capabilities(McpSchema.ClientCapabilities.builder().elicitation().build())
            .elicitation(
                question -> {
                  asked.add(String.valueOf(question.message()));
                  return McpSchema.ElicitResult.builder(McpSchema.ElicitResult.Action.ACCEPT)
                      .content(Map.of("username", "a name", "email", "an address"))
                      .build();
                })
            .build();
    try {
      client.initialize();
      assertThat(client.listTools().tools())
          .extracting(McpSchema.Tool::name)
          .contains("test_simple_text", "test_elicitation");
      assertThat(String.valueOf(client.callTool(call("test_simple_text", Map.of())).content()))
          .contains(SIMPLE);
      assertThat(
              String.valueOf(
                  client
                      .callTool(call("test_elicitation", Map.of("message", "Who are you?")))
                      .content()))
          .contains("a name", "an address");
      assertThat(asked).containsExactly("Who are you?");
      assertThat(
              client
                  .readResource(McpSchema.ReadResourceRequest.builder("test://static-text").build())
                  .contents())
          .anySatisfy(content -> assertThat(content.toString()).contains(STATIC));
      assertThat(
              String.valueOf(
                  client
                      .getPrompt(
                          McpSchema.GetPromptRequest.builder("test_prompt_with_arguments")
                              .arguments(Map.of("arg1", "one", "arg2", "two"))
                              .build())
                      .messages()))
          .contains("arg1='one', arg2='two'");
    } finally {
      client.closeGracefully();
    }
  }

  private static McpSchema.CallToolRequest call(String tool, Map<String, Object> arguments) {
    return McpSchema.CallToolRequest.builder(tool).arguments(arguments).build();
  }

  @ParameterizedTest(name = "LangChain4j, {0} server")
  @ValueSource(strings = {"legacy", "modern"})
  void langchain4j_lists_calls_reads_and_gets(String server) throws Exception {
    try (DefaultMcpClient client =
        new DefaultMcpClient.Builder()
            .transport(
                new StreamableHttpMcpTransport.Builder()
                    .url(url(server))
                    .timeout(Duration.ofSeconds(30))
                    .build())
            .build()) {
      assertThat(client.listTools())
          .extracting(ToolSpecification::name)
          .contains("test_simple_text");
      assertThat(
              client
                  .executeTool(
                      ToolExecutionRequest.builder()
                          .name("test_simple_text")
                          .arguments("{}")
                          .build())
                  .resultText())
          .isEqualTo(SIMPLE);
      assertThat(client.listResources()).isNotEmpty();
      assertThat(client.readResource("test://static-text").contents())
          .anySatisfy(
              content -> assertThat(((McpTextResourceContents) content).text()).isEqualTo(STATIC));
      assertThat(client.listPrompts()).isNotEmpty();
      assertThat(
              client
                  .getPrompt("test_prompt_with_arguments", Map.of("arg1", "one", "arg2", "two"))
                  .messages()
                  .toString())
          .contains("arg1='one', arg2='two'");
      client.checkHealth();
    }
  }

  @Tag("release")
  @ParameterizedTest(name = "the Inspector as a {0} client, {1} server")
  @CsvSource({"legacy,legacy", "legacy,modern", "modern,legacy", "modern,modern"})
  void the_inspector_lists_calls_reads_and_gets(String era, String server) throws Exception {
    assertThat(inspect(era, server, "tools/list")).contains("\"test_simple_text\"");
    assertThat(inspect(era, server, "tools/call", "--tool-name", "test_simple_text"))
        .contains(SIMPLE);
    assertThat(inspect(era, server, "resources/read", "--uri", "test://static-text"))
        .contains(STATIC);
    assertThat(
            inspect(
                era,
                server,
                "prompts/get",
                "--prompt-name",
                "test_prompt_with_arguments",
                "--prompt-args",
                "arg1=one",
                "arg2=two"))
        .contains("arg1='one', arg2='two'");
  }

  private static String inspect(String era, String server, String method, String... more)
      throws IOException, InterruptedException {
    List<String> args =
        new ArrayList<>(
            List.of(
                NpmServers.script(INSPECTOR),
                "--cli",
                "--transport",
                "http",
                "--server-url",
                url(server),
                "--protocol-era",
                era,
                "--method",
                method));
    args.addAll(List.of(more));
    return node(args.toArray(new String[0]));
  }
}
