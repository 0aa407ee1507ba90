package dev.mcpbus.gateway;

import dev.mcpbus.testing.McpHttp;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.json.JsonObject;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A gateway without servers for each test, and a client of one endpoint. */
abstract class GatewayFixture {

  private final String path;
  protected TestBus bus;
  protected McpHttp client;

  /**
   * @param path of the client's endpoint
   */
  @SuppressWarnings("NullAway.Init") // by start
  GatewayFixture(String path) {
    this.path = path;
  }

  @BeforeEach
  void start() {
    bus = TestBus.startWithBridge(new JsonObject());
    client = new McpHttp(bus.port(), path);
  }

  @AfterEach
  void close() {
    bus.close();
  }
}
