package embedding;

import dev.mcpbus.McpBus;
import dev.mcpbus.Servers;
import dev.mcpbus.ai.FrameworkOptions;
import dev.mcpbus.ai.spring.McpBusToolCallbackProvider;
import io.vertx.core.Vertx;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.springframework.ai.tool.ToolCallback;

/** Calls a tool of mcpbus as Spring AI does for a model. */
public final class Program {

  private Program() {}

  public static void main(String[] args) throws Exception {
    Vertx vertx = Vertx.vertx();
    McpBus.start(vertx, McpBus.Options.of().withServer("echo", Servers.stdio("sh").args(args[0])))
        .await(60, TimeUnit.SECONDS);
    try (McpBusToolCallbackProvider tools =
        McpBusToolCallbackProvider.create(vertx, FrameworkOptions.DEFAULT)) {
      ToolCallback tool =
          Arrays.stream(tools.getToolCallbacks())
              .filter(each -> each.getToolDefinition().name().equals("echo__echo"))
              .findFirst()
              .orElseThrow();
      System.out.println(tool.call("{\"call\": \"embedded\"}"));
    }
    vertx.close().await(60, TimeUnit.SECONDS);
  }
}
