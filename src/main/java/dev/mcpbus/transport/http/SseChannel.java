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
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.json.JsonObject;
import java.nio.charset.StandardCharsets;
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
final class SseChannel extends HttpSession implements EventStream.StreamListener {

  private static final Logger LOG = LoggerFactory.getLogger(SseChannel.class);

  private static final long BLOCKING_MILLIS = 1_000;

  private final EventStream stream;
  private final Promise<SseChannel> opened;
  private final SendWindow window = new SendWindow(SendWindow.MESSAGES, SendWindow.BYTES);
  private final Deque<HttpExchange> queue = new ArrayDeque<>();
  private final Set<HttpExchange> posting = new HashSet<>();

  /** Requests without a reply; the post is null if the server has accepted it. */
  private final Map<Long, @Nullable HttpExchange> unanswered = new HashMap<>();

  /** Messages that arrived before the owner could know that the channel is open. */
  private final Deque<Envelope> early = new ArrayDeque<>(0);

  private @Nullable TransportException earlyEnd;
  private boolean resumed;
  private int redirects;
  private long deadline = -1;
  private @Nullable HttpExchange blocking;
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
    this.stream = new EventStream(this, this);
  }

  /** Completes with the first event; if it fails, everything is released. */
  Future<SseChannel> opening() {
    return opened.future();
  }

  private boolean isOpen() {
    return opened.future().succeeded();
  }

  void start() {
    stream.get();
  }

  /**
   * The authorization starts. A person may have to log in, so the deadline stops; the authenticator
   * has a bound of its own.
   */
  @Override
  public void authorizing() {
    cancel(deadline);
  }

  /** The stream starts to connect: the deadline of the first event starts now. */
  @Override
  public Future<HttpClientRequest> get() {
    cancel(deadline);
    long millis = 2 * options.connectTimeout().toMillis();
    deadline =
        after(
            millis,
            () ->
                sessionEnded(
                    new TransportException(
                        Reason.CONNECT_FAILED,
                        Reached.NO,
                        "no endpoint event from " + endpoint() + " in " + millis + " ms")));
    return request(HttpMethod.GET);
  }

  /** Follows a redirect within the origin: the stream has sent nothing that could be repeated. */
  @Override
  public void refused(HttpClientResponse response) {
    int status = response.statusCode();
    if (status >= 300 && status < 400) {
      try {
        streamsMoved(endpoint().redirected(response, redirects++));
        stream.get();
      } catch (TransportException e) {
        end(e);
      }
    } else if (status < 400 || status == 400 || status == 405) {
      end(
          new TransportException(
              Reason.PROTOCOL_ERROR,
              Reached.NO,
              "HTTP "
                  + status
                  + " without an event stream in answer to GET "
                  + endpoint()
                  + ": this is not a server with HTTP+SSE (2024-11-05); for Streamable HTTP set"
                  + " type \"http\""));
    } else {
      end(StatusFailures.of(response, endpoint(), null));
    }
  }

  @Override
  public void failed(TransportException why, boolean isFinal) {
    end(why);
  }

  @Override
  public void cut(@Nullable Throwable cause) {
    end(
        cause == null
            ? new TransportException(
                Reason.UPSTREAM_RESET, Reached.MAYBE, endpoint() + " has ended the event stream")
            : HttpFailures.sent(cause, endpoint()));
  }

  @Override
  public void broken(TransportException why) {
    end(why);
  }

  /** The event {@code endpoint} is the first one: it names the URL for posts. */
  @Override
  public void other(String type, byte[] data, int length) {
    if (isOpen() || !type.equals("endpoint")) {
      junk++;
      return;
    }
    HttpEndpoint target =
        endpoint().resolve(new String(data, 0, length, StandardCharsets.UTF_8).strip());
    if (target == null || !endpoint().sameOrigin(target)) {
      end(
          HttpFailures.protocol(
              "the endpoint event of "
                  + endpoint()
                  + (target == null ? " is not a URL" : " leads to " + target.origin())
                  + ", which is refused: messages are posted to the origin of the stream only"));
      return;
    }
    stream.hold(true);
    postsMoved(target);
    cancel(deadline);
    opened.complete(this);
    owner.run(this::resume);
  }

  /** Delivers messages from now on, first those that arrived together with the endpoint event. */
  private void resume() {
    resumed = true;
    while (!over && !early.isEmpty()) {
      deliver(early.remove());
    }
    if (over) {
      return;
    }
    if (earlyEnd == null) {
      stream.hold(false);
    } else {
      sessionEnded(earlyEnd);
    }
  }

  @Override
  public boolean message(Envelope message, boolean replayed) {
    if (!isOpen()) {
      end(HttpFailures.protocol(endpoint() + " sent a message before the endpoint event"));
    } else if (resumed) {
      deliver(message);
    } else {
      early.add(message);
    }
    return true;
  }

  private void deliver(Envelope message) {
    if (over || SessionDoubts.isAnswer(message)) {
      return;
    }
    if (message.kind().isAnswer()) {
      unanswered.remove(message.integerId());
      worked |= initialized && message.kind() == Envelope.Kind.RESULT;
    }
    receiver.onMessage(message);
  }

  private void end(TransportException reason) {
    if (isOpen() && !resumed) {
      earlyEnd = earlyEnd == null ? reason : earlyEnd;
    } else {
      sessionEnded(reason);
    }
  }

  /** The stream has ended, and with it the session: it cannot be resumed. */
  private void sessionEnded(TransportException reason) {
    if (over) {
      return;
    }
    boolean wasOpen = isOpen();
    List<HttpExchange> unsent = List.copyOf(queue);
    release()
        .onComplete(
            (nothing, failure) -> {
              if (!wasOpen) {
                opened.tryFail(reason.withReached(Reached.NO));
              }
            });
    if (wasOpen) {
      for (HttpExchange each : unsent) {
        report(each.message(), reason.withReached(Reached.NO));
      }
      receiver.onClosed(reason);
    }
  }

  @Override
  public void send(OutboundMessage message) throws TransportException {
    checkOpen();
    window.take(message.bytes().length);
    HttpExchange next = new HttpExchange(this, message, null);
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
      HttpExchange next = queue.remove();
      if (!initialized) {
        blocking = next;
        owner.setTimer(BLOCKING_MILLIS, id -> unblock(next));
      }
      begin(next);
    }
  }

  /** A post without an answer for this long no longer delays the others. */
  private void unblock(HttpExchange slow) {
    if (blocking == slow) {
      blocking = null;
      initialized |= Methods.INITIALIZED.equals(slow.message().method());
      pump();
    }
  }

  private void begin(HttpExchange next) {
    posting.add(next);
    start(next);
  }

  @Override
  public void forget(long id) {
    HttpExchange held = unanswered.remove(id);
    if (held != null) {
      if (queue.remove(held)) {
        window.give(held.message().bytes().length);
      }
      held.abort();
    }
  }

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
      cancel(deadline);
      stream.stop();
      doubts.stop();
      queue.clear();
      List.copyOf(posting).forEach(HttpExchange::abort);
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

  // What exchanges of this transport do in their own way.

  @Override
  boolean answersInResponse() {
    return false;
  }

  @Override
  @Nullable TransportException accepted(HttpExchange exchange, HttpClientResponse response) {
    accepted = true;
    unanswered.replace(exchange.message().id(), exchange, null);
    return null;
  }

  @Override
  HttpExchange question(OutboundMessage message, Consumer<@Nullable String> verdict) {
    HttpExchange asked = new HttpExchange(this, message, verdict);
    begin(asked);
    return asked;
  }

  @Override
  boolean saysLost(
      HttpExchange refused, int status, @Nullable Envelope error, @Nullable Envelope reply) {
    return status == 404 && accepted && !refused.isQuestion();
  }

  @Override
  void lost(HttpExchange refused) {
    List<HttpExchange> unsent = List.copyOf(queue);
    queue.clear();
    TransportException why = HttpFailures.sessionLost();
    refused.fail(why);
    unsent.forEach(each -> report(each.message(), why));
    sessionLost();
  }

  /** The server may still execute the requests that it has accepted. */
  @Override
  void sessionLost() {
    sessionEnded(unanswered.isEmpty() ? HttpFailures.sessionLost() : HttpFailures.lostInFlight());
  }

  @Override
  TransportException refusal(
      HttpClientResponse response, HttpEndpoint from, @Nullable Envelope error) {
    return response.statusCode() == 404
        ? new TransportException(
            Reason.CONNECT_FAILED,
            Reached.NO,
            "HTTP 404 from "
                + from
                + ", the URL that the server's endpoint event named: is a proxy in between?")
        : super.refusal(response, from, null);
  }

  @Override
  void ended(HttpExchange exchange) {
    if (posting.remove(exchange)) {
      initialized |= Methods.INITIALIZED.equals(exchange.message().method());
      blocking = blocking == exchange ? null : blocking;
      if (!exchange.isQuestion()) {
        window.give(exchange.message().bytes().length);
      }
      pump();
    }
  }

  /** If the answer of the message has arrived nevertheless, the receiver is not notified. */
  @Override
  void failed(OutboundMessage message, TransportException why) {
    if (!over) {
      report(message, why);
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
