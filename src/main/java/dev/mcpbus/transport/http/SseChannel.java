package dev.mcpbus.transport.http;

import dev.mcpbus.internals.InternalContext;
import dev.mcpbus.protocol.Envelope;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.transport.HttpOptions;
import dev.mcpbus.transport.OutboundMessage;
import dev.mcpbus.transport.SendWindow;
import dev.mcpbus.transport.TransportException;
import dev.mcpbus.transport.TransportException.Reached;
import dev.mcpbus.transport.TransportException.Reason;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.json.JsonObject;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One session over HTTP+SSE; it ends with its stream. Confined to the owner's event loop.
 *
 * <p>Until the server has accepted {@code notifications/initialized}, messages are posted one after
 * the other, because servers refuse a message that overtakes it. Each waits at most one second for
 * the one before it. After that they are posted concurrently.
 */
final class SseChannel extends HttpSession implements SseStream.SseListener {

  private static final Logger LOG = LoggerFactory.getLogger(SseChannel.class);

  private static final long BLOCKING_MILLIS = 1_000;

  private final SseStream stream;
  private final Promise<SseChannel> opened;
  private final SendWindow window = new SendWindow(SendWindow.MESSAGES, SendWindow.BYTES);
  private final Deque<SsePost> queue = new ArrayDeque<>();
  private final Set<SsePost> posting = new HashSet<>();

  /** Requests without a reply; the post is null if the server has accepted it. */
  private final Map<Long, @Nullable SsePost> unanswered = new HashMap<>();

  private long deadline = -1;
  private @Nullable SsePost blocking;
  private boolean accepted;
  private boolean initialized;
  private @Nullable Future<Void> closed;

  SseChannel(
      InternalContext owner,
      HttpDialer dialer,
      HttpEndpoint endpoint,
      ConfiguredHeaders configured,
      @Nullable ChannelCredentials credentials,
      HttpOptions options,
      Receiver receiver) {
    super(owner, dialer, endpoint, configured, credentials, options, receiver);
    this.opened = owner.promise();
    this.stream = new SseStream(this, this);
  }

  /** Completes with the first event; if it fails, everything is released. */
  Future<SseChannel> opened() {
    return opened.future();
  }

  private boolean isOpen() {
    return opened.future().succeeded();
  }

  void start() {
    stream.open();
  }

  /** The stream starts to connect: the deadline of the first event starts now. */
  @Override
  public void connecting() {
    owner.cancelTimer(deadline);
    long millis = 2 * options.connectTimeout().toMillis();
    deadline =
        owner.setTimer(
            Math.max(1, millis),
            id ->
                ended(
                    new TransportException(
                        Reason.CONNECT_FAILED,
                        Reached.NO,
                        "no endpoint event from " + endpoint() + " in " + millis + " ms")));
  }

  /**
   * The authorization starts. A person may have to log in, so the deadline stops; the authenticator
   * has a bound of its own.
   */
  @Override
  public void authorizing() {
    owner.cancelTimer(deadline);
  }

  /** The server has sent the URL for posts. */
  @Override
  public void endpoint(HttpEndpoint target) {
    postsMoved(target);
    owner.cancelTimer(deadline);
    opened.complete(this);
    owner.run(() -> stream.resume());
  }

  @Override
  public void message(Envelope message) {
    if (over || SessionDoubts.isAnswer(message)) {
      return;
    }
    if (message.kind().isAnswer()) {
      unanswered.remove(message.integerId());
      worked |= initialized && message.kind() == Envelope.Kind.RESULT;
    }
    receiver.onMessage(message);
  }

  @Override
  public void junk() {
    junk++;
  }

  /** The stream has ended, and with it the session. */
  @Override
  public void ended(TransportException reason) {
    if (over) {
      return;
    }
    boolean wasOpen = isOpen();
    List<SsePost> unsent = List.copyOf(queue);
    release()
        .onComplete(
            (nothing, failure) -> {
              if (!wasOpen) {
                opened.tryFail(reason.withReached(Reached.NO));
              }
            });
    if (wasOpen) {
      for (SsePost each : unsent) {
        report(each.message(), reason.withReached(Reached.NO));
      }
      receiver.onClosed(reason);
    }
  }

