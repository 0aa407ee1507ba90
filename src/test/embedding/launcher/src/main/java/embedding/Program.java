package embedding;

import dev.mcpbus.McpBusVerticle;
import dev.mcpbus.Servers;
import dev.mcpbus.client.McpClient;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.json.JsonObject;
import io.vertx.launcher.application.VertxApplication;
import java.time.Duration;
import java.util.Map;

/** A verticle that the launcher of Vert.x starts; its configuration is that of mcpbus. */
public final class Program extends VerticleBase {

  public static void main(String[] args) {
    JsonObject echo = Servers.stdio("sh").args(args[0]).toJson();
    JsonObject config = new JsonObject().put("mcpServers", new JsonObject().put("echo", echo));
    new VertxApplication(new String[] {Program.class.getName(), "-conf", config.encode()}).launch();
  }

  @Override
  public Future<?> start() {
    McpClient mcp = McpClient.create(vertx);
    return vertx
        .deployVerticle(new McpBusVerticle(), new DeploymentOptions().setConfig(config()))
        .compose(deployed -> mcp.awaitReady(Duration.ofSeconds(60), "echo"))
        .compose(ready -> mcp.server("echo").callTool("echo", Map.of("call", "embedded")))
        .onSuccess(result -> System.out.println(result.text()))
        .onSuccess(result -> vertx.close());
  }
}
