package dev.mcpbus.transport.bus;

import dev.mcpbus.protocol.Envelope;
import dev.mcpbus.protocol.ParseLimits;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.transport.Channel;
import dev.mcpbus.transport.InboundParser;
import dev.mcpbus.transport.OutboundMessage;
import dev.mcpbus.transport.SendWindow;
import dev.mcpbus.transport.TransportException;
import dev.mcpbus.transport.TransportException.Reached;
import dev.mcpbus.transport.TransportException.Reason;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.Message;
import io.vertx.core.eventbus.MessageConsumer;
import io.vertx.core.eventbus.MessageConsumerOptions;
import io.vertx.core.eventbus.ReplyException;
import io.vertx.core.eventbus.ReplyFailure;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * One side of a connection over the bus. Created, used and called back on one event loop: that of
 * the context which created it, possibly as a duplicate of that context.
 */
final class BusChannel implements Channel {

  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(2);
  private static final int CONTROL_FRAMES = 16;

  private final Vertx vertx;
  private final BusTuning tuning;
  private final String address = BusFrames.privateAddress();
  private final MessageConsumer<Buffer> consumer;
  private final SendWindow window;
  private final Runnable onEnd;
  private @Nullable String peer;
  private @Nullable Receiver receiver;
  private long heartbeat = -1;
  private boolean closed;
  private Future<Void> released = Future.succeededFuture();

  /**
   * The consumer is paused: incoming messages wait until {@link #start}.
   *
   * @param onEnd called once when this side has ended, for whatever reason
   */
  BusChannel(Vertx vertx, BusTuning tuning, Runnable onEnd) {
    this.vertx = vertx;
    this.tuning = tuning;
    this.onEnd = onEnd;
    this.window = new SendWindow(tuning.window(), SendWindow.BYTES);
    this.consumer =
        vertx
            .eventBus()
            .consumer(
                new MessageConsumerOptions()
                    .setAddress(address)
                    .setMaxBufferedMessages(tuning.window() + CONTROL_FRAMES));
    consumer.pause();
    consumer.handler(this::frame);
  }

  String address() {
    return address;
  }

  /** Completes when the other side can reach this one from every node. */
  Future<Void> registered() {
    return consumer.completion();
  }

  /** Sets the peer's address; from now on messages can be sent. */
  void connected(String other) {
    peer = other;
  }

  /** Starts to pass messages to {@code messages}. */
  void start(Receiver messages) {
    if (closed) {
      return;
    }
    receiver = messages;
    heartbeat = vertx.setPeriodic(tuning.heartbeat().toMillis(), tick -> ping());
    consumer.resume();
  }

  private void ping() {
    if (window.messages() == 0) {
      request(BusFrames.PING, tuning.heartbeat()).onFailure(this::unanswered);
    }
  }

  private Future<Message<Object>> request(String frame, Duration timeout) {
    return vertx
        .eventBus()
        .request(String.valueOf(peer), Buffer.buffer(), BusFrames.control(frame, timeout));
  }

  @Override
  public void send(OutboundMessage message) throws TransportException {
    if (closed || peer == null) {
      throw new TransportException(
          Reason.UPSTREAM_RESET, Reached.NO, "the connection over the bus is closed");
    }
    byte[] bytes = message.bytes();
    window.take(bytes.length);
    // The message is not copied here, because the bus's codec copies a Buffer anyway.
    Buffer body = RawJson.slice(bytes, 0, bytes.length).toBuffer();
    vertx
        .eventBus()
        .request(peer, body, BusFrames.message(tuning.takeTimeout()))
        .onSuccess(accepted -> window.give(bytes.length))
        .onFailure(this::unanswered);
  }

  private void frame(Message<Buffer> message) {
    String control = message.headers().get(BusFrames.FRAME);
    message.reply(null);
    Receiver current = receiver;
    if (closed || current == null || BusFrames.PING.equals(control)) {
      return;
    }
    if (BusFrames.CLOSE.equals(control)) {
      over("the other side closed the connection over the bus");
      return;
    }
    Envelope envelope;
    try {
      envelope = InboundParser.parse(message.body().getBytes(), ParseLimits.DEFAULT);
    } catch (TransportException e) {
      close();
      current.onClosed(e);
      return;
    }
    current.onMessage(envelope);
  }

  private void unanswered(Throwable failure) {
    boolean noHandler =
        failure instanceof ReplyException reply && reply.failureType() == ReplyFailure.NO_HANDLERS;
    over("the other side of the bus " + (noHandler ? "is gone" : "no longer answers"));
  }

  private void over(String why) {
    Receiver current = receiver;
    if (closed || current == null) {
      return;
    }
    release();
    current.onClosed(new TransportException(Reason.UPSTREAM_RESET, Reached.MAYBE, why));
  }

  /** Unregisters the address and cancels the timer. */
  Future<Void> release() {
    if (!closed) {
      closed = true;
      if (heartbeat >= 0) {
        vertx.cancelTimer(heartbeat);
      }
      released = consumer.unregister().otherwiseEmpty();
      onEnd.run();
    }
    return released;
  }

  @Override
  public Future<Void> close() {
    if (!closed && peer != null) {
      Future<Message<Object>> acknowledged = request(BusFrames.CLOSE, CLOSE_TIMEOUT);
      Future<Void> unregistered = release();
      released = acknowledged.<Void>mapEmpty().otherwiseEmpty().compose(nothing -> unregistered);
    }
    return release();
  }

  @Override
  public JsonObject diagnostics() {
    return new JsonObject().put("peer", peer).put("underWay", window.messages());
  }
}
