package dev.mcpbus.transport.http;

import dev.mcpbus.protocol.Envelope;
import dev.mcpbus.protocol.ParseLimits;
import dev.mcpbus.protocol.ProtocolException;
import dev.mcpbus.protocol.ProtocolException.TextFault;
import dev.mcpbus.protocol.Quirk;
import dev.mcpbus.protocol.StrayLine;
import dev.mcpbus.transport.TransportException;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import java.time.InstantSource;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One event stream, which may continue over several connections, one after the other: its GETs with
 * their credentials, and the messages of its events. Confined to the owner context of its session.
 *
 * <p>Events that are no JSON-RPC and were not meant as such are skipped: keep-alives that a server
 * sends as data. At most 1,000 in 10 s, so that a stream of nothing else ends.
 */
final class EventStream implements SseParser.EventSink {

  private static final CharSequence LAST_EVENT_ID = HttpHeaders.createOptimized("last-event-id");
  private static final CharSequence ACCEPTED =
      HttpHeaders.createOptimized(HttpConventions.EVENT_STREAM);

  private static final int MOST_STRAYS = 1_000;
  private static final long STRAYS_MILLIS = 10_000;

  /** Receives the messages and the end of the stream; not called after {@link #stop()}. */
  interface StreamListener {

    /** The stream obtains credentials for its next GET. */
    default void authorizing() {}

    /** Creates a GET for the stream; does not send it. */
    Future<HttpClientRequest> get();

    /** A GET has opened the stream. */
    default void opened() {}

    /** A GET did not open the stream: the server has answered something else. */
    void refused(HttpClientResponse response);

    /**
     * A GET did not open the stream.
     *
     * @param isFinal true if a later GET cannot open it either
     */
    void failed(TransportException why, boolean isFinal);

    /**
     * One message of the stream.
     *
     * @param replayed whether the server had delivered it before the stream was cut
     * @return false to ignore the rest of the stream
     */
    boolean message(Envelope message, boolean replayed);

    /** Data of a {@code message} event that is no message. */
    default void stray(byte[] data, int length) {}

    /** An event of another type. */
    default void other(String type, byte[] data, int length) {}

    /**
     * The connection has ended; the stream may continue in another connection.
     *
     * @param cause null if the server has ended the response
     */
    void cut(@Nullable Throwable cause);

    /** The server violated the protocol or exceeded a bound; the connection is dropped. */
    void broken(TransportException why);
  }

  private final HttpSession session;
  private final StreamListener listener;
  private final RequestAuthorization authorization;
  private final StreamPosition position = new StreamPosition();
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
  private long straysSince;
  private int strays;

  EventStream(HttpSession session, StreamListener listener) {
    this.session = session;
    this.listener = listener;
    this.authorization = new RequestAuthorization(session.credentials());
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

  /** Counts one attempt to reconnect and returns the number of attempts since the last event. */
  int countAttempt() {
    return ++eventless;
  }

  /** Opens the stream again after a delay; it continues after the last event, if there was one. */
  void reopenAfter(long millis) {
    timer =
        session.after(
            millis,
            () -> {
              timer = -1;
              get();
            });
  }

  void get() {
    suspended = false;
    if (!stopped) {
      listener.authorizing();
      authorization.obtain(HttpMethod.GET, session.endpoint(), this::connect, this::unauthorized);
    }
  }

  private void unauthorized(TransportException why) {
    if (!stopped) {
      listener.failed(why, true);
    }
  }

  private void connect() {
    if (stopped) {
      return;
    }
    position.reconnected();
    listener
        .get()
        .onComplete(
            (created, failure) -> {
              if (stopped || suspended) {
                HttpConventions.giveBack(created);
              } else if (failure != null) {
                listener.failed(HttpFailures.connecting(failure, session.endpoint()), false);
              } else {
                send(created);
              }
            });
  }

  private void send(HttpClientRequest created) {
    request = created;
    session.headers(null, created);
    session.streamHeaders(created);
    authorization.addTo(created);
    created.putHeader(HttpHeaders.ACCEPT, ACCEPTED);
    String lastId = position.lastId();
    if (lastId != null) {
      created.putHeader(LAST_EVENT_ID, lastId);
    }
    created
        .send()
        .onComplete(
            (answer, failure) -> {
              if (stopped || request != created) {
                return;
              }
              request = null;
              if (failure != null) {
                listener.failed(HttpFailures.sent(failure, session.endpoint()), false);
              } else {
                head(answer);
              }
            });
  }

  private void head(HttpClientResponse answer) {
    authorization.received(answer);
    if (answer.statusCode() == 200
        && HttpConventions.isPlain(answer)
        && HttpConventions.hasType(answer, HttpConventions.EVENT_STREAM)) {
      authorization.accepted();
      read(answer);
      listener.opened();
      return;
    }
    boolean renews = authorization.mayRenew(answer);
    HttpConventions.drain(answer);
    if (renews) {
      listener.authorizing();
      authorization.renew(answer, session.endpoint(), this::get, this::unauthorized);
    } else {
      listener.refused(answer);
    }
  }

  /** Reads the body of a response that is an event stream. */
  void read(HttpClientResponse opened) {
    request = opened.request();
    response = opened;
    release();
    parser = new SseParser(session.limits().maxBytes(), session.received(), this);
    open = true;
    opened.exceptionHandler(this::ended);
    opened.endHandler(nothing -> ended(null));
    opened.handler(this::feed);
    if (session.paused) {
      opened.pause();
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
        session.linger(this);
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

  @Override
  public boolean event(String type, byte[] data, int length, @Nullable String id)
      throws ProtocolException {
    boolean replayed = position.replayed(id);
    if (length == 0 || !type.equals("message")) {
      eventless = 0;
      if (length > 0) {
        listener.other(type, data, length);
      }
      return !stopped;
    }
    List<Envelope> messages;
    try {
      messages = session.messages(data, 0, length);
    } catch (ProtocolException e) {
      listener.stray(data, length);
      skip(data, length, e);
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

  /** Throws what was meant as a message, and what a server is not allowed that is told so. */
  private void skip(byte[] data, int length, ProtocolException fault) throws ProtocolException {
    if (StrayLine.isMeant(data, 0, length, ParseLimits.DEFAULT)
        || !session.quirks().tolerates(Quirk.STRAY_EVENTS)) {
      throw fault;
    }
    long now = InstantSource.system().millis();
    if (now - straysSince >= STRAYS_MILLIS) {
      straysSince = now;
      strays = 0;
    }
    if (++strays > MOST_STRAYS) {
      throw new ProtocolException(
          TextFault.NOT_JSON_RPC,
          0,
          "more than "
              + MOST_STRAYS
              + " events in "
              + STRAYS_MILLIS / 1_000
              + " s are no JSON-RPC");
    }
    session.junk++;
  }

  @Override
  public void retry(long millis) {
    position.retry(millis);
  }

  private void ended(@Nullable Throwable cause) {
    release();
    response = null;
    if (stopped || !open) {
      return;
    }
    request = null;
    open = false;
    if (finished) {
      session.lingered(this);
    } else {
      listener.cut(cause);
    }
  }

  /** Stops reading, or goes on with it. */
  void hold(boolean paused) {
    if (response != null) {
      HttpConventions.hold(response, paused);
    }
  }

  /** Closes the connection without a call of the listener; {@link #get()} goes on later. */
  void suspend() {
    suspended = true;
    response = null;
    close();
  }

  /** Stops reading at once. */
  void stop() {
    stopped = true;
    close();
  }

  private void close() {
    open = false;
    release();
    session.cancel(timer);
    timer = -1;
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
}
