package dev.mcpbus.transport.http;

import dev.mcpbus.internals.HeldBytes;
import dev.mcpbus.internals.RawBuffers;
import dev.mcpbus.protocol.Envelope;
import dev.mcpbus.transport.OutboundMessage;
import dev.mcpbus.transport.TransportException;
import dev.mcpbus.transport.TransportException.Reached;
import dev.mcpbus.transport.TransportException.Reason;
import io.vertx.core.Future;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One message that is posted: with credentials, over a connection, to another URL of the same
 * origin where the server redirects it, and once more where the server has certainly not processed
 * it. What the answer means is the matter of the subclass. Confined to the owner context of its
 * channel.
 */
abstract class PostedMessage {

  /** How much of a refusal is read. */
  static final int MAX_ERROR_BODY = 64 * 1024;

  private static final CharSequence JSON = HttpHeaders.createOptimized(HttpConventions.JSON);

  /** The caller of a notification does not wait, so this bound ends a post without an answer. */
  private static final long NOTIFICATION_MILLIS = 30_000;

  final OutboundMessage message;
  final @Nullable Consumer<@Nullable String> verdict;
  final RequestAuthorization authorization;

  /** Null before it is written, and where another message may have its connection. */
  @Nullable HttpClientRequest request;

  boolean done;
  private boolean retried;
  private int redirects;

  /**
   * @param verdict for a question of {@link SessionDoubts}: gets the answer by which the server may
   *     say that it does not know the session, and null for any other end. The channel's owner
   *     learns nothing of it. Null for a message of the owner
   */
  PostedMessage(
      OutboundMessage message,
      @Nullable ChannelCredentials credentials,
      @Nullable Consumer<@Nullable String> verdict) {
    this.message = message;
    this.verdict = verdict;
    this.authorization = new RequestAuthorization(credentials);
  }

  abstract HttpEndpoint target();

  /** Creates a request; does not send it. */
  abstract Future<HttpClientRequest> create(HttpEndpoint to);

  /** Adds what the channel writes besides; the request is written next. */
  void prepare(HttpClientRequest created) {}

  abstract void answered(HttpClientResponse response, HttpEndpoint from);

  /** The server has redirected the message within its origin. */
  abstract void moved(HttpEndpoint to);

  abstract void fail(TransportException why);

  /** Whether the owner still waits for the answer. */
  abstract boolean isAwaited();

  /** Ends without a report to the receiver and frees the connection. */
  abstract void abort();

  OutboundMessage message() {
    return message;
  }

  boolean isRequest() {
    return message.kind() == Envelope.Kind.REQUEST;
  }

  boolean isQuestion() {
    return verdict != null;
  }

  void start() {
    if (!done) {
      authorization.obtain(HttpMethod.POST, target(), this::connect, this::fail);
    }
  }

  private void connect() {
    HttpEndpoint to = target();
    Future<HttpClientRequest> creating = create(to);
    boolean atOnce = creating.isComplete();
    creating.onComplete(
        (created, failure) -> {
          if (!done && !atOnce && isRequest() && !isAwaited()) {
            abort();
          }
          if (done) {
            HttpConventions.giveBack(created);
          } else if (failure != null) {
            unsent(HttpFailures.connecting(failure, to));
          } else {
            post(created, to);
          }
        });
  }

  private void post(HttpClientRequest created, HttpEndpoint to) {
    request = created;
    prepare(created);
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
                response.exceptionHandler(HttpConventions.IGNORE);
                authorization.received(response);
                answered(response, to);
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

  void redirected(HttpClientResponse response, HttpEndpoint from) {
    HttpConventions.drain(response);
    response.resume();
    try {
      moved(from.redirected(response, redirects++));
      start();
    } catch (TransportException e) {
      fail(e);
    }
  }

  void renew(HttpClientResponse response) {
    authorization.renew(response, target(), this::start, this::fail);
  }

  /** Reads a short body; then runs, once: with null where it is long, or the connection breaks. */
  void read(HttpClientResponse response, HeldBytes body, Consumer<@Nullable HeldBytes> then) {
    response.exceptionHandler(cause -> then.accept(null));
    response.endHandler(nothing -> then.accept(body));
    response.handler(
        piece -> {
          if (body.add(piece) != HeldBytes.Fit.HELD) {
            response.handler(more -> {}).exceptionHandler(HttpConventions.IGNORE);
            response.request().reset();
            then.accept(null);
          }
        });
  }

  void reset() {
    if (request != null) {
      request.reset();
    }
  }
}
