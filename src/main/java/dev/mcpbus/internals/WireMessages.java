package dev.mcpbus.internals;

import io.vertx.core.eventbus.Message;
import io.vertx.core.eventbus.ReplyException;
import io.vertx.core.eventbus.ReplyFailure;
import io.vertx.core.eventbus.impl.clustered.ClusteredMessage;

/** What Vert.x knows about a message on the event bus and does not publish. Any thread may call. */
public final class WireMessages {

  private WireMessages() {}

  /** Whether another process sent the message. */
  public static boolean isFromWire(Message<?> message) {
    return message instanceof ClusteredMessage<?, ?> wire && wire.isFromWire();
  }

  /**
   * Whether a consumer ended while the message waited for it, unread. Vert.x reports that only by a
   * time-out with this text.
   */
  public static boolean wasDiscarded(ReplyException reply) {
    return reply.failureType() == ReplyFailure.TIMEOUT
        && String.valueOf(reply.getMessage()).startsWith("Discarded the request");
  }
}
