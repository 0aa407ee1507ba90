package dev.mcpbus.transport.socket;

import dev.mcpbus.internals.ByteBudget;
import dev.mcpbus.internals.ForcedClose;
import dev.mcpbus.internals.InternalContext;
import dev.mcpbus.protocol.Envelope;
import dev.mcpbus.protocol.Quirk;
import dev.mcpbus.transport.Channel;
import dev.mcpbus.transport.DoubtfulAnswers;
import dev.mcpbus.transport.LineFramer;
import dev.mcpbus.transport.OutboundMessage;
import dev.mcpbus.transport.SendWindow;
import dev.mcpbus.transport.SocketOptions;
import dev.mcpbus.transport.TransportException;
import dev.mcpbus.transport.TransportException.Reached;
import dev.mcpbus.transport.TransportException.Reason;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import io.vertx.core.net.NetSocket;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.LongPredicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** One connection over a socket. Confined to the event loop of the context that owns the socket. */
final class SocketChannel implements Channel {

  /** How long {@link #close} waits until earlier messages are written. */
  private static final long CLOSE_MILLIS = 2_000;

  private final Vertx vertx;
  private final InternalContext owner;
  private final NetSocket socket;
  private final String peer;
  private final Receiver receiver;
  private final Supplier<Future<Void>> onClose;
  private final DoubtfulAnswers doubtful;
  private final LineFramer framer;
  private final SendWindow window;

  /** Messages that are not written yet, for example because the peer does not read. */
  private final Deque<OutboundMessage> queue = new ArrayDeque<>();

  private boolean flushScheduled;
  private boolean over;
  private long writtenBytes;
  private long readBytes;
  private @Nullable Future<Void> lastWrite;
  private @Nullable Future<Void> closed;

  /**
   * Creates a channel.
   *
   * @param socket paused; {@link #start()} begins to read
   * @param peer the name of the other side in error messages
   * @param onClose releases the client of this connection
   */
  SocketChannel(
      InternalContext owner,
      NetSocket socket,
      String peer,
      SocketOptions options,
      Receiver receiver,
      Supplier<Future<Void>> onClose) {
    this.vertx = owner.vertx();
    this.owner = owner;
    this.socket = socket;
    this.peer = peer;
    this.receiver = receiver;
    this.onClose = onClose;
    this.window = new SendWindow(options.maxQueued(), options.maxQueuedBytes());
    this.doubtful =
        new DoubtfulAnswers(
            task -> owner.setTimer(DoubtfulAnswers.GRACE_MILLIS, late -> task.run()), this::failed);
    this.framer =
        new LineFramer(
            peer,
            options.limits(),
            options.junkLines(),
            message -> {
              if (!over) {
                doubtful.came(message);
                receiver.onMessage(message);
              }
            },
            new Strays(),
            ByteBudget.received(owner.context()));
  }

  /** Lines that are no messages. */
  private final class Strays implements LineFramer.SkippedLine {

    @Override
    public void skipped(byte[] bytes, int from, int to) {}

    @Override
    public boolean tolerates(Quirk quirk) {
      return receiver.quirks().tolerates(quirk);
    }

    @Override
    public void unusable(long id, String why) {
      doubtful.add(id, why);
    }
  }

  private void failed(long id, String why) {
    if (!over) {
      receiver.onRequestFailed(
          id, new TransportException(Reason.PROTOCOL_ERROR, Reached.MAYBE, why));
    }
  }

  /** Starts to read and to call the receiver. */
  void start() {
    socket.exceptionHandler(cause -> end(reset("the connection to " + peer + " broke: " + cause)));
    socket.endHandler(nothing -> end(reset(peer + " has closed the connection")));
    socket.drainHandler(
        nothing -> {
          dropIf(id -> !receiver.isAwaited(id));
          flush();
        });
    socket.handler(this::read);
    socket.resume();
  }