  @Override
  public void send(OutboundMessage message) throws TransportException {
    checkOpen();
    window.take(message.bytes().length);
    SsePost next = new SsePost(this, message, null);
    if (message.kind() == Envelope.Kind.REQUEST) {
      unanswered.put(message.id(), next);
    }
    if (message.kind().isAnswer()) {
      // Post an answer at once: the server may hold a post open until it has this answer.
      begin(next);
    } else {
      queue.add(next);
      pump();
    }
  }

  private void pump() {
    while (!over && !queue.isEmpty() && (initialized || blocking == null)) {
      SsePost next = queue.remove();
      if (!initialized) {
        blocking = next;
        owner.setTimer(BLOCKING_MILLIS, id -> unblock(next));
      }
      begin(next);
    }
  }

  /** A post without an answer for this long no longer delays the others. */
  private void unblock(SsePost slow) {
    if (blocking == slow) {
      blocking = null;
      initialized |= Methods.INITIALIZED.equals(slow.message().method());
      pump();
    }
  }

  private void begin(SsePost next) {
    posting.add(next);
    owner.dispatch(next, SsePost::start);
  }

  @Override
  public void forget(long id) {
    SsePost held = unanswered.remove(id);
    if (held != null) {
      if (queue.remove(held)) {
        window.give(held.message().bytes().length);
      }
      held.abort();
    }
  }

  /** Does nothing: HTTP+SSE has no header for the version. */
  @Override
  public void negotiated(String protocolVersion) {}

  @Override
  public Future<Void> close() {
    boolean opening = !isOpen();
    Future<Void> done = release();
    if (opening) {
      opened.tryFail(
          new TransportException(
              Reason.UPSTREAM_RESET, Reached.NO, "the channel was closed while it was opening"));
    }
    return done;
  }

  private Future<Void> release() {
    Future<Void> pending = closed;
    if (pending == null) {
      over = true;
      owner.cancelTimer(deadline);
      stream.stop();
      doubts.stop();
      queue.clear();
      List.copyOf(posting).forEach(SsePost::abort);
      Promise<Void> done = owner.promise();
      pending = done.future();
      closed = pending;
      dialer.close().onComplete(done);
    }
    return pending;
  }

  @Override
  public JsonObject diagnostics() {
    return new JsonObject()
        .put("wire", "HTTP+SSE")
        .put("openStreams", over ? 0 : 1)
        .put("inFlight", unanswered.size())
        .put("junk", junk);
  }

  // Package-private methods for the stream and the posts of this channel.

  /** Whether the server has accepted a message yet. */
  boolean hasAccepted() {
    return accepted;
  }

  /** The server has accepted a message; the answer arrives on the stream. */
  void accepted(SsePost done) {
    accepted = true;
    unanswered.replace(done.message().id(), done, null);
    settled(done);
  }

  @Override
  Runnable question(OutboundMessage message, Consumer<@Nullable String> verdict) {
    SsePost asked = new SsePost(this, message, verdict);
    begin(asked);
    return asked::abort;
  }

  /** The server no longer knows the session of the stream, as it says of one post. */
  void lost(SsePost refused) {
    List<SsePost> unsent = List.copyOf(queue);
    queue.clear();
    TransportException why = HttpFailures.sessionLost();
    failed(refused, why);
    unsent.forEach(each -> report(each.message(), why));
    sessionLost();
  }

  /** The server may still execute the requests that it has accepted. */
  @Override
  void sessionLost() {
    ended(unanswered.isEmpty() ? HttpFailures.sessionLost() : HttpFailures.lostInFlight());
  }

  /**
   * One message was not delivered. If its answer has arrived nevertheless, the receiver is not
   * notified.
   */
  void failed(SsePost done, TransportException why) {
    if (!over) {
      report(done.message(), why);
    }
    settled(done);
  }

  /** A post has ended or was cancelled. */
  void settled(SsePost done) {
    if (posting.remove(done)) {
      initialized |= Methods.INITIALIZED.equals(done.message().method());
      blocking = blocking == done ? null : blocking;
      if (!done.isQuestion()) {
        window.give(done.message().bytes().length);
      }
      pump();
    }
  }

  private void report(OutboundMessage message, TransportException why) {
    if (message.kind() != Envelope.Kind.REQUEST) {
      LOG.debug("{} was not delivered: {}", message.kind(), why.getMessage());
    } else if (unanswered.containsKey(message.id())) {
      unanswered.remove(message.id());
      receiver.onRequestFailed(message.id(), why);
    }
  }
}
