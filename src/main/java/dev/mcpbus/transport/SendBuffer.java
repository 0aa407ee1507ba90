package dev.mcpbus.transport;

import dev.mcpbus.transport.TransportException.Reached;
import dev.mcpbus.transport.TransportException.Reason;
import io.vertx.core.Context;
import java.util.ArrayDeque;
import java.util.Queue;

/**
 * Holds a server's answers, in order and bounded, while the send window of its channel is full.
 * Confined to the channel's owner context.
 */
public final class SendBuffer {

  private static final int LIMIT = 4_096;
  private static final long RETRY_MILLIS = 5;

  private final Context owner;
  private final Channel channel;
  private final Queue<OutboundMessage> waiting = new ArrayDeque<>();

  public SendBuffer(Context owner, Channel channel) {
    this.owner = owner;
    this.channel = channel;
  }

  /**
   * Sends now, or as soon as the send window has room.
   *
   * @throws TransportException {@code OVERLOADED} if too many messages wait already, or the
   *     channel's own failure
   */
  public void send(OutboundMessage message) throws TransportException {
    if (waiting.isEmpty() && trySend(message)) {
      return;
    }
    if (waiting.size() >= LIMIT) {
      throw new TransportException(
          Reason.OVERLOADED, Reached.NO, LIMIT + " messages wait for the client");
    }
    waiting.add(message);
    if (waiting.size() == 1) {
      retryLater();
    }
  }

  private boolean trySend(OutboundMessage message) throws TransportException {
    try {
      channel.send(message);
      return true;
    } catch (TransportException e) {
      if (e.reason() == Reason.OVERLOADED) {
        return false;
      }
      throw e;
    }
  }

  private void retryLater() {
    owner.owner().setTimer(RETRY_MILLIS, timer -> flush());
  }

  private void flush() {
    try {
      while (!waiting.isEmpty()) {
        if (!trySend(waiting.element())) {
          retryLater();
          return;
        }
        waiting.remove();
      }
    } catch (TransportException e) {
      waiting.clear(); // the channel is closed, so no client waits for the answers
    }
  }
}
