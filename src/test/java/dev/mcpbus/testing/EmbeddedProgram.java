package dev.mcpbus.testing;

import dev.mcpbus.Main;
import dev.mcpbus.McpBus;
import dev.mcpbus.client.CallOptions;
import dev.mcpbus.client.McpClient;
import dev.mcpbus.client.McpServerClient;
import dev.mcpbus.client.ToolCallResult;
import dev.mcpbus.client.sdk.SdkRecords;
import dev.mcpbus.server.RawServer;
import dev.mcpbus.server.ToolResult;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
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
    await(bus.add("memory", memory.inMemory(vertx.getOrCreateContext())));
    await(bus.awaitReady(Duration.ofSeconds(30)));
    JsonObject arguments = new JsonObject().put("call", "one").put("deadline", 0);
    CallOptions options = CallOptions.timeout(Duration.ofSeconds(20));
    System.out.println(await(bus.server("child").callTool("echo", arguments, options)));
    CallOptions told = options.withProgress(step -> System.out.println(step.progress()));
    System.out.println(await(bus.client().callTool("memory.greet", Map.of(), told)));
    System.out.println("TOOLS " + await(bus.server("memory").listTools()).items().get(0).name());
    System.out.println("STOOD IN FOR " + await(standIn().callTool("any", Map.of())).text());
    String failure = failure(() -> use(args[0], vertx, bus, Path.of(args[2])));
    System.out.println("FAILURE " + failure.replace('\n', ' '));
    await(bus.close());
    await(vertx.close());
    if (args[0].equals("PICOCLI")) {
      Main.main(new String[0]);
    }
  }

  /** What a container or a mock does: reads every signature of the facade, and stands in for it. */
  private static McpServerClient standIn() {
    System.out.println(
        McpClient.class.getMethods().length + McpServerClient.class.getMethods().length);
    ToolCallResult result =
        new ToolCallResult(
            new JsonObject("{\"content\": [{\"type\": \"text\", \"text\": \"a server\"}]}"));
    return (McpServerClient)
        Proxy.newProxyInstance(
            EmbeddedProgram.class.getClassLoader(),
            new Class<?>[] {McpServerClient.class},
            (proxy, method, arguments) -> Future.succeededFuture(result));
  }

  /** Uses a feature as a program would. */
  private static Future<?> use(String library, Vertx vertx, McpBus bus, Path yaml) {
    return switch (library) {
      case "HAZELCAST" -> McpBus.clusteredVertx(McpBus.vertxOptions(), McpBus.Options.of());
      case "LUCENE" -> bus.client().searchTools("greet", 3);
      case "MCP_SDK" -> SdkRecords.read(vertx, new ToolCallResult(new JsonObject()), Object.class);
      case "MICROMETER" -> start(McpBus.Options.of().withMetrics(true));
      case "OPENTELEMETRY" -> start(McpBus.Options.of().withTracing(true));
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
