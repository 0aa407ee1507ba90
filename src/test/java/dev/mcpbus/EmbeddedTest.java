package dev.mcpbus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.Headers;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.connection.options.ConnectionOptions;
import dev.mcpbus.protocol.Envelope;
import dev.mcpbus.protocol.MessageWriter;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.testing.TestBus;
import dev.mcpbus.transport.Channel;
import dev.mcpbus.transport.OutboundMessage;
import dev.mcpbus.transport.TransportException;
import dev.mcpbus.transport.memory.InMemoryTransport;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.json.JsonObject;
import org.junit.jupiter.api.Test;

/** mcpbus inside a program that brings its own transport. */
class EmbeddedTest {

  private static final String TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

  /** A server in the process: tells the params of every request back as the result. */
  private record Mirror(Channel channel) implements Channel.Receiver {
    @Override
    public void onMessage(Envelope message) {
      RawJson id = message.id();
      if (id == null) {
        return;
      }
      RawJson result =
          message.method().equals("initialize")
              ? RawJson.of(
                  "{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},\"serverInfo\":{\"name\":\"mirror\",\"version\":\"1\"}}")
              : message.params();
      try {
        channel.send(
            OutboundMessage.response(Envelope.Kind.RESULT, MessageWriter.result(id, result)));
      } catch (TransportException e) {
        throw new AssertionError(e);
      }
    }

    @Override
    public void onRequestFailed(long id, TransportException reason) {}

    @Override
    public void onClosed(TransportException reason) {}
  }

  @Test
  void a_transport_of_the_programs_own_becomes_a_connection_like_any_other() {
    try (TestBus bus = TestBus.start(new JsonObject())) {
      ConnectionId id = new ConnectionId("mirror");
      InMemoryTransport pair =
          new InMemoryTransport("mirror", bus.vertx().getOrCreateContext(), Mirror::new);
      TestBus.await(bus.bus().add(id, pair, ConnectionOptions.DEFAULT));
      bus.awaitState("mirror", "READY");

      JsonObject mirrored =
          bus.request(
              Addresses.of(id, Addresses.REQUEST),
              new JsonObject()
                  .put("method", "mirror/me")
                  .put("params", new JsonObject().put("_meta", new JsonObject().put("own", 1))),
              new DeliveryOptions()
                  .addHeader(Headers.TRACEPARENT, TRACE)
                  .addHeader(Headers.PROGRESS, "test.progress"));
      JsonObject meta = mirrored.getJsonObject("_meta");
      assertThat(meta.getInteger("own")).isEqualTo(1);
      assertThat(meta.getString("traceparent")).isEqualTo(TRACE);
      assertThat(meta.getString("progressToken")).isNotBlank();

      assertThatThrownBy(() -> TestBus.await(bus.bus().add(id, pair, ConnectionOptions.DEFAULT)))
          .isInstanceOf(McpFailure.class)
          .hasMessageContaining("exists already");
      assertThat(bus.status("mirror").getString("state")).isEqualTo("READY");
    }
  }
}
