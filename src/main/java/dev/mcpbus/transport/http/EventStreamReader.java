package dev.mcpbus.transport.http;

import dev.mcpbus.protocol.Envelope;
import dev.mcpbus.protocol.ProtocolException;
import dev.mcpbus.transport.TransportException;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import org.jspecify.annotations.Nullable;

/**
 * Reads the messages of one event stream, which may span several connections one after the other.
 * Lives on the owner context of its channel.
 */
final class EventStreamReader implements SseParser.Sink {

  private static final CharSequence LAST_EVENT_ID = HttpHeaders.createOptimized("last-event-id");
  private static final CharSequence EVENT_STREAM = HttpHeaders.createOptimized("text/event-stream");

  /** Hears what becomes of the stream; nothing after {@link #stop()}. */
  interface Listener {

    /** A request for the stream, not yet sent. */
    default Future<HttpClientRequest> get(HttpChannel channel) {
      return channel.request(HttpMethod.GET);
    }

    /**
     * @param replayed whether it had been delivered before a cut
     * @return false where the rest of the stream is of no interest
     */
    boolean message(Envelope message, boolean replayed);

    /** The connection has ended; the stream may go on in another one. */
    void cut();

    /** A GET gave no stream. Final where a later one cannot give it either. */
    void unavailable(TransportException why, boolean isFinal);

    /** The server broke the rules or a bound; the connection was dropped. */
    void broken(TransportException why);
  }

  private final HttpChannel channel;
  private final Listener listener;
  private final RequestAuthorization authorization;
  private final StreamPosition position = new StreamPosition();
  private @Nullable SseParser parser;

  /** Null between two connections: it would keep all that Vert.x has about one that is closed. */
  private @Nullable HttpClientRequest request;

  private long timer = -1;
  private boolean stopped;
  private boolean finished;
  private boolean open;
  private int eventless;

  EventStreamReader(HttpChannel channel, Listener listener) {
    this.channel = channel;
    this.listener = listener;
    this.authorization = new RequestAuthorization(channel.credentials());
  }

  StreamPosition position() {
    return position;
  }

  /** Whether a connection delivers the stream at this moment. */
  boolean isOpen() {
    return open;
  }

  /** Counts attempts to reconnect since the last event. */
  int countAttempt() {
    return ++eventless;
  }

  /** Reads the body of a response that is known to be an event stream. */
  void read(HttpClientResponse response) {
    request = response.request();
    parser = new SseParser(channel.limits().maxBytes(), this);
    open = true;
    response.exceptionHandler(cause -> ended());
    response.endHandler(nothing -> ended());
    response.handler(this::feed);
  }

  /** Gets the stream, after the last event seen where there was one. */
  void reopenAfter(long millis) {
    timer =
        channel.after(
            millis,
            () -> {
              timer = -1;
              get();
            });
  }

  void get() {
    if (!stopped) {
      authorization.obtain(this::connect, this::unauthorized);
    }
  }

  private void unauthorized(TransportException why) {
    if (!stopped) {
      listener.unavailable(why, true);
    }
  }

  private void connect() {
    position.reconnected();
    listener
        .get(channel)
        .onComplete(
            (created, failure) -> {
              if (stopped) {
                if (created != null) {
                  HttpConventions.giveBack(created);
                }
              } else if (failure != null) {
                listener.unavailable(HttpFailures.connecting(failure, channel.endpoint()), false);
              } else {
                get(created);
              }
            });
  }

  private void get(HttpClientRequest created) {
    request = created;
    channel.headers(null, created);
    authorization.addTo(created);
    created.putHeader(HttpHeaders.ACCEPT, EVENT_STREAM);
    String lastId = position.lastId();
    if (lastId != null) {
      created.putHeader(LAST_EVENT_ID, lastId);
    }
    created
        .send()
        .onComplete(
            (response, failure) -> {
              if (stopped) {
                return;
              }
              request = null;
              if (failure != null) {
                listener.unavailable(HttpFailures.sent(failure, channel.endpoint()), false);
              } else if (response.statusCode() == 200
                  && HttpConventions.isPlain(response)
                  && HttpConventions.hasType(response, HttpConventions.EVENT_STREAM)) {
                authorization.accepted();
                read(response);
              } else if (authorization.mayRenew(response)) {
                authorization.renew(response, channel.endpoint(), this::get, this::unauthorized);
              } else {
                HttpConventions.drain(response);
                int status = response.statusCode();
                listener.unavailable(
                    StatusFailures.of(response, channel.endpoint(), null, channel.clock()),
                    status < 500 && status != 429);
              }
            });
  }

  /** Ends the reading at once. */
  void stop() {
    stopped = true;
    open = false;
    if (timer >= 0) {
      channel.cancel(timer);
      timer = -1;
    }
    reset();
  }

  private void reset() {
    HttpClientRequest current = request;
    request = null;
    if (current != null) {
      current.reset();
    }
  }

  private void feed(Buffer buffer) {
    SseParser current = parser;
    if (stopped || finished || current == null) {
      return;
    }
    try {
      if (!current.feed(buffer) && !stopped) {
        finished = true;
        channel.linger(this);
      }
    } catch (ProtocolException e) {
      if (!stopped) {
        open = false;
        parser = null;
        reset();
        listener.broken(HttpFailures.parsing(e));
      }
    }
  }

  private void ended() {
    parser = null;
    if (stopped || !open) {
      return;
    }
    request = null;
    open = false;
    if (finished) {
      channel.lingered(this);
    } else {
      listener.cut();
    }
  }

  @Override
  public boolean event(String type, byte[] data, int length, @Nullable String id)
      throws ProtocolException {
    boolean replayed = position.replayed(id);
    if (length == 0 || !type.equals("message")) {
      eventless = 0;
      return true;
    }
    Envelope message = Envelope.received(data, 0, length, channel.limits());
    eventless = 0;
    return listener.message(message, replayed) && !stopped;
  }

  @Override
  public void retry(long millis) {
    position.retry(millis);
  }
}
