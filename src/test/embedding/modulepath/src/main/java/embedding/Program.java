package embedding;

import dev.mcpbus.McpBus;
import dev.mcpbus.Servers;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Starts mcpbus with a server, calls its tool, and ends. */
public final class Program {

  private Program() {}

  public static void main(String[] args) throws Exception {
    Vertx vertx = Vertx.vertx();
    String text =
        McpBus.start(
                vertx, McpBus.Options.of().withServer("echo", Servers.stdio("sh").args(args[0])))
            .compose(
                bus ->
                    bus.awaitReady(Duration.ofSeconds(60), "echo")
                        .compose(
                            ready ->
                                bus.server("echo").callTool("echo", Map.of("call", "embedded")))
                        .eventually(bus::close))
            .map(result -> result.text())
            .await(60, TimeUnit.SECONDS);
    System.out.println(text);
    vertx.close().await(60, TimeUnit.SECONDS);
  }
}
