package dev.mcpbus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.mcpbus.directory.ViewOptions;
import dev.mcpbus.gateway.options.GatewayOptions;
import dev.mcpbus.internals.RecordCopy;
import dev.mcpbus.testing.NpmServers;
import dev.mcpbus.testing.TestBus;
import io.modelcontextprotocol.client.McpClient;
import io.modelcontextprotocol.client.McpSyncClient;
import io.modelcontextprotocol.client.transport.HttpClientStreamableHttpTransport;
import io.modelcontextprotocol.spec.McpSchema;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** The Java SDK's client finds a tool of a real server, reads what it wants, and calls it. */
class SearchViewIT {

  @Test
  void a_client_searches_describes_and_calls() {
    GatewayOptions gateway =
        RecordCopy.with(
            GatewayOptions.DEFAULT,
            "views",
            Map.of(
                "all",
                new ViewOptions(
                    List.of(),
                    List.of(),
                    List.of("everything.get-env"),
                    Map.of(),
                    false,
                    true,
                    List.of())));
    List<Double> progress = new CopyOnWriteArrayList<>();
    try (TestBus bus =
        TestBus.startWithGateway(
            TestBus.server("everything", NpmServers.stdio(RealServersIT.EVERYTHING)), gateway)) {
      bus.awaitState("everything", "READY");
      McpSyncClient client =
          McpClient.sync(
                  HttpClientStreamableHttpTransport.builder("http://127.0.0.1:" + bus.port())
                      .endpoint("/mcp/all")
                      .build())
              .requestTimeout(Duration.ofSeconds(30))
              .progressConsumer(told -> progress.add(told.progress()))
              .build();
      client.initialize();
      assertThat(client.listTools().tools())
          .extracting(McpSchema.Tool::name)
          .containsExactly("search_tools", "describe_tool", "call_tool");
      String found = call(client, "search_tools", Map.of("query", "echo message"));
      assertThat(found).contains("everything__echo").doesNotContain("get-env");
      assertThat(call(client, "describe_tool", Map.of("name", "everything__echo")))
          .contains("inputSchema", "message");
      assertThat(
              call(
                  client,
                  "call_tool",
                  Map.of("name", "everything__echo", "arguments", Map.of("message", "found it"))))
          .contains("found it");
      call(
          client,
          "call_tool",
          Map.of(
              "name",
              "everything__trigger-long-running-operation",
              "arguments",
              Map.of("duration", 1, "steps", 2)));
      // The SDK's client hands progress over on a thread of its own.
      await().until(() -> progress.size() == 2);
      client.closeGracefully();
    }
  }

  private static String call(McpSyncClient client, String tool, Map<String, Object> arguments) {
    return String.valueOf(
        client
            .callTool(
                McpSchema.CallToolRequest.builder(tool)
                    .arguments(arguments)
                    .meta(Map.of("progressToken", "p"))
                    .build())
            .content());
  }
}
