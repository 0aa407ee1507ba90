package dev.mcpbus.transport.http;

import dev.mcpbus.internals.HeldBytes;
import dev.mcpbus.protocol.Envelope;
import dev.mcpbus.protocol.Quirk;
import dev.mcpbus.transport.OutboundMessage;
import dev.mcpbus.transport.TransportException;
import dev.mcpbus.transport.TransportException.Reached;
import dev.mcpbus.transport.TransportException.Reason;
import io.vertx.core.Future;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One message that is posted to a server of HTTP+SSE, which only confirms that it has accepted it.
 * Confined to the owner context of its channel.
 */
final class SsePost extends PostedMessage {

  private final SseChannel channel;

  SsePost(
      SseChannel channel, OutboundMessage message, @Nullable Consumer<@Nullable String> verdict) {
    super(message, channel.credentials(), verdict);
    this.channel = channel;
  }

  @Override
  HttpEndpoint target() {
    return channel.posts();
  }

  @Override
  Future<HttpClientRequest> create(HttpEndpoint to) {
    return channel.request(HttpMethod.POST);
  }

  @Override
  void prepare(HttpClientRequest created) {
    channel.headers(message, created);
  }

  @Override
  void moved(HttpEndpoint to) {
    channel.postsMoved(to);
  }

  @Override
  void answered(HttpClientResponse response, HttpEndpoint from) {
    channel.answered(response);
    int status = response.statusCode();
    if (status >= 300 && status < 400) {
      redirected(response, from);
    } else if (status >= 400 && mayBeLost(response)) {
      read(response, channel.held(MAX_ERROR_BODY), whole -> refused(response, from, whole));
    } else {
      HttpConventions.drain(response);
      if (status >= 200 && status < 300) {
        done = true;
        channel.accepted(this);
        tell(null);
      } else {
        refused(response, from, null);
      }
    }
  }

  /**
   * Whether the server may refuse the request because it does not know the session: it has executed
   * nothing then, because results come on the stream.
   */
  private boolean mayBeLost(HttpClientResponse response) {
    return isRequest()
        && channel.worked
        && !HttpConventions.isChallenge(response)
        && HttpConventions.mayHold(response, MAX_ERROR_BODY);
  }

  private void refused(HttpClientResponse response, HttpEndpoint from, @Nullable HeldBytes body) {
    if (done) {
      return;
    }
    int status = response.statusCode();
    Envelope error = body == null ? null : ReplyMatch.error(body, channel.limits());
    String text = body == null ? null : SessionDoubts.textOf(body, error);
    if (isQuestion() && text != null) {
      done = true;
      channel.settled(this);
      tell(status + " " + text);
      return;
    }
    boolean mayTell = isRequest() || !channel.quirks().tolerates(Quirk.NOTIFICATION_REFUSED);
    if (status == 404 && mayTell && channel.hasAccepted()) {
      done = true;
      channel.lost(this);
    } else if (SessionDoubts.areIn(text)) {
      request = null; // another post may have the connection meanwhile
      channel.doubts.ask(this::fail, status + " " + text, () -> denied(response, from));
    } else {
      denied(response, from);
    }
  }

  private void denied(HttpClientResponse response, HttpEndpoint from) {
    if (done) {
      return;
    }
    int status = response.statusCode();
    if (authorization.mayRenew(response)) {
      renew(response);
    } else if (status == 404) {
      fail(
          new TransportException(
              Reason.CONNECT_FAILED,
              Reached.NO,
              "HTTP 404 from "
                  + from
                  + ", the URL that the server's endpoint event named: is a proxy in between?"));
    } else {
      fail(StatusFailures.of(response, from, null));
    }
  }

  @Override
  void fail(TransportException why) {
    if (!done) {
      done = true;
      channel.failed(this, why);
      tell(null);
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
    done = true;
    reset();
    channel.settled(this);
    tell(null);
  }

  private void tell(@Nullable String said) {
    if (verdict != null) {
      verdict.accept(said);
    }
  }
}
