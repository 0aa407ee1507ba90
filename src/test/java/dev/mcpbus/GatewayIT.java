package dev.mcpbus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.mcpbus.testing.NpmServers;
import dev.mcpbus.testing.TestBus;
import io.modelcontextprotocol.client.McpClient;
import io.modelcontextprotocol.client.McpSyncClient;
import io.modelcontextprotocol.client.transport.HttpClientStreamableHttpTransport;
import io.modelcontextprotocol.spec.McpSchema;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Clients that know nothing of mcpbus, through the gateway to a real server over stdio. */
class GatewayIT {

  private static TestBus bus;

  @BeforeAll
  static void start() {
    bus =
        TestBus.startWithBridge(
            TestBus.server("everything", NpmServers.stdio(RealServersIT.EVERYTHING)));
    bus.awaitState("everything", "READY");
  }

  @AfterAll
  static void close() {
    bus.close();
  }

  private static String url() {
    return "http://127.0.0.1:" + bus.port();
  }

  @Tag("long")
  @ParameterizedTest
  @ValueSource(strings = {"2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26"})
  void our_own_connection_does_everything_through_a_view_of_one_server(String version) {
    JsonObject entry =
        new JsonObject().put("url", url() + "/mcp/everything").put("protocolVersion", version);
    try (TestBus outer = TestBus.start(TestBus.server("everything", entry))) {
      outer.awaitState("everything", "READY");
      assertThat(outer.status("everything").getString("protocolVersion")).isEqualTo(version);
      RealServersIT.exerciseTheServer(outer);
    }
  }

  @Test
  void our_own_connection_finds_the_discover_era_by_itself() {
    JsonObject entry = new JsonObject().put("url", url() + "/mcp");
    try (TestBus outer = TestBus.start(TestBus.server("gateway", entry))) {
      outer.awaitState("gateway", "READY");
      assertThat(outer.status("gateway").getString("era")).isEqualTo("DISCOVER");
      assertThat(
              outer
                  .callTool(
                      "gateway", "everything__echo", new JsonObject().put("message", "through"))
                  .encode())
          .contains("through");
    }
  }

  @Test
  void the_java_sdks_client_calls_is_asked_and_hears_progress_and_logs() {
    List<Double> progress = new CopyOnWriteArrayList<>();
    List<String> questions = new CopyOnWriteArrayList<>();
    McpSyncClient client =
        McpClient.sync(HttpClientStreamableHttpTransport.builder(url()).endpoint("/mcp").build())
            .requestTimeout(Duration.ofSeconds(30))
            .capabilities(
                McpSchema.ClientCapabilities.builder().elicitation().sampling().roots(true).build())
            .elicitation(
                asked -> {
                  questions.add(String.valueOf(asked.message()));
                  return McpSchema.ElicitResult.builder(McpSchema.ElicitResult.Action.DECLINE)
                      .build();
                })
            .sampling(
                asked -> {
                  questions.add("sampling");
                  return McpSchema.CreateMessageResult.builder(
                          McpSchema.Role.ASSISTANT, "an answer", "a-model")
                      .build();
                })
            .progressConsumer(told -> progress.add(told.progress()))
            .build();
    try {
      McpSchema.InitializeResult opened = client.initialize();
      assertThat(opened.serverInfo().name()).isEqualTo("mcpbus");
      assertThat(client.listTools().tools())
          .extracting(McpSchema.Tool::name)
          .contains("everything__echo");
      assertThat(call(client, "everything__echo", Map.of("message", "sdk"))).contains("sdk");
      call(client, "everything__trigger-long-running-operation", Map.of("duration", 1, "steps", 4));
      await().until(() -> progress.size() == 4);
      await()
          .until(
              () ->
                  call(
                          client,
                          "everything__trigger-sampling-request",
                          Map.of("prompt", "say something", "maxTokens", 10))
                      .contains("an answer"));
      assertThat(questions).contains("sampling");
      assertThat(client.readResource(client.listResources().resources().get(0)).contents())
          .isNotEmpty();
      assertThat(client.listPrompts().prompts())
          .extracting(McpSchema.Prompt::name)
          .contains("everything__simple-prompt");
    } finally {
      client.closeGracefully();
    }
  }

  private static String call(McpSyncClient client, String tool, Map<String, Object> arguments) {
    return String.valueOf(
        client
            .callTool(
                McpSchema.CallToolRequest.builder(tool)
                    .arguments(arguments)
                    .meta(Map.of("progressToken", "sdk-1"))
                    .build())
            .content());
  }
}
