package dev.mcpbus.transport.http;

import dev.mcpbus.internals.HeldBytes;
import dev.mcpbus.internals.RawBuffers;
import dev.mcpbus.protocol.Envelope;
import dev.mcpbus.protocol.Methods;
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
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One message that is posted, until its answer or its failure. The methods stand in the order of
 * its steps: credentials, connection, head of the response; then the message is accepted,
 * redirected, or refused, and its answer is a body or an event stream.
 *
 * <p>It is posted again with other credentials, to another URL of the same origin where the server
 * redirects it, and once more where the server has certainly not processed it. It ends exactly
 * once: by the reply, by a failure, or without a report by {@link #abort()}. Confined to the owner
 * context of its session.
 */
final class HttpExchange implements EventStream.StreamListener {

  private static final CharSequence JSON = HttpHeaders.createOptimized(HttpConventions.JSON);

  /** How much of a refusal is read. */
  private static final int MAX_ERROR_BODY = 64 * 1024;

  private static final int MAX_RESUMPTIONS = 5;

  /** The caller of a notification does not wait, so this bound ends a post without an answer. */
  private static final long NOTIFICATION_MILLIS = 30_000;

  private final HttpSession session;
  private final OutboundMessage message;
  private final @Nullable Consumer<@Nullable String> verdict;
  private final RequestAuthorization authorization;

  /** Null before it is written, and where another message may have its connection. */
  private @Nullable HttpClientRequest request;

  private @Nullable HttpClientResponse answer;
  private @Nullable EventStream stream;

  /** The body that is read; its handlers do nothing once it is another one or null. */
  private @Nullable HeldBytes held;

  /** What the stream of the answer said that was no message; null for nothing. */
  private @Nullable String stray;

  private int redirects;
  private boolean waiting;
  private boolean retried;
  private boolean doubted;
  private boolean done;

  /**
   * @param verdict for a question of {@link SessionDoubts}: gets the answer by which the server may
   *     say that it does not know the session, and null for any other end. The channel's owner
   *     learns nothing of it. Null for a message of the owner
   */
  HttpExchange(
      HttpSession session, OutboundMessage message, @Nullable Consumer<@Nullable String> verdict) {
    this.session = session;
    this.message = message;
    this.verdict = verdict;
    this.authorization = new RequestAuthorization(session.credentials());
  }

  OutboundMessage message() {
    return message;
  }

  boolean isRequest() {
    return message.kind() == Envelope.Kind.REQUEST;
  }

  boolean isQuestion() {
    return verdict != null;
  }

  boolean isStreaming() {
    return stream != null && stream.isOpen();
  }

  boolean hasPosition() {
    return stream != null && stream.position().lastId() != null;
  }

  void start() {
    if (!done) {
      waits(true);
      authorization.obtain(HttpMethod.POST, session.posts(), this::connect, this::fail);
    }
  }

  private void waits(boolean now) {
    if (waiting != now) {
      waiting = now;
      session.waiting += now ? 1 : -1;
    }
  }

  private void connect() {
    HttpEndpoint to = session.posts();
    Future<HttpClientRequest> creating = session.request(HttpMethod.POST);
    boolean atOnce = creating.isComplete();
    creating.onComplete(
        (created, failure) -> {
          waits(false);
          if (!done && !atOnce && isRequest() && !isAwaited()) {
            abort();
          }
          if (done) {
            HttpConventions.giveBack(created);
          } else if (failure != null) {
            unsent(HttpFailures.connecting(failure, to));
          } else {
            write(created, to);
          }
        });
  }

  /** Whether the owner still waits for the answer. */
  private boolean isAwaited() {
    return isQuestion() || session.receiver.isAwaited(message.id());
  }

  private void write(HttpClientRequest created, HttpEndpoint to) {
    request = created;
    session.prepare(this, created);
    authorization.addTo(created);
    created.putHeader(HttpHeaders.CONTENT_TYPE, JSON);
    if (!isRequest()) {
      created.idleTimeout(NOTIFICATION_MILLIS);
    }
    Future<Void> written = created.end(RawBuffers.of(message.bytes()));
    created
        .response()
        .onComplete(
            (response, failure) -> {
              if (done) {
                return;
              }
              if (failure == null) {
                head(response, to);
              } else {
                unsent(HttpFailures.sent(failure, written, created, to));
              }
            });
  }

  private void unsent(TransportException why) {
    if (why.reason() == Reason.UPSTREAM_RESET && why.reached() == Reached.NO && !retried) {
      retried = true;
      start();
    } else {
      fail(why);
    }
  }

  private void head(HttpClientResponse response, HttpEndpoint from) {
    response.exceptionHandler(HttpConventions.IGNORE);
    authorization.received(response);
    session.answered(this, response);
    if (done) {
      HttpConventions.drain(response);
      return;
    }
    if (isRequest()) {
      answer = response;
      if (session.paused) {
        response.pause();
      }
    }
    int status = response.statusCode();
    if (status >= 200 && status < 300) {
      accepted(response);
    } else if (status >= 300 && status < 400) {
      redirected(response, from);
    } else if (authorization.mayRenew(response) && !isInDoubt(response)) {
      HttpConventions.drain(response);
      renew(response);
    } else {
      refusal(response, from);
    }
  }

  private void redirected(HttpClientResponse response, HttpEndpoint from) {
    HttpConventions.drain(response);
    response.resume();
    answer = null;
    try {
      session.postsMoved(from.redirected(response, redirects++));
      start();
    } catch (TransportException e) {
      fail(e);
    }
  }

  private void renew(HttpClientResponse response) {
    authorization.renew(response, session.posts(), this::start, this::fail);
  }

  private void accepted(HttpClientResponse response) {
    TransportException bad = session.accepted(this, response);
    if (!isRequest() || !session.answersInResponse()) {
      HttpConventions.drain(response);
      end(null);
    } else if (bad != null) {
      reject(response, bad);
    } else if (!HttpConventions.isPlain(response)) {
      reject(response, HttpFailures.protocol("the response has a Content-Encoding"));
    } else if (HttpConventions.hasType(response, HttpConventions.EVENT_STREAM)) {
      stream = new EventStream(session, this);
      stream.read(response);
    } else if (HttpConventions.hasType(response, HttpConventions.JSON)) {
      read(response, session.limits().maxBytes(), body -> replied(response, body), this::fail);
    } else {
      TransportException why = HttpFailures.notMcp(response, session.posts());
      if (session.mayLoseSession() && HttpConventions.mayHold(response, MAX_ERROR_BODY)) {
        read(response, MAX_ERROR_BODY, body -> unanswered(response, body, why), this::fail);
      } else {
        reject(response, why);
      }
    }
  }

  /** Reads a body; calls {@code whole} with it, or {@code broken} once and drops the connection. */
  private void read(
      HttpClientResponse response,
      int maxBytes,
      Consumer<HeldBytes> whole,
      Consumer<TransportException> broken) {
    HeldBytes body = session.held(maxBytes);
    held = body;
    if (!fits(response, body, body.announce(HttpConventions.length(response)), broken)) {
      return;
    }
    response.exceptionHandler(
        cause -> {
          if (held == body) {
            broken.accept(HttpFailures.cutShort(response, cause, session.posts()));
          }
        });
    response.endHandler(
        nothing -> {
          if (held == body) {
            whole.accept(body);
          }
        });
    response.handler(
        piece -> {
          if (held == body) {
            fits(response, body, body.add(piece), broken);
          }
        });
  }

  private boolean fits(
      HttpClientResponse response,
      HeldBytes body,
      HeldBytes.Fit fit,
      Consumer<TransportException> broken) {
    if (fit == HeldBytes.Fit.HELD) {
      return true;
    }
    TransportException why =
        fit == HeldBytes.Fit.UNPAID
            ? HttpFailures.unpaid(body)
            : HttpFailures.tooLarge(session.limits().maxBytes());
    body.clear();
    held = null;
    broken.accept(why);
    HttpConventions.discard(response);
    return false;
  }

  private void replied(HttpClientResponse response, HeldBytes body) {
    try {
      List<Envelope> found = session.messages(body.array(), body.offset(), body.length());
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
            fail(why);
          } else {
            reject(response, why);
          }
        });
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
          unlessLost(200, SessionDoubts.textOf(mine), () -> answered(mine));
        } else if (mine != null) {
          answered(mine);
        } else {
          session.junk++;
        }
      }
      case REQUEST, NOTIFICATION -> {
        if (!replayed) {
          session.deliver(received, message.id());
        }
      }
    }
    return !done && !doubted;
  }

  private @Nullable Envelope replyOf(Envelope received) {
    try {
      return ReplyMatch.to(message, received, session.limits());
    } catch (ProtocolException e) {
      return null;
    }
  }

  @Override
  public void stray(byte[] data, int length) {
    if (session.mayLoseSession()) {
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
  public void broken(TransportException why) {
    unlessLost(200, stray, () -> fail(why));
  }

  @Override
  public void cut(@Nullable Throwable cause) {
    resume(null);
  }

  private void resume(@Nullable TransportException why) {
    EventStream current = stream;
    if (done || doubted || current == null) {
      return;
    }
    if (current.position().lastId() == null
        || !session.resumes()
        || current.countAttempt() > MAX_RESUMPTIONS) {
      unlessLost(200, stray, () -> fail(HttpFailures.outcomeUnknown(why)));
    } else {
      current.reopenAfter(current.position().retryMillis());
    }
  }

  @Override
  public Future<HttpClientRequest> get() {
    return session.request(HttpMethod.GET);
  }

  @Override
  public void refused(HttpClientResponse response) {
    int status = response.statusCode();
    failed(StatusFailures.of(response, session.endpoint(), null), status < 500 && status != 429);
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

  /** A refusal that asks for no credentials may be about the session: its body says which. */
  private boolean isInDoubt(HttpClientResponse response) {
    return isRequest() && session.mayLoseSession() && !HttpConventions.isChallenge(response);
  }

  private void refusal(HttpClientResponse response, HttpEndpoint from) {
    int cap = Math.min(session.limits().maxBytes(), MAX_ERROR_BODY);
    boolean hasError =
        session.answersInResponse() && HttpConventions.hasType(response, HttpConventions.JSON);
    if (HttpConventions.mayHold(response, cap) && (hasError || isInDoubt(response))) {
      read(
          response,
          cap,
          body -> refusal(response, from, body),
          why -> refusal(response, from, null));
    } else {
      HttpConventions.drain(response);
      refusal(response, from, null);
    }
  }

  private void refusal(HttpClientResponse response, HttpEndpoint from, @Nullable HeldBytes body) {
    if (done || doubted) {
      return;
    }
    int status = response.statusCode();
    Envelope error = body == null ? null : ReplyMatch.error(body, session.limits());
    Envelope reply = error == null || !isRequest() ? null : replyOf(error);
    // A server that refuses a notification may mean that: the next request finds a lost session.
    boolean mayTell = isRequest() || !session.quirks().tolerates(Quirk.NOTIFICATION_REFUSED);
    if (session.startsAnew(this, status)) {
      answer = null;
      start();
      return;
    }
    if (mayTell && session.saysLost(this, status, error, reply)) {
      session.lost(this);
      return;
    }
    boolean plain =
        !isInDoubt(response)
            || (status == 404 && error != null && ReplyMatch.isMethodNotFound(error));
    String said = plain || body == null ? null : SessionDoubts.textOf(body, error);
    unlessLost(status, said, () -> denied(response, from, error, reply));
  }

  private void denied(
      HttpClientResponse response,
      HttpEndpoint from,
      @Nullable Envelope error,
      @Nullable Envelope reply) {
    if (done) {
      return;
    }
    int status = response.statusCode();
    if (authorization.mayRenew(response)) {
      renew(response);
    } else if (reply != null
        && session.answersInResponse()
        && (reply == error ? isAnswerOfTheServer(status) : status == 400)) {
      if (!session.takesOver(this, response, reply)) {
        answered(reply);
      }
    } else if (!session.takesOver(this, response, null)) {
      fail(session.refusal(response, from, error));
    }
  }

  /** With 401, 403 and 429 the headers tell the client what to do next; a JSON-RPC error cannot. */
  private static boolean isAnswerOfTheServer(int status) {
    return status != 401 && status != 403 && status != 429;
  }

  /**
   * Goes on with {@code otherwise}, unless the server says by this answer that it does not know the
   * session, which {@link SessionDoubts} finds out.
   */
  private void unlessLost(int status, @Nullable String text, Runnable otherwise) {
    boolean inDoubt = status == 404 ? text != null : SessionDoubts.areIn(text);
    if (!inDoubt || !isRequest() || !session.mayLoseSession()) {
      otherwise.run();
      return;
    }
    String said = status + " " + text;
    if (isQuestion()) {
      end(said);
    } else {
      doubted = true;
      request = null; // another message may have the connection meanwhile
      // A server may have executed a request before it failed with 5xx, but not where it only
      // confirms what is posted.
      Reached reached = status < 500 || !session.answersInResponse() ? Reached.NO : Reached.MAYBE;
      session.doubts.ask(why -> fail(why.withReached(reached)), said, otherwise);
    }
  }

  /** Stops reading the answer to a request, or goes on with it. */
  void hold(boolean paused) {
    if (stream != null) {
      stream.hold(paused);
    } else if (answer != null) {
      HttpConventions.hold(answer, paused);
    }
  }

  /** Ends without a report to the receiver and frees the connection. */
  void abort() {
    if (done) {
      return;
    }
    end(null);
    if (stream == null && request != null) {
      request.reset();
    }
  }

  private void reject(HttpClientResponse response, TransportException why) {
    fail(why);
    HttpConventions.discard(response);
  }

  void fail(TransportException why) {
    if (end(null) && !isQuestion()) {
      session.failed(message, why);
    }
  }

  private void answered(Envelope reply) {
    if (isQuestion()) {
      end(null);
    } else if (finish()) {
      session.worked |=
          reply.kind() == Envelope.Kind.RESULT && !Methods.INITIALIZE.equals(message.method());
      session.deliver(reply, message.id());
    }
  }

  /**
   * Ends, and stops reading at once.
   *
   * @param said the verdict of a question
   * @return false if it had ended before
   */
  boolean end(@Nullable String said) {
    if (!finish()) {
      return false;
    }
    if (stream != null) {
      stream.stop();
    }
    if (verdict != null) {
      verdict.accept(said);
    }
    return true;
  }

  private boolean finish() {
    if (done) {
      return false;
    }
    done = true;
    waits(false);
    if (held != null) {
      held.clear();
      held = null;
    }
    session.ended(this);
    return true;
  }
}
