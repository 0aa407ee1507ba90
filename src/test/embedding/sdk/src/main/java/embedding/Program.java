package embedding;

import dev.mcpbus.McpBus;
import dev.mcpbus.Servers;
import dev.mcpbus.client.sdk.SdkRecords;
import dev.mcpbus.transport.sdk.SdkServerTransportProvider;
import dev.mcpbus.transport.memory.InMemoryTransport;
import io.modelcontextprotocol.server.McpServer;
import io.modelcontextprotocol.spec.McpSchema;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import reactor.core.publisher.Mono;

/** A server of the MCP SDK in memory, and its result as a record of the SDK. */
public final class Program {

  private Program() {}

  public static void main(String[] args) throws Exception {
    Vertx vertx = Vertx.vertx();
    SdkServerTransportProvider provider = new SdkServerTransportProvider();
    McpServer.async(provider)
        .serverInfo("sdk", "1")
        .toolCall(
            McpSchema.Tool.builder("echo", Map.of("type", "object")).build(),
            (exchange, request) ->
                Mono.just(
                    McpSchema.CallToolResult.builder()
                        .addTextContent("embedded " + request.arguments())
                        .build()))
        .build();
    InMemoryTransport transport =
        new InMemoryTransport("sdk", vertx.getOrCreateContext(), provider);
    McpSchema.CallToolResult result =
        McpBus.start(vertx, McpBus.Options.of().withServer("sdk", Servers.transport(transport)))
            .compose(
                bus ->
                    bus.awaitReady(Duration.ofSeconds(60), "sdk")
                        .compose(ready -> bus.server("sdk").callTool("echo", Map.of("a", 1))))
            .compose(
                called -> SdkRecords.read(vertx, called, McpSchema.CallToolResult.class))
            .await(60, TimeUnit.SECONDS);
    System.out.println(((McpSchema.TextContent) result.content().get(0)).text());
    vertx.close().await(60, TimeUnit.SECONDS);
    System.exit(0); // Reactor's threads would stay for a minute.
  }
}
