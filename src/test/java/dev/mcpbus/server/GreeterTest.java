package dev.mcpbus.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.TestOptions;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.connection.options.ConnectionOptions;
import dev.mcpbus.testing.TestBus;
import dev.mcpbus.transport.sdk.SdkServerVerticle;
import io.modelcontextprotocol.server.McpServer;
import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
import io.modelcontextprotocol.spec.McpSchema.ServerCapabilities;
import io.modelcontextprotocol.spec.McpSchema.Tool;
import io.vertx.core.Deployable;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import java.util.Map;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

/** The examples of {@code src/docs/servers.md}. */
class GreeterTest {

  private static final JsonObject ENTRY = new JsonObject().put("address", "my.greeter");

  private static String greeting(Deployable greeter, JsonObject arguments) {
    try (TestBus bus = TestBus.start(TestBus.server("greeter", ENTRY))) {
      TestBus.await(bus.vertx().deployVerticle(greeter));
      bus.awaitState("greeter", "READY");
      return bus.callTool("greeter", "greet", arguments).encode();
    }
  }

  private static RawServer raw() {
    JsonObject schema =
        new JsonObject(
            """
            {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}""");
    return RawServer.of("greeter", "1.0")
        .tool(
            "greet",
            "Greets a person.",
            schema,
            (request, arguments) ->
                Future.succeededFuture(ToolResult.text("Hello " + arguments.getString("name"))));
  }

  @Test
  void with_the_sdk() {
    SdkServerVerticle greeter =
        new SdkServerVerticle(
            "my.greeter",
            provider ->
                McpServer.async(provider)
                    .serverInfo("greeter", "1.0")
                    .capabilities(ServerCapabilities.builder().tools(true).build())
                    .toolCall(
                        Tool.builder("greet", Map.of("type", "object"))
                            .description("Greets.")
                            .build(),
                        (exchange, request) ->
                            Mono.just(CallToolResult.builder().addTextContent("Hello").build()))
                    .build());
    assertThat(greeting(greeter, new JsonObject())).contains("Hello");
  }

  @Test
  void handler_by_handler_on_the_bus() {
    assertThat(greeting(raw().deployable("my.greeter"), new JsonObject().put("name", "Ada")))
        .contains("Hello Ada");
  }

  @Test
  void handler_by_handler_in_memory() {
    try (TestBus bus = TestBus.start(new JsonObject())) {
      TestBus.await(
          TestOptions.add(
              bus.bus(),
              new ConnectionId("greeter"),
              raw().inMemory(bus.vertx().getOrCreateContext()),
              ConnectionOptions.DEFAULT));
      bus.awaitState("greeter", "READY");
      assertThat(bus.callTool("greeter", "greet", new JsonObject().put("name", "Ada")).encode())
          .contains("Hello Ada");
    }
  }
}
