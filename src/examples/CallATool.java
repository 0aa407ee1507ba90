import dev.mcpbus.McpBus;
import dev.mcpbus.Servers;
import dev.mcpbus.client.CallOptions;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.Map;

/**
 * Starts mcpbus inside a program, calls a tool of the built-in demo server, and ends.
 *
 * <p>{@code java -cp target/mcpbus.jar src/examples/CallATool.java}
 */
public class CallATool {

  public static void main(String[] args) {
    Vertx vertx = Vertx.vertx();
    CallOptions options =
        CallOptions.timeout(Duration.ofSeconds(10))
            .withProgress(step -> System.out.println("progress " + step.progress()));
    McpBus.start(vertx, McpBus.Options.of().withServer("demo", Servers.bus("mcpbus.demo")))
        .compose(bus -> bus.server("demo").callTool("add", Map.of("a", 2, "b", 3), options))
        .onSuccess(result -> System.out.println("2 + 3 = " + result.text()))
        .onFailure(System.err::println)
        .eventually(vertx::close);
  }
}
