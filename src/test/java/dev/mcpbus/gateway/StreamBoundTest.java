package dev.mcpbus.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.mcpbus.gateway.options.GatewayOptions;
import dev.mcpbus.internals.RecordCopy;
import dev.mcpbus.testing.McpHttp;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.json.JsonObject;
import org.junit.jupiter.api.Test;

class StreamBoundTest {

  @Test
  void at_the_bound_no_stream_is_opened_until_another_ends() {
    try (TestBus bus =
        TestBus.startWithGateway(
            new JsonObject(), RecordCopy.with(GatewayOptions.DEFAULT, "maxStreams", 1))) {
      McpHttp client = new McpHttp(bus.port(), "/mcp");
      McpHttp.Session session = client.initialize();
      McpHttp.Session other = client.initialize();
      try (McpHttp.Stream first = session.listen();
          McpHttp.Stream second = other.listen()) {
        assertThat(first.status()).isEqualTo(200);
        assertThat(second.status()).isEqualTo(503);
      }
      await().until(() -> opens(other));
      // A session that ends takes its stream along.
      assertThat(session.end()).isEqualTo(204);
      await().until(() -> opens(other));
    }
  }

  private static boolean opens(McpHttp.Session session) {
    try (McpHttp.Stream stream = session.listen()) {
      return stream.status() == 200;
    }
  }
}
