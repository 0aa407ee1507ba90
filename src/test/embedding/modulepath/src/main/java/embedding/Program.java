package embedding;

import dev.mcpbus.McpBus;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Starts mcpbus, adds a server, calls its tool, and ends. */
public final class Program {

  private Program() {}

  public static void main(String[] args) throws Exception {
    Vertx vertx = Vertx.vertx();
    JsonObject entry =
        new JsonObject().put("command", "sh").put("args", new JsonArray().add(args[0]));
    JsonObject arguments = new JsonObject().put("call", "embedded").put("deadline", 0);
    String result =
        McpBus.start(vertx, McpBus.Options.of().withServer("echo", entry))
            .compose(
                bus ->
                    bus.awaitReady(Duration.ofSeconds(30), "echo")
                        .compose(ready -> bus.server("echo").callTool("echo", arguments))
                        .eventually(bus::close))
            .map(echoed -> echoed.json().encode())
            .await(60, TimeUnit.SECONDS);
    System.out.println(result);
    vertx.close().await(10, TimeUnit.SECONDS);
  }
}
