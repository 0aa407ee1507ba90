package dev.mcpbus.spring;

import dev.mcpbus.McpBus;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.client.ServerStatus;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

/**
 * Up if every server is ready, or idle on purpose. The details have each server's status, and why
 * it is down: what the status of the connection says, which holds no secrets. Blocks its caller for
 * 5 s at most.
 */
final class McpBusHealthIndicator extends AbstractHealthIndicator {

  private static final int SECONDS = 5;

  private final McpBus bus;

  McpBusHealthIndicator(McpBus bus) {
    super("the state of the MCP servers cannot be read");
    this.bus = bus;
  }

  @Override
  protected void doHealthCheck(Health.Builder builder) throws Exception {
    for (ServerStatus server : bus.client().statuses().await(SECONDS, TimeUnit.SECONDS)) {
      builder.withDetail(server.id().value(), text(server));
    }
    try {
      bus.awaitReady(Duration.ZERO).await(SECONDS, TimeUnit.SECONDS);
      builder.up();
    } catch (McpFailure notReady) {
      builder.down().withDetail("notReady", String.valueOf(notReady.getMessage()));
    }
  }

  /** The status word, with the last error where the server does not serve. */
  private static String text(ServerStatus server) {
    return !server.state().serves() && server.json().getValue("lastError") instanceof JsonObject e
        ? server.status() + ", " + e.getString("code") + ": " + e.getString("message")
        : server.status();
  }
}
