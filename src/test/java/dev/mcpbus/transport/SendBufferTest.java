package dev.mcpbus.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mcpbus.protocol.Envelope;
import dev.mcpbus.transport.TransportException.Reached;
import dev.mcpbus.transport.TransportException.Reason;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What waits for a client that does not read. */
class SendBufferTest {

  private final Vertx vertx = Vertx.vertx();
  private final SendBuffer buffer = new SendBuffer(vertx.getOrCreateContext(), new FullChannel());

  @AfterEach
  void closeVertx() {
    vertx.close();
  }

  private static final class FullChannel implements Channel {

    @Override
    public void send(OutboundMessage message) throws TransportException {
      throw new TransportException(Reason.OVERLOADED, Reached.NO, "full");
    }

    @Override
    public void forget(long id) {}

    @Override
    public void negotiated(String protocolVersion) {}

    @Override
    public Future<Void> close() {
      return Future.succeededFuture();
    }

    @Override
    public JsonObject diagnostics() {
      return new JsonObject();
    }
  }

  /** The same array many times: the heap of the test has it once. */
  private static OutboundMessage answer(byte[] bytes) {
    return OutboundMessage.response(Envelope.Kind.RESULT, bytes);
  }

  @Test
  void answers_are_bounded_in_bytes() throws Exception {
    OutboundMessage megabyte = answer(new byte[1 << 20]);
    for (int i = 0; i < 128; i++) {
      buffer.send(megabyte);
    }
    buffer.send(answer(new byte[1]));
    assertThatThrownBy(() -> buffer.send(megabyte))
        .hasMessage("129 messages (134217729 bytes) wait for the client")
        .satisfies(e -> assertThat(((TransportException) e).reason()).isEqualTo(Reason.OVERLOADED));
  }

  @Test
  void answers_are_bounded_in_number() throws Exception {
    OutboundMessage one = answer(new byte[1]);
    for (int i = 0; i < 4_096; i++) {
      buffer.send(one);
    }
    assertThatThrownBy(() -> buffer.send(one)).hasMessageContaining("4096 messages");
  }
}
