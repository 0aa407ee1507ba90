package dev.mcpbus.conformance;

import dev.mcpbus.McpBus;
import dev.mcpbus.TestOptions;
import dev.mcpbus.bridge.options.BridgeOptions;
import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.config.ConfigEnvironment;
import dev.mcpbus.config.ServerDefinition;
import dev.mcpbus.config.ServerResult;
import dev.mcpbus.config.ServerSettings;
import dev.mcpbus.config.read.ConfigReader;
import dev.mcpbus.supervisor.SupervisorOptions;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;

/**
 * The server under test of the conformance suite: {@code ConformanceServer ENTRY}, with the one
 * server that stands behind the gateway as a file's {@code mcpServers} would have it. The gateway's
 * URL is the last line on stdout, once that server is ready. Runs until its input ends.
 */
public final class ConformanceServer {

  private static final ConnectionId FIXTURE = new ConnectionId("fixture");

  private ConformanceServer() {}

  public static void main(String[] args) throws Exception {
    ServerDefinition fixture = read(FIXTURE.value(), new JsonObject(args[0]));
    Vertx vertx = Vertx.vertx();
    McpBus bus =
        TestOptions.of(
                List.of(fixture),
                SupervisorOptions.DEFAULT,
                BridgeOptions.DEFAULT.withPort(0),
                ConformanceServer::read)
            .start(vertx)
            .await(60, TimeUnit.SECONDS);
    Awaitility.await("the fixture")
        .atMost(60, TimeUnit.SECONDS)
        .until(() -> status(vertx).getString("state").equals("READY"));
    System.err.println(status(vertx).encode());
    System.out.println("http://127.0.0.1:" + bus.port() + "/mcp/" + FIXTURE.value());
    while (System.in.read() >= 0) {
      // what is said does not matter, only that it ends
    }
    bus.close().await(60, TimeUnit.SECONDS);
    vertx.close().await(60, TimeUnit.SECONDS);
  }

  private static JsonObject status(Vertx vertx) throws Exception {
    return vertx
        .eventBus()
        .<JsonObject>request(Addresses.of(FIXTURE, Addresses.STATUS), new JsonObject())
        .await(60, TimeUnit.SECONDS)
        .body();
  }

  private static ServerDefinition read(String name, JsonObject entry) {
    ServerResult result =
        ConfigReader.readServer(
            name, entry, ConfigEnvironment.system(), Path.of("."), ServerSettings.DEFAULT);
    return result
        .usable()
        .orElseThrow(() -> new IllegalArgumentException(String.valueOf(result.problems())));
  }
}
