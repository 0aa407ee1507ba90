package dev.mcpbus.transport.http;

import dev.mcpbus.internals.RawBuffers;
import dev.mcpbus.protocol.Envelope;
import dev.mcpbus.protocol.Quirk;
import dev.mcpbus.transport.OutboundMessage;
import dev.mcpbus.transport.TransportException;
import dev.mcpbus.transport.TransportException.Reached;
import dev.mcpbus.transport.TransportException.Reason;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One message that is posted to a server of HTTP+SSE, which only confirms that it has accepted it.
 * Confined to the owner context of its channel.
 */
final class SsePost {

  private static final CharSequence JSON = HttpHeaders.createOptimized(HttpConventions.JSON);
  private static final int MAX_ERROR_BODY = 64 * 1024;

  /** The caller of a notification does not wait, so this bound ends a post without an answer. */
  private static final long NOTIFICATION_MILLIS = 30_000;

  private final SseChannel channel;
  private final OutboundMessage message;
  private final @Nullable Consumer<@Nullable String> verdict;
  private final RequestAuthorization authorization;
  private @Nullable HttpClientRequest request;
  private boolean done;
  private boolean retried;
  private int redirects;

  /**
   * @param verdict for a question of {@link SessionDoubts}: gets the status and the text by which
   *     the server refuses it, and null for any other end. Null for a message of the owner
   */
  SsePost(
      SseChannel channel, OutboundMessage message, @Nullable Consumer<@Nullable String> verdict) {
    this.channel = channel;
    this.message = message;
    this.verdict = verdict;
    this.authorization = new RequestAuthorization(channel.credentials());
  }

  OutboundMessage message() {
    return message;
  }

  boolean isQuestion() {
    return verdict != null;
  }

  void start() {
    if (!done) {
      authorization.obtain(HttpMethod.POST, channel.postUrl(), this::connect, this::fail);
    }
  }

  private void connect() {
    if (done) {
      return;
    }
    HttpEndpoint to = channel.postUrl();
    channel
        .request(HttpMethod.POST, to)
        .onComplete(
            (created, failure) -> {
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
    authorization.addTo(created);
    created.putHeader(HttpHeaders.CONTENT_TYPE, JSON);
    if (message.kind() != Envelope.Kind.REQUEST) {
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
                answered(response, to);
              } else {
                unsent(HttpFailures.sent(failure, written, created, to));
              }
            });
  }

  /** Sends a message that the server has certainly not processed over another connection, once. */
  private void unsent(TransportException why) {
    if (why.reason() == Reason.UPSTREAM_RESET && why.reached() == Reached.NO && !retried) {
      retried = true;
      start();
    } else {
      fail(why);
    }
  }

  private void answered(HttpClientResponse response, HttpEndpoint to) {
    channel.answered(response);
    authorization.received(response);
    int status = response.statusCode();
    if (mayBeLost(response)) {
      response.body().onComplete((body, failure) -> refused(response, to, body));
      return;
    }
    HttpConventions.drain(response);
    if (authorization.mayRenew(response)) {
      authorization.renew(response, to, this::start, this::fail);
    } else if (status >= 200 && status < 300) {
      done = true;
      channel.accepted(this);
      tell(null);
    } else if (status >= 300 && status < 400) {
      redirected(response, to);
    } else {
      refused(response, to, null);
    }
  }

  /**
   * Whether the server may refuse the request because it does not know the session: it has executed
   * nothing then, because results come on the stream.
   */
  private boolean mayBeLost(HttpClientResponse response) {
    int status = response.statusCode();
    long length = HttpConventions.length(response);
    return message.kind() == Envelope.Kind.REQUEST
        && channel.hasWorked()
        && status >= 400
        && status < 500
        && !HttpConventions.isChallenge(response)
        && length >= 0
        && length <= MAX_ERROR_BODY;
  }

  private void refused(HttpClientResponse response, HttpEndpoint to, @Nullable Buffer body) {
    if (done) {
      return;
    }
    int status = response.statusCode();
    String text = body == null ? null : SessionDoubts.textOf(body.getBytes(), channel.limits());
    if (isQuestion() && text != null) {
      done = true;
      channel.settled(this);
      tell(status + " " + text);
      return;
    }
    boolean mayTell =
        message.kind() == Envelope.Kind.REQUEST
            || !channel.quirks().tolerates(Quirk.NOTIFICATION_REFUSED);
    if (status == 404 && mayTell && channel.hasAccepted()) {
      done = true;
      channel.lost(this);
    } else if (SessionDoubts.areIn(text)) {
      request = null; // another post may have the connection meanwhile
      channel.doubts().ask(this::fail, status + " " + text, () -> denied(response, to));
    } else {
      denied(response, to);
    }
  }

  private void denied(HttpClientResponse response, HttpEndpoint to) {
    if (done) {
      return;
    }
    int status = response.statusCode();
    if (authorization.mayRenew(response)) {
      authorization.renew(response, to, this::start, this::fail);
    } else if (status == 404) {
      fail(
          new TransportException(
              Reason.CONNECT_FAILED,
              Reached.NO,
              "HTTP 404 from "
                  + to
                  + ", the URL that the server's endpoint event named: is a proxy in between?"));
    } else {
      fail(StatusFailures.of(response, to, null));
    }
  }

  private void redirected(HttpClientResponse response, HttpEndpoint from) {
    try {
      channel.moved(from.redirected(response, redirects++));
      start();
    } catch (TransportException e) {
      fail(e);
    }
  }

  private void fail(TransportException why) {
    if (!done) {
      done = true;
      channel.failed(this, why);
      tell(null);
    }
  }

  /** Ends without a report to the receiver and frees the connection. */
  void abort() {
    if (done) {
      return;
    }
    done = true;
    if (request != null) {
      request.reset();
    }
    channel.settled(this);
    tell(null);
  }

  private void tell(@Nullable String said) {
    if (verdict != null) {
      verdict.accept(said);
    }
  }
}
