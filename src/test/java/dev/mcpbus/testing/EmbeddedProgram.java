package dev.mcpbus.testing;

import dev.mcpbus.Main;
import dev.mcpbus.McpBus;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.TelemetryOptions;
import dev.mcpbus.client.CallOptions;
import dev.mcpbus.cluster.engine.HazelcastCluster;
import dev.mcpbus.config.ClusterOptions;
import dev.mcpbus.connection.options.ConnectionOptions;
import dev.mcpbus.server.RawServer;
import dev.mcpbus.server.ToolResult;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A program that embeds mcpbus, for class paths without some libraries: it adds a child process and
 * a server in memory, calls both, and then uses the feature that its argument names. Imports
 * nothing but mcpbus, Vert.x and the JDK.
 */
public final class EmbeddedProgram {

  private static final JsonObject ANY = new JsonObject().put("type", "object");

  private EmbeddedProgram() {}

  public static void main(String[] args) throws TimeoutException {
    Vertx vertx = Vertx.vertx();
    McpBus bus = await(McpBus.start(vertx, McpBus.Options.of()));
    await(
        bus.add(
            "child",
            new JsonObject().put("command", "sh").put("args", new JsonArray().add(args[1]))));
    RawServer memory =
        RawServer.of("memory", "1")
            .tool(
                "greet",
                "",
                ANY,
                (request, arguments) -> Future.succeededFuture(ToolResult.text("hello")));
    await(
        bus.add(
            new ConnectionId("memory"),
            memory.inMemory(vertx.getOrCreateContext()),
            ConnectionOptions.DEFAULT));
    await(bus.awaitReady(Duration.ofSeconds(30)));
    JsonObject arguments = new JsonObject().put("call", "one").put("deadline", 0);
    CallOptions options = CallOptions.timeout(Duration.ofSeconds(20));
    System.out.println(await(bus.server("child").callTool("echo", arguments, options)));
    System.out.println(
        await(bus.client().callTool("memory.greet", new JsonObject(), options)).encode());
    String failure = failure(() -> use(args[0], bus, Path.of(args[2])));
    System.out.println("FAILURE " + failure.replace('\n', ' '));
    await(bus.close());
    await(vertx.close());
    if (args[0].equals("PICOCLI")) {
      Main.main(new String[0]);
    }
  }

  /** Uses a feature as a program would. */
  private static Future<?> use(String library, McpBus bus, Path yaml) {
    return switch (library) {
      case "HAZELCAST" ->
          HazelcastCluster.start(McpBus.vertxOptions(), ClusterOptions.DEFAULT, null);
      case "LUCENE" -> bus.client().searchTools("greet", 3);
      case "MCP_SDK" -> bus.client().listTools();
      case "MICROMETER" ->
          start(McpBus.Options.of().withTelemetry(TelemetryOptions.DEFAULT.withMetrics(true)));
      case "OPENTELEMETRY" ->
          start(McpBus.Options.of().withTelemetry(TelemetryOptions.DEFAULT.withTracing(true)));
      case "SNAKEYAML" ->
          Future.failedFuture(
              failure(() -> Future.succeededFuture(McpBus.Options.of(yaml)))
                  + failure(
                      () ->
                          Future.succeededFuture(
                              McpBus.Options.of(yaml.resolveSibling("mcp.toml")))));
      case "NIMBUS" ->
          start(
              McpBus.Options.of(
                  new JsonObject()
                      .put(
                          "auth",
                          new JsonObject()
                              .put(
                                  "jwt",
                                  new JsonObject()
                                      .put("issuer", "https://login.example.com")
                                      .put("audience", new JsonArray().add("mcpbus"))))));
      case "VERTX_WEB" -> start(McpBus.Options.of().withPort(0));
      default -> Future.succeededFuture();
    };
  }

  /** Another bus, in a Vert.x of its own. */
  private static Future<?> start(McpBus.Options options) {
    Vertx own = Vertx.vertx();
    return McpBus.start(own, options).eventually(own::close);
  }

  /** A feature that is used, and may fail at once or later. */
  private interface Use {
    Future<?> now();
  }

  private static String failure(Use use) {
    try {
      await(use.now());
      return "none";
    } catch (Exception | LinkageError e) {
      return e.toString();
    }
  }

  private static <T> T await(Future<T> future) throws TimeoutException {
    return future.await(60, TimeUnit.SECONDS);
  }
}
