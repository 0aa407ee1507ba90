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
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads the messages of one event stream, which may continue over several connections, one after
 * the other. Confined to the owner context of its channel.
 */
final class EventStreamReader implements SseParser.EventSink {

  private static final CharSequence LAST_EVENT_ID = HttpHeaders.createOptimized("last-event-id");
  private static final CharSequence EVENT_STREAM = HttpHeaders.createOptimized("text/event-stream");

  /** Receives the messages and the end of the stream; not called after {@link #stop()}. */
  interface StreamListener {

    /** Creates the request for the stream; does not send it. */
    default Future<HttpClientRequest> get(HttpChannel channel) {
      return channel.request(HttpMethod.GET);
    }

    /**
     * One message of the stream.
     *
     * @param replayed whether the server had delivered it before the stream was cut
     * @return false to ignore the rest of the stream
     */
    boolean message(Envelope message, boolean replayed);

    /** Data that is no message; the stream goes on, unless it was meant as one. */
    default void stray(byte[] data, int length) {}

    /** The connection has ended; the stream may continue in another connection. */
    void cut();

    /** A GET has opened the stream. */
    default void opened() {}

    /**
     * The server has refused a GET with this status.
     *
     * @return true if a later GET may open the stream, where the status alone says that none can
     */
    default boolean refused(int status) {
      return false;
    }

    /**
     * A GET did not open the stream.
     *
     * @param isFinal true if a later GET cannot open it either
     */
    void unavailable(TransportException why, boolean isFinal);

    /**
     * The server violated the protocol or exceeded a bound; the reader has dropped the connection.
     */
    void broken(TransportException why);
  }

  private final HttpChannel channel;
  private final StreamListener listener;
  private final RequestAuthorization authorization;
  private final StreamPosition position = new StreamPosition();
  private final StrayEvents strays = new StrayEvents();
  private @Nullable SseParser parser;

  /**
   * Null between two connections: a request of a closed connection would keep all objects of that
   * connection in memory.
   */
  private @Nullable HttpClientRequest request;

  private @Nullable HttpClientResponse response;
  private long timer = -1;
  private boolean stopped;
  private boolean suspended;
  private boolean finished;
  private boolean open;
  private int eventless;

  EventStreamReader(HttpChannel channel, StreamListener listener) {
    this.channel = channel;
    this.listener = listener;
    this.authorization = new RequestAuthorization(channel.credentials());
  }

  StreamPosition position() {
    return position;
  }

  /** Whether a connection delivers the stream now. */
  boolean isOpen() {
    return open;
  }

  /** Whether a GET is on its way, or its answer is being read. */
  boolean isAsked() {
    return request != null;
  }

  /** Closes the connection without a call of the listener; {@link #get()} goes on later. */
  void suspend() {
    suspended = true;
    open = false;
    release();
    response = null;
    if (timer >= 0) {
      channel.cancel(timer);
      timer = -1;
    }
    reset();
  }

  /** Counts one attempt to reconnect and returns the number of attempts since the last event. */
  int countAttempt() {
    return ++eventless;
  }

  /** Reads the body of a response that is an event stream. */
  void read(HttpClientResponse opened) {
    request = opened.request();
    response = opened;
    release();
    parser = new SseParser(channel.limits().maxBytes(), channel.received(), this);
    open = true;
    opened.exceptionHandler(cause -> ended());
    opened.endHandler(nothing -> ended());
    opened.handler(this::feed);
    if (channel.isPaused()) {
      opened.pause();
    }
  }

  /** Stops reading, or goes on with it. */
  void hold(boolean paused) {
    if (response != null) {
      HttpConventions.hold(response, paused);
    }
  }

  /** Opens the stream again after a delay; it continues after the last event, if there was one. */
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
    suspended = false;
    if (!stopped) {
      authorization.obtain(HttpMethod.GET, channel.endpoint(), this::connect, this::unauthorized);
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
              if (stopped || suspended) {
                HttpConventions.giveBack(created);
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
              if (stopped || request != created) {
                return;
              }
              request = null;
              if (failure != null) {
                listener.unavailable(HttpFailures.sent(failure, channel.endpoint()), false);
                return;
              }
              authorization.received(response);
              if (response.statusCode() == 200
                  && HttpConventions.isPlain(response)
                  && HttpConventions.hasType(response, HttpConventions.EVENT_STREAM)) {
                authorization.accepted();
                read(response);
                listener.opened();
              } else if (authorization.mayRenew(response)) {
                HttpConventions.drain(response);
                authorization.renew(response, channel.endpoint(), this::get, this::unauthorized);
              } else {
                HttpConventions.drain(response);
                int status = response.statusCode();
                boolean mayOpenLater = listener.refused(status) || status >= 500 || status == 429;
                listener.unavailable(
                    StatusFailures.of(response, channel.endpoint(), null), !mayOpenLater);
              }
            });
  }

  /** Stops reading at once. */
  void stop() {
    stopped = true;
    open = false;
    release();
    if (timer >= 0) {
      channel.cancel(timer);
      timer = -1;
    }
    reset();
  }

  private void release() {
    SseParser current = parser;
    parser = null;
    if (current != null) {
      current.close();
    }
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
        release();
        channel.linger(this);
      }
    } catch (ProtocolException e) {
      if (!stopped) {
        open = false;
        release();
        reset();
        listener.broken(HttpFailures.parsing(e));
      }
    }
  }

  private void ended() {
    release();
    response = null;
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
      if (type.equals("error")) {
        listener.stray(data, length);
      }
      return true;
    }
    List<Envelope> messages;
    try {
      messages = channel.messages(data, 0, length);
    } catch (ProtocolException e) {
      listener.stray(data, length);
      strays.skip(data, length, e, channel.quirks(), channel.clock().millis());
      channel.countJunk();
      return true;
    }
    eventless = 0;
    for (Envelope message : messages) {
      if (!listener.message(message, replayed) || stopped) {
        return false;
      }
    }
    return true;
  }

  @Override
  public void retry(long millis) {
    position.retry(millis);
  }
}
