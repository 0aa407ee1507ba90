package dev.mcpbus.transport;

import dev.mcpbus.transport.TransportException.Reached;
import dev.mcpbus.transport.TransportException.Reason;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Holds what a server sends, in order and bounded, while the send window of its channel is full.
 * Notifications take half of the room, so that answers always find some. Confined to the channel's
 * owner context.
 */
public final class SendBuffer {

  private static final int LIMIT = 4_096;
  private static final int NOTIFICATIONS = LIMIT / 2;

  /** Answers too wait no longer: a client that asks and does not read would take all memory. */
  private static final long MOST_BYTES = 8 * SendWindow.BYTES;

  private static final long RETRY_MILLIS = 5;

  private record UnsentMessage(OutboundMessage message, Promise<Void> taken) {}

  private final Context owner;
  private final Channel channel;
  private final Map<Object, UnsentMessage> waiting = new LinkedHashMap<>();
  private long bytes;
  private boolean scheduled;

  public SendBuffer(Context owner, Channel channel) {
    this.owner = owner;
    this.channel = channel;
  }

  /**
   * Sends now, or as soon as the send window has room.
   *
   * @throws TransportException {@code OVERLOADED} if too much waits already, or the channel's own
   *     failure
   */
  public void send(OutboundMessage message) throws TransportException {
    if (waiting.isEmpty() && trySend(message)) {
      return;
    }
    if (waiting.size() >= LIMIT || bytes > MOST_BYTES) {
      throw full();
    }
    add(null, message, Promise.promise());
  }

  /**
   * Sends a notification that a client can do without.
   *
   * @param subject a notification that still waits is replaced by the next about the same subject;
   *     null for none
   * @return completes when the channel has taken it, or a later one about its subject; fails with a
   *     {@link TransportException} if too much waits already, or the channel is closed
   */
  public Future<Void> offer(OutboundMessage message, @Nullable Object subject) {
    UnsentMessage older = subject == null ? null : waiting.remove(subject);
    Promise<Void> taken = Promise.promise();
    if (older != null) {
      bytes -= older.message.bytes().length;
      taken.future().onComplete(older.taken);
    }
    try {
      if (waiting.isEmpty() && trySend(message)) {
        // Not at once: who sends one after the other would go one deeper with each of them.
        owner.runOnContext(now -> taken.complete());
      } else if (waiting.size() >= NOTIFICATIONS || bytes > SendWindow.BYTES) {
        throw full();
      } else {
        add(subject, message, taken);
      }
    } catch (TransportException e) {
      taken.fail(e);
    }
    return taken.future();
  }

  private TransportException full() {
    return new TransportException(
        Reason.OVERLOADED,
        Reached.NO,
        waiting.size() + " messages (" + bytes + " bytes) wait for the client");
  }

  private void add(@Nullable Object subject, OutboundMessage message, Promise<Void> taken) {
    waiting.put(subject == null ? taken : subject, new UnsentMessage(message, taken));
    bytes += message.bytes().length;
    if (!scheduled) {
      scheduled = true;
      owner.owner().setTimer(RETRY_MILLIS, timer -> flush());
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

  /** Tells the senders at the end, because they may send more at once. */
  private void flush() {
    List<UnsentMessage> sent = new ArrayList<>();
    scheduled = false;
    try {
      for (var each = waiting.values().iterator(); each.hasNext(); each.remove()) {
        UnsentMessage next = each.next();
        if (!trySend(next.message)) {
          scheduled = true;
          owner.owner().setTimer(RETRY_MILLIS, timer -> flush());
          break;
        }
        bytes -= next.message.bytes().length;
        sent.add(next);
      }
    } catch (TransportException e) {
      List<UnsentMessage> lost = List.copyOf(waiting.values());
      waiting.clear(); // the channel is closed, so no client waits for the answers
      bytes = 0;
      lost.forEach(each -> each.taken.fail(e));
    }
    sent.forEach(each -> each.taken.complete());
  }
}
