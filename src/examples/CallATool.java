import dev.mcpbus.McpBus;
import dev.mcpbus.Servers;
import dev.mcpbus.client.CallOptions;
import dev.mcpbus.client.McpClient;
import io.modelcontextprotocol.spec.McpSchema;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.Map;

/**
 * Starts mcpbus inside a program, calls a tool of the built-in demo server, and ends.
 *
 * <p>{@code java -cp target/mcpbus.jar src/examples/CallATool.java}
 */
public class CallATool {

  public static void main(String[] args) throws Exception {
    Vertx vertx = Vertx.vertx();
    McpBus.Options options = McpBus.Options.of().withServer("demo", Servers.bus("mcpbus.demo"));

    CallOptions call =
        CallOptions.timeout(Duration.ofSeconds(10))
            .withProgress(step -> System.out.println("progress " + step.progress()));

    McpBus.start(vertx, options)
        .compose(
            bus ->
                McpClient.create(vertx)
                    .server("demo")
                    .callTool("add", Map.of("a", 2, "b", 3), call))
        .onSuccess(CallATool::print)
        .onFailure(failure -> System.err.println(failure))
        .eventually(() -> vertx.close());
  }

  private static void print(McpSchema.CallToolResult result) {
    result.content().stream()
        .filter(McpSchema.TextContent.class::isInstance)
        .map(McpSchema.TextContent.class::cast)
        .forEach(content -> System.out.println("2 + 3 = " + content.text()));
  }
}
