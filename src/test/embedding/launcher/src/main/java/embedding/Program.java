package embedding;

import dev.mcpbus.McpBusVerticle;
import dev.mcpbus.client.McpClient;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.json.JsonObject;
import io.vertx.launcher.application.VertxApplication;
import java.time.Duration;

/** A verticle that the launcher starts; its configuration is that of mcpbus. */
public final class Program extends VerticleBase {

  public static void main(String[] args) {
    JsonObject echo = new JsonObject().put("command", "sh").put("args", java.util.List.of(args[0]));
    JsonObject config = new JsonObject().put("mcpServers", new JsonObject().put("echo", echo));
    new VertxApplication(new String[] {Program.class.getName(), "-conf", config.encode()}).launch();
  }

  @Override
  public Future<?> start() {
    McpClient mcp = McpClient.create(vertx);
    JsonObject arguments = new JsonObject().put("call", "embedded").put("deadline", 0);
    return vertx
        .deployVerticle(new McpBusVerticle(), new DeploymentOptions().setConfig(config()))
        .compose(deployed -> mcp.awaitReady(Duration.ofSeconds(60), "echo"))
        .compose(ready -> mcp.server("echo").callTool("echo", arguments))
        .onSuccess(result -> System.out.println(result.text()))
        .onSuccess(result -> vertx.close());
  }
}
