package dev.mcpbus.testing;

import dev.mcpbus.McpBus;
import dev.mcpbus.server.RawServer;
import dev.mcpbus.server.ToolResult;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.Message;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A program that a server of applications loads, runs and drops: it has a server in memory behind
 * its own HTTP, a second bus that calls it there, and a child process.
 */
public final class RedeployedProgram {

  private RedeployedProgram() {}

  /**
   * Starts all, calls, and ends all.
   *
   * @param script of a stdio server
   */
  public static String run(String script) throws TimeoutException {
    Vertx serving = Vertx.vertx(McpBus.vertxOptions());
    Vertx calling = Vertx.vertx(McpBus.vertxOptions());
    McpBus behind = await(McpBus.start(serving, McpBus.Options.of().withPort(0)));
    RawServer memory =
        RawServer.of("memory", "1")
            .tool(
                "greet",
                "",
                new JsonObject().put("type", "object"),
                (request, arguments) -> Future.succeededFuture(ToolResult.text("hello")));
    await(behind.add("memory", memory.inMemory(serving.getOrCreateContext())));
    await(behind.awaitReady(Duration.ofSeconds(30)));

    McpBus bus = await(McpBus.start(calling, McpBus.Options.of()));
    String url = "http://127.0.0.1:" + behind.port() + "/mcp/memory";
    await(bus.add("far", new JsonObject().put("url", url)));
    await(
        bus.add(
            "child",
            new JsonObject().put("command", "sh").put("args", new JsonArray().add(script))));
    await(bus.awaitReady(Duration.ofSeconds(30)));
    String answers = call(calling, "far", "greet") + call(calling, "child", "echo");
    await(bus.close());
    await(behind.close());
    await(calling.close());
    await(serving.close());
    return answers;
  }

  private static String call(Vertx vertx, String server, String tool) throws TimeoutException {
    JsonObject call =
        new JsonObject().put("name", tool).put("arguments", new JsonObject().put("call", "one"));
    Future<Message<JsonObject>> reply =
        vertx.eventBus().request("mcp." + server + ".tools.call", call);
    return await(reply).body().encode();
  }

  private static <T> T await(Future<T> future) throws TimeoutException {
    return future.await(60, TimeUnit.SECONDS);
  }
}
