package embedding;

import dev.mcpbus.McpBus;
import dev.mcpbus.ai.spring.McpBusToolCallbackProvider;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.springframework.ai.tool.ToolCallback;

/** Calls a tool of mcpbus as Spring AI does for a model. */
public final class Program {

  private Program() {}

  public static void main(String[] args) throws Exception {
    Vertx vertx = Vertx.vertx();
    JsonObject echo = new JsonObject().put("command", "sh").put("args", JsonArray.of(args[0]));
    McpBus.start(vertx, McpBus.Options.of().withServer("echo", echo)).await(60, TimeUnit.SECONDS);
    try (McpBusToolCallbackProvider tools = McpBusToolCallbackProvider.create(vertx)) {
      ToolCallback tool =
          Arrays.stream(tools.getToolCallbacks())
              .filter(each -> each.getToolDefinition().name().equals("echo__echo"))
              .findFirst()
              .orElseThrow();
      System.out.println(tool.call("{\"call\": \"embedded\", \"deadline\": 0}"));
    }
    vertx.close().await(60, TimeUnit.SECONDS);
  }
}