  private static TransportException reset(String why) {
    return new TransportException(Reason.UPSTREAM_RESET, Reached.MAYBE, why);
  }

  private void read(Buffer chunk) {
    readBytes += chunk.length();
    if (over) {
      return;
    }
    try {
      framer.feed(chunk.getBytes());
    } catch (TransportException e) {
      end(e);
    }
  }

  @Override
  public void send(OutboundMessage message) throws TransportException {
    if (over) {
      throw new TransportException(
          Reason.UPSTREAM_RESET, Reached.NO, "the channel to " + peer + " is closed");
    }
    window.take(message.bytes().length);
    queue.add(message);
    if (!flushScheduled) {
      flushScheduled = true;
      owner.run(() -> flush());
    }
  }

  /** Writes all waiting messages in one buffer if the socket accepts it. */
  private void flush() {
    flushScheduled = false;
    if (closed != null || queue.isEmpty() || socket.writeQueueFull()) {
      return;
    }
    int length = queue.stream().mapToInt(message -> message.bytes().length + 1).sum();
    int count = queue.size();
    Buffer lines = Buffer.buffer(length);
    for (OutboundMessage message : queue) {
      lines.appendBytes(message.bytes()).appendByte((byte) '\n');
    }
    List<OutboundMessage> batch = new ArrayList<>(count);
    batch.addAll(queue);
    queue.clear();
    writtenBytes += length;
    // If a write fails, the connection ends, and end() handles everything else.
    lastWrite =
        socket
            .write(lines)
            .onSuccess(nothing -> batch.forEach(message -> window.give(message.bytes().length)));
  }

  @Override
  public void forget(long id) {
    dropIf(one -> one == id);
  }

  private void dropIf(LongPredicate which) {
    queue.removeIf(
        message -> {
          boolean dropped = message.kind() == Envelope.Kind.REQUEST && which.test(message.id());
          if (dropped) {
            window.give(message.bytes().length);
          }
          return dropped;
        });
  }

  @Override
  public void negotiated(String protocolVersion) {
    framer.negotiated(protocolVersion);
  }

  private void end(TransportException reason) {
    if (over) {
      return;
    }
    over = true;
    framer.close();
    List<OutboundMessage> unsent = List.copyOf(queue);
    queue.clear();
    release(Future.succeededFuture());
    TransportException notSent = reason.withReached(Reached.NO);
    for (OutboundMessage message : unsent) {
      if (message.kind() == Envelope.Kind.REQUEST) {
        receiver.onRequestFailed(message.id(), notSent);
      }
    }
    receiver.onClosed(reason);
  }

  /** Closes the channel. Earlier messages are still written, for at most two seconds. */
  @Override
  public Future<Void> close() {
    if (!over) {
      flush();
      over = true;
      framer.close();
      queue.clear();
      Future<Void> write = lastWrite;
      release(write == null ? Future.succeededFuture() : bounded(write));
    }
    Future<Void> pending = closed;
    return pending == null ? Future.succeededFuture() : pending;
  }

  private Future<Void> bounded(Future<Void> write) {
    Promise<Void> done = owner.promise();
    long timer = vertx.setTimer(CLOSE_MILLIS, id -> done.tryComplete());
    write.onComplete(
        (nothing, failure) -> {
          vertx.cancelTimer(timer);
          done.tryComplete();
        });
    return done.future();
  }

  private void release(Future<Void> after) {
    closed =
        after
            .transform((nothing, failure) -> disconnect())
            .transform((nothing, failure) -> onClose.get())
            .otherwiseEmpty();
  }

  private Future<Void> disconnect() {
    Promise<Void> done = owner.promise();
    ForcedClose.on(socket, done::tryComplete);
    return done.future();
  }

  @Override
  public JsonObject diagnostics() {
    return new JsonObject()
        .put("peer", peer)
        .put("underWay", window.messages())
        .put("junk", framer.junk())
        .put("writtenBytes", writtenBytes)
        .put("readBytes", readBytes);
  }
}
