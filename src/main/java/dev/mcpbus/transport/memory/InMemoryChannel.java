package dev.mcpbus.transport.memory;

import dev.mcpbus.protocol.Envelope;
import dev.mcpbus.protocol.ParseLimits;
import dev.mcpbus.transport.Acceptor;
import dev.mcpbus.transport.Channel;
import dev.mcpbus.transport.InboundParser;
import dev.mcpbus.transport.OutboundMessage;
import dev.mcpbus.transport.SendWindow;
import dev.mcpbus.transport.TransportException;
import dev.mcpbus.transport.TransportException.Reached;
import dev.mcpbus.transport.TransportException.Reason;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One end of a pair. Its fields are confined to {@code owner}; the two ends exchange messages as
 * tasks.
 */
final class InMemoryChannel implements Channel {

  private static final Logger LOG = LoggerFactory.getLogger(InMemoryChannel.class);

  private final Context owner;
  private final String name;
  private final SendWindow window;
  private @Nullable InMemoryChannel peer;
  private @Nullable Receiver receiver;
  private boolean closed;

  InMemoryChannel(Context owner, String name, int queueLimit) {
    this.owner = owner;
    this.name = name;
    this.window = new SendWindow(queueLimit, SendWindow.BYTES);
  }

  void link(InMemoryChannel other, Receiver messages) {
    peer = other;
    receiver = messages;
  }

  /** Connects the server's end to the acceptor; runs before any message of the client. */
  @SuppressWarnings(
      "CatchingUnchecked") // an acceptor's defect ends its connection, not the context
  void accept(InMemoryChannel client, Acceptor acceptor) {
    peer = client;
    try {
      receiver = acceptor.accept(this);
    } catch (Throwable e) {
      // A defect of the acceptor ends this connection alone.
      LOG.warn("{}: the server refused a connection", name, e);
      close();
    }
  }

  @Override
  public void send(OutboundMessage message) throws TransportException {
    InMemoryChannel other = peer;
    if (closed || other == null) {
      throw new TransportException(Reason.UPSTREAM_RESET, Reached.NO, name + " is closed");
    }
    byte[] bytes = message.bytes();
    window.take(bytes.length);
    other.owner.runOnContext(
        nothing -> {
          owner.runOnContext(accepted -> window.give(bytes.length));
          other.receive(bytes);
        });
  }

  private void receive(byte[] bytes) {
    Receiver current = receiver;
    if (closed || current == null) {
      return;
    }
    Envelope message;
    try {
      message = InboundParser.parse(bytes, ParseLimits.DEFAULT);
    } catch (TransportException e) {
      close();
      current.onClosed(e);
      return;
    }
    current.onMessage(message);
  }

  private void peerClosed() {
    Receiver current = receiver;
    if (closed || current == null) {
      return;
    }
    closed = true;
    current.onClosed(
        new TransportException(
            Reason.UPSTREAM_RESET, Reached.MAYBE, "the other side closed " + name));
  }

  @Override
  public Future<Void> close() {
    InMemoryChannel other = peer;
    if (!closed && other != null) {
      other.owner.runOnContext(nothing -> other.peerClosed());
    }
    closed = true;
    return Future.succeededFuture();
  }

  @Override
  public JsonObject diagnostics() {
    return new JsonObject().put("underWay", window.messages());
  }
}
