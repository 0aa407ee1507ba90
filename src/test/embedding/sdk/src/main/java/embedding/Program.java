package embedding;

import dev.mcpbus.McpBus;
import dev.mcpbus.transport.bus.BusServer;
import dev.mcpbus.transport.sdk.SdkServerTransportProvider;
import io.modelcontextprotocol.server.McpServer;
import io.modelcontextprotocol.server.McpServerFeatures;
import io.modelcontextprotocol.spec.McpSchema;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import reactor.core.publisher.Mono;

/** A server of the MCP SDK at an address of the bus, and its result as a record of the SDK. */
public final class Program {

  private Program() {}

  public static void main(String[] args) throws Exception {
    Vertx vertx = Vertx.vertx();
    SdkServerTransportProvider provider = new SdkServerTransportProvider();
    McpSchema.Tool echo =
        McpSchema.Tool.builder("echo", Map.<String, Object>of("type", "object")).build();
    McpServer.async(provider)
        .serverInfo("sdk", "1")
        .toolCall(
            echo,
            (exchange, request) ->
                Mono.just(
                    McpSchema.CallToolResult.builder()
                        .addTextContent("embedded " + request.arguments())
                        .build()))
        .build();
    String text =
        BusServer.listen(vertx, "my.sdk", provider)
            .compose(
                listening ->
                    McpBus.start(
                        vertx,
                        McpBus.Options.of()
                            .withServer("sdk", new JsonObject().put("address", "my.sdk"))))
            .compose(
                bus ->
                    bus.awaitReady(Duration.ofSeconds(60), "sdk")
                        .compose(ready -> bus.server("sdk").callTool("echo", Map.of("a", 1))))
            .map(result -> result.text())
            .await(60, TimeUnit.SECONDS);
    System.out.println(text);
    vertx.close().await(60, TimeUnit.SECONDS);
    System.exit(0);
  }
}
