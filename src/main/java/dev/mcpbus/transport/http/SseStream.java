package dev.mcpbus.transport.http;

import dev.mcpbus.protocol.Envelope;
import dev.mcpbus.protocol.ParseLimits;
import dev.mcpbus.protocol.ProtocolException;
import dev.mcpbus.transport.TransportException;
import dev.mcpbus.transport.TransportException.Reached;
import dev.mcpbus.transport.TransportException.Reason;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * The one stream of a session over HTTP+SSE. It cannot be resumed: when it ends, the session ends.
 * After the {@code endpoint} event it waits for {@link #resume()}. Confined to the owner context of
 * its channel.
 */
final class SseStream implements SseParser.EventSink {

  private static final CharSequence ACCEPTED =
      HttpHeaders.createOptimized(HttpConventions.EVENT_STREAM);

  /** Receives the events of the stream; not called after {@link #stop()}. */
  interface SseListener {

    /** The stream obtains credentials. */
    void authorizing();

    /** The stream sends its request. */
    void connecting();

    /** The first event: the URL for posts, in the same origin. */
    void endpoint(HttpEndpoint target);

    void message(Envelope message);

    /** An event that is skipped. */
    void junk();

    /**
     * Called once, as the last callback. Before {@link #endpoint} it means that the server offers
     * no such stream.
     */
    void ended(TransportException reason);
  }

  private final SseChannel channel;
  private final ParseLimits limits;
  private final SseListener listener;
  private final SseParser parser;
  private final RequestAuthorization authorization;
  private final Deque<Envelope> early = new ArrayDeque<>();
  private final StrayEvents strays = new StrayEvents();
  private @Nullable HttpClientRequest request;
  private @Nullable HttpClientResponse response;
  private @Nullable TransportException earlyEnd;
  private boolean hasEndpoint;
  private boolean resumed;
  private boolean stopped;
  private int redirects;

  SseStream(SseChannel channel, SseListener listener) {
    this.channel = channel;
    this.limits = channel.limits();
    this.listener = listener;
    this.parser = new SseParser(limits.maxBytes(), channel.received(), this);
    this.authorization = new RequestAuthorization(channel.credentials());
  }

  void open() {
    if (!stopped) {
      listener.authorizing();
      authorization.obtain(HttpMethod.GET, channel.endpoint(), this::connect, this::end);
    }
  }

  private void connect() {
    if (stopped) {
      return;
    }
    listener.connecting();
    channel
        .request(HttpMethod.GET)
        .onComplete(
            (created, failure) -> {
              if (stopped) {
                HttpConventions.giveBack(created);
              } else if (failure != null) {
                end(HttpFailures.connecting(failure, channel.endpoint()));
              } else {
                get(created);
              }
            });
  }

  private void get(HttpClientRequest created) {
    request = created;
    channel.headers(null, created);
    authorization.addTo(created);
    created.putHeader(HttpHeaders.ACCEPT, ACCEPTED);
    created
        .send()
        .onComplete(
            (answer, failure) -> {
              if (stopped) {
                return;
              }
              if (failure != null) {
                end(HttpFailures.sent(failure, channel.endpoint()));
              } else {
                answered(answer);
              }
            });
  }

  private void answered(HttpClientResponse answer) {
    int status = answer.statusCode();
    authorization.received(answer);
    if (status == 200
        && HttpConventions.isPlain(answer)
        && HttpConventions.hasType(answer, HttpConventions.EVENT_STREAM)) {
      response = answer;
      answer.exceptionHandler(cause -> end(HttpFailures.sent(cause, channel.endpoint())));
      answer.endHandler(nothing -> end(cut()));
      answer.handler(this::feed);
      return;
    }
    if (authorization.mayRenew(answer)) {
      listener.authorizing();
      HttpConventions.drain(answer);
      authorization.renew(answer, channel.endpoint(), this::open, this::end);
      return;
    }
    HttpConventions.drain(answer);
    if (status >= 300 && status < 400) {
      redirected(answer);
    } else if (status < 400 || status == 400 || status == 405) {
      end(
          new TransportException(
              Reason.PROTOCOL_ERROR,
              Reached.NO,
              "HTTP "
                  + status
                  + " without an event stream in answer to GET "
                  + channel.endpoint()
                  + ": this is not a server with HTTP+SSE (2024-11-05); for Streamable HTTP set"
                  + " type \"http\""));
    } else {
      end(StatusFailures.of(answer, channel.endpoint(), null));
    }
  }

  private void redirected(HttpClientResponse answer) {
    try {
      channel.streamsMoved(channel.endpoint().redirected(answer, redirects++));
      open();
    } catch (TransportException e) {
      end(e);
    }
  }

  private TransportException cut() {
    return new TransportException(
        Reason.UPSTREAM_RESET, Reached.MAYBE, channel.endpoint() + " has ended the event stream");
  }

  private void feed(Buffer buffer) {
    if (stopped) {
      return;
    }
    try {
      parser.feed(buffer);
    } catch (ProtocolException e) {
      end(HttpFailures.parsing(e));
    }
  }

  @Override
  public boolean event(String type, byte[] data, int length, @Nullable String id)
      throws ProtocolException {
    if (length == 0) {
      return true;
    }
    if (type.equals("endpoint")) {
      target(new String(data, 0, length, StandardCharsets.UTF_8).strip());
    } else if (!type.equals("message")) {
      listener.junk();
    } else {
      message(data, length);
    }
    return !stopped;
  }

  private void message(byte[] data, int length) throws ProtocolException {
    Envelope message;
    try {
      message = Envelope.received(data, 0, length, limits);
    } catch (ProtocolException e) {
      strays.skip(data, length, e, channel.quirks(), InstantSource.system().millis());
      listener.junk();
      return;
    }
    if (!hasEndpoint) {
      end(HttpFailures.protocol(channel.endpoint() + " sent a message before the endpoint event"));
    } else if (resumed) {
      listener.message(message);
    } else {
      early.add(message);
    }
  }

  private void target(String location) {
    if (hasEndpoint) {
      listener.junk();
      return;
    }
    HttpEndpoint target = channel.endpoint().resolve(location);
    if (target == null || !channel.endpoint().sameOrigin(target)) {
      end(
          HttpFailures.protocol(
              "the endpoint event of "
                  + channel.endpoint()
                  + (target == null ? " is not a URL" : " leads to " + target.origin())
                  + ", which is refused: messages are posted to the origin of the stream only"));
      return;
    }
    hasEndpoint = true;
    if (response != null) {
      response.pause();
    }
    listener.endpoint(target);
  }

  /** Delivers messages from now on, first those that arrived together with the endpoint event. */
  void resume() {
    resumed = true;
    while (!stopped && !early.isEmpty()) {
      listener.message(early.remove());
    }
    if (stopped) {
      return;
    }
    if (earlyEnd != null) {
      end(earlyEnd);
    } else if (response != null) {
      response.resume();
    }
  }

  @Override
  public void retry(long millis) {
    // A session whose stream was cut cannot continue.
  }

  private void end(TransportException reason) {
    if (stopped) {
      return;
    }
    if (hasEndpoint && !resumed) {
      earlyEnd = earlyEnd == null ? reason : earlyEnd;
      return;
    }
    stop();
    listener.ended(reason);
  }

  /** Stops reading at once and frees the connection. */
  void stop() {
    if (!stopped) {
      stopped = true;
      parser.close();
      if (request != null) {
        request.reset();
      }
    }
  }
}
