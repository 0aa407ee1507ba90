package dev.mcpbus.transport.http;

import dev.mcpbus.internals.HeldBytes;
import dev.mcpbus.protocol.Envelope;
import dev.mcpbus.protocol.ProtocolException;
import dev.mcpbus.protocol.Quirk;
import dev.mcpbus.transport.OutboundMessage;
import dev.mcpbus.transport.TransportException;
import dev.mcpbus.transport.TransportException.Reached;
import dev.mcpbus.transport.TransportException.Reason;
import io.vertx.core.Future;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One POST over Streamable HTTP and its answer. It ends exactly once: by the reply, by a failure,
 * or without a report by {@link #abort()}. Confined to the owner context of its channel.
 */
final class PostExchange extends PostedMessage implements EventStream.StreamListener {

  private static final int MAX_RESUMPTIONS = 5;

  private final HttpChannel channel;
  private @Nullable HttpClientResponse answer;
  private @Nullable EventStream reader;
  private @Nullable HeldBytes held;
  private boolean waiting;
  private boolean doubted;

  /** What the stream of the answer said that was no message; null for nothing. */
  private @Nullable String stray;

  PostExchange(
      HttpChannel channel, OutboundMessage message, @Nullable Consumer<@Nullable String> verdict) {
    super(message, channel.credentials(), verdict);
    this.channel = channel;
  }

  boolean isStreaming() {
    return reader != null && reader.isOpen();
  }

  boolean hasPosition() {
    return reader != null && reader.position().lastId() != null;
  }

  @Override
  void start() {
    if (!done) {
      waiting = true;
      channel.waiting(1);
      super.start();
    }
  }

  private void connected() {
    if (waiting) {
      waiting = false;
      channel.waiting(-1);
    }
  }

  @Override
  HttpEndpoint target() {
    return channel.endpoint();
  }

  @Override
  Future<HttpClientRequest> create(HttpEndpoint to) {
    return channel.request(HttpMethod.POST).onComplete(created -> connected());
  }

  @Override
  void prepare(HttpClientRequest created) {
    channel.headers(message, created);
    created.putHeader(HttpHeaders.ACCEPT, HttpConventions.POST_ACCEPTS);
    channel.getStream().posted(this);
  }

  @Override
  void moved(HttpEndpoint to) {
    answer = null;
    channel.moved(to);
  }

  /** Stops reading the answer to a request, or goes on with it. */
  void hold(boolean paused) {
    if (reader != null) {
      reader.hold(paused);
    } else if (answer != null) {
      HttpConventions.hold(answer, paused);
    }
  }

  @Override
  void answered(HttpClientResponse response, HttpEndpoint from) {
    channel.answered(response);
    if (isRequest()) {
      answer = response;
      if (channel.paused) {
        response.pause();
      }
    }
    int status = response.statusCode();
    channel.getStream().answered(this, status);
    if (status >= 200 && status < 300) {
      succeeded(response);
    } else if (status >= 300 && status < 400) {
      redirected(response, from);
    } else if (authorization.mayRenew(response) && !isInDoubt(response)) {
      HttpConventions.drain(response);
      renew(response);
    } else {
      refusal(response);
    }
  }

  /** A refusal that asks for no credentials may be about the session: its body says which. */
  private boolean isInDoubt(HttpClientResponse response) {
    return isRequest() && channel.mayLoseSession() && !HttpConventions.isChallenge(response);
  }

  private void succeeded(HttpClientResponse response) {
    TransportException bad = channel.accepted(message, response);
    if (!isRequest()) {
      HttpConventions.drain(response);
      finish();
    } else if (bad != null) {
      reject(response, bad);
    } else if (!HttpConventions.isPlain(response)) {
      reject(response, HttpFailures.protocol("the response has a Content-Encoding"));
    } else if (HttpConventions.hasType(response, HttpConventions.EVENT_STREAM)) {
      reader = new EventStream(channel, this);
      reader.read(response);
    } else if (HttpConventions.hasType(response, HttpConventions.JSON)) {
      collect(response, channel.limits().maxBytes(), this::replied);
    } else {
      TransportException why = HttpFailures.notMcp(response, channel.endpoint());
      if (channel.mayLoseSession() && HttpConventions.mayHold(response, MAX_ERROR_BODY)) {
        collect(response, MAX_ERROR_BODY, (whole, body) -> unanswered(whole, body, why));
      } else {
        reject(response, why);
      }
    }
  }

  /**
   * Goes on with {@code otherwise}, unless the server says by this answer that it does not know the
   * session, which {@link SessionDoubts} finds out.
   */
  private void unlessLost(int status, @Nullable String text, Runnable otherwise) {
    boolean inDoubt = status == 404 ? text != null : SessionDoubts.areIn(text);
    if (!inDoubt || !isRequest() || !channel.mayLoseSession()) {
      otherwise.run();
      return;
    }
    String said = status + " " + text;
    if (verdict != null) {
      verdict(said);
    } else {
      doubted = true;
      // A server may have executed a request before it failed with 5xx.
      Reached reached = status < 500 ? Reached.NO : Reached.MAYBE;
      channel.doubts.ask(why -> fail(why.withReached(reached)), said, otherwise);
    }
  }

  private void verdict(@Nullable String said) {
    if (finish() && verdict != null) {
      stopReading();
      verdict.accept(said);
    }
  }

  /** Reads a whole body for {@code handler}; the caller has checked the response's status. */
  private void collect(
      HttpClientResponse response,
      int maxBytes,
      BiConsumer<HttpClientResponse, HeldBytes> handler) {
    HeldBytes body = channel.held(maxBytes);
    held = body;
    if (!fits(response, body, body.announce(HttpConventions.length(response)))) {
      return;
    }
    response.exceptionHandler(
        cause -> {
          if (!done) {
            fail(HttpFailures.cutShort(response, cause, channel.endpoint()));
          }
        });
    response.endHandler(
        nothing -> {
          if (!done) {
            handler.accept(response, body);
          }
        });
    response.handler(
        piece -> {
          if (!done) {
            fits(response, body, body.add(piece));
          }
        });
  }

  private boolean fits(HttpClientResponse response, HeldBytes body, HeldBytes.Fit fit) {
    switch (fit) {
      case HELD -> {}
      case TOO_LONG -> reject(response, HttpFailures.tooLarge(channel.limits().maxBytes()));
      case UNPAID -> reject(response, HttpFailures.unpaid(body));
    }
    return fit == HeldBytes.Fit.HELD;
  }

  private void replied(HttpClientResponse response, HeldBytes body) {
    try {
      List<Envelope> found = channel.messages(body.array(), body.offset(), body.length());
      for (Envelope one : found) {
        if (found.size() > 1 || one.kind().isAnswer()) {
          message(one, false);
        }
      }
      if (!done && !doubted) {
        unanswered(
            response,
            body,
            HttpFailures.protocol("the body does not answer request " + message.id()));
      }
    } catch (ProtocolException e) {
      unanswered(response, body, HttpFailures.parsing(e));
    }
  }

  private void unanswered(HttpClientResponse response, HeldBytes body, TransportException why) {
    unlessLost(
        response.statusCode(),
        SessionDoubts.textOf(body, null),
        () -> {
          if (doubted) {
            fail(why); // another request may have the connection meanwhile
          } else {
            reject(response, why);
          }
        });
  }

  private void refusal(HttpClientResponse response) {
    int cap = Math.min(channel.limits().maxBytes(), MAX_ERROR_BODY);
    if (HttpConventions.mayHold(response, cap)
        && (HttpConventions.hasType(response, HttpConventions.JSON) || isInDoubt(response))) {
      read(response, channel.held(cap), body -> refused(response, body));
    } else {
      HttpConventions.drain(response);
      refused(response, null);
    }
  }

  private void refused(HttpClientResponse response, @Nullable HeldBytes body) {
    if (done || doubted) {
      return;
    }
    Envelope error = body == null ? null : ReplyMatch.error(body, channel.limits());
    int status = response.statusCode();
    Envelope reply = error == null || !isRequest() ? null : replyOf(error);
    boolean named = reply != null && reply == error;
    // A server that refuses a notification may mean that: the next request finds a lost session.
    boolean mayTell = isRequest() || !channel.quirks().tolerates(Quirk.NOTIFICATION_REFUSED);
    boolean alone = !channel.mayLoseSession();
    if (mayTell && channel.hasSession() && ReplyMatch.saysUnknown(status, error, named, alone)) {
      lose();
    } else {
      boolean plain =
          !isInDoubt(response)
              || (status == 404 && error != null && ReplyMatch.isMethodNotFound(error));
      String said = plain || body == null ? null : SessionDoubts.textOf(body, error);
      unlessLost(status, said, () -> refused(response, error, reply, named));
    }
  }

  private void refused(
      HttpClientResponse response,
      @Nullable Envelope error,
      @Nullable Envelope reply,
      boolean named) {
    int status = response.statusCode();
    if (authorization.mayRenew(response)) {
      renew(response);
    } else if (reply != null && (named ? isAnswerOfTheServer(status) : status == 400)) {
      finish(reply);
    } else if (error != null || !channel.takenOver(this, response)) {
      fail(StatusFailures.of(response, channel.endpoint(), error));
    }
  }

  /** With 401, 403 and 429 the headers tell the client what to do next; a JSON-RPC error cannot. */
  private static boolean isAnswerOfTheServer(int status) {
    return status != 401 && status != 403 && status != 429;
  }

  private @Nullable Envelope replyOf(Envelope received) {
    try {
      return ReplyMatch.to(message, received, channel.limits());
    } catch (ProtocolException e) {
      return null;
    }
  }

  private void lose() {
    fail(HttpFailures.sessionLost());
    channel.sessionLost();
  }

  @Override
  public boolean message(Envelope received, boolean replayed) {
    if (done || doubted) {
      return false;
    }
    switch (received.kind()) {
      case RESULT, ERROR -> {
        Envelope mine = replyOf(received);
        if (mine != null && mine.kind() == Envelope.Kind.ERROR) {
          unlessLost(200, SessionDoubts.textOf(mine), () -> finish(mine));
        } else if (mine != null) {
          finish(mine);
        } else {
          channel.junk++;
        }
      }
      case REQUEST, NOTIFICATION -> {
        if (!replayed) {
          channel.deliver(received, message.id());
        }
      }
    }
    return !done && !doubted;
  }

  @Override
  public void stray(byte[] data, int length) {
    if (channel.mayLoseSession()) {
      stray = SessionDoubts.textOf(data, 0, length);
    }
  }

  @Override
  public void other(String type, byte[] data, int length) {
    if (type.equals("error")) {
      stray(data, length);
    }
  }

  @Override
  public Future<HttpClientRequest> get() {
    return channel.request(HttpMethod.GET);
  }

  @Override
  public void cut(@Nullable Throwable cause) {
    resume(null);
  }

  @Override
  public void refused(HttpClientResponse response) {
    int status = response.statusCode();
    failed(StatusFailures.of(response, channel.endpoint(), null), status < 500 && status != 429);
  }

  @Override
  public void failed(TransportException why, boolean isFinal) {
    if (!isFinal) {
      resume(why);
    } else if (why.reason() == Reason.AUTH_REQUIRED || why.reason() == Reason.FORBIDDEN) {
      fail(why.withReached(Reached.MAYBE));
    } else {
      fail(HttpFailures.outcomeUnknown(why));
    }
  }

  @Override
  public void broken(TransportException why) {
    unlessLost(200, stray, () -> fail(why));
  }

  private void resume(@Nullable TransportException why) {
    EventStream current = reader;
    if (done || doubted || current == null) {
      return;
    }
    if (current.position().lastId() == null
        || !channel.resumes()
        || current.countAttempt() > MAX_RESUMPTIONS) {
      unlessLost(200, stray, () -> fail(HttpFailures.outcomeUnknown(why)));
    } else {
      current.reopenAfter(current.position().retryMillis());
    }
  }

  @Override
  boolean isAwaited() {
    return isQuestion() || channel.isAwaited(message.id());
  }

  @Override
  void abort() {
    if (done) {
      return;
    }
    verdict(null);
    if (reader != null) {
      reader.stop();
    } else {
      reset();
    }
  }

  private void reject(HttpClientResponse response, TransportException why) {
    fail(why);
    HttpConventions.discard(response);
  }

  @Override
  void fail(TransportException why) {
    if (verdict != null) {
      verdict(null);
    } else if (finish()) {
      stopReading();
      channel.failed(message, why);
    }
  }

  private void stopReading() {
    if (reader != null) {
      reader.stop();
    }
  }

  private void finish(Envelope reply) {
    if (verdict != null) {
      verdict(null);
    } else if (finish()) {
      channel.answered(message, reply);
      channel.deliver(reply, message.id());
    }
  }

  private boolean finish() {
    if (done) {
      return false;
    }
    done = true;
    connected();
    if (held != null) {
      held.clear();
    }
    channel.ended(this);
    return true;
  }
}
