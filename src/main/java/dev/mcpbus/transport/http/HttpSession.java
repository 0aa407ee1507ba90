package dev.mcpbus.transport.http;

import dev.mcpbus.internals.ByteBudget;
import dev.mcpbus.internals.HeldBytes;
import dev.mcpbus.internals.InternalContext;
import dev.mcpbus.protocol.Envelope;
import dev.mcpbus.protocol.ParseLimits;
import dev.mcpbus.protocol.ProtocolException;
import dev.mcpbus.protocol.Quirks;
import dev.mcpbus.transport.Channel;
import dev.mcpbus.transport.HttpOptions;
import dev.mcpbus.transport.OutboundMessage;
import dev.mcpbus.transport.TransportException;
import dev.mcpbus.transport.TransportException.Reached;
import dev.mcpbus.transport.TransportException.Reason;
import io.vertx.core.Future;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.RequestOptions;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One MCP session over HTTP: what the messages and streams of both transports share. Everything,
 * the connections included, is confined to the owner's event loop.
 */
abstract class HttpSession implements Channel {

  private static final long LINGER_MILLIS = 2_000;

  final InternalContext owner;
  final HttpDialer dialer;
  final HttpOptions options;
  final Receiver receiver;
  final SessionDoubts doubts;
  private final ConfiguredHeaders configured;
  private final @Nullable ConfiguredHeaders streams;
  private final @Nullable ChannelCredentials credentials;
  private final ByteBudget.ByteAccount received;
  private final Set<EventStream> lingering = new HashSet<>(4);
  private long lingerTimer = -1;
  private HttpEndpoint endpoint;
  private HttpEndpoint posts;
  private RequestOptions post;

  /** Whether the server has answered a request, behind the handshake, with a result. */
  boolean worked;

  boolean paused;
  boolean over;

  /** How many exchanges wait for credentials or a connection. */
  int waiting;

  long junk;

  HttpSession(
      InternalContext owner,
      HttpDialer dialer,
      HttpEndpoint endpoint,
      ConfiguredHeaders configured,
      @Nullable ChannelCredentials credentials,
      HttpOptions options,
      Receiver receiver) {
    this.owner = owner;
    this.doubts = new SessionDoubts(owner, this);
    this.received = ByteBudget.received(owner.context());
    this.dialer = dialer;
    this.endpoint = endpoint;
    this.posts = endpoint;
    this.post = endpoint.request(HttpMethod.POST);
    this.configured = configured;
    this.streams =
        options.streamHeaders().isEmpty() ? null : ConfiguredHeaders.of(options.streamHeaders());
    this.credentials = credentials;
    this.options = options;
    this.receiver = receiver;
  }

  void checkOpen() throws TransportException {
    if (over) {
      throw new TransportException(Reason.UPSTREAM_RESET, Reached.NO, "the channel is closed");
    }
  }

  /** Where the streams of the session are. */
  HttpEndpoint endpoint() {
    return endpoint;
  }

  /** Where messages are posted. */
  HttpEndpoint posts() {
    return posts;
  }

  /** The server has redirected within its origin; {@code to} holds for the life of the channel. */
  void streamsMoved(HttpEndpoint to) {
    endpoint = to;
  }

  void postsMoved(HttpEndpoint to) {
    posts = to;
    post = to.request(HttpMethod.POST);
  }

  /** Never throws: if the client is closed, the future fails. */
  Future<HttpClientRequest> request(HttpMethod method) {
    return dialer.request(method.equals(HttpMethod.POST) ? post : endpoint.request(method));
  }

  /**
   * Adds the headers of the session, and those of a message.
   *
   * @param message null for GET and DELETE
   */
  void headers(@Nullable OutboundMessage message, HttpClientRequest to) {
    // The response future reports a failure; without this handler Vert.x would log it, too.
    to.exceptionHandler(HttpConventions.IGNORE);
    configured.addTo(to);
  }

  /** Adds what is configured for the GET of a stream. */
  void streamHeaders(HttpClientRequest to) {
    if (streams != null) {
      streams.addTo(to);
    }
  }

  /**
   * Whether the server does not know the session that the options name, and the message is to be
   * sent again without one.
   */
  boolean startsAnew(HttpExchange refused, int status) {
    return false;
  }

  /** Null if the configured headers are all that requests need. */
  @Nullable ChannelCredentials credentials() {
    return credentials;
  }

  /** The messages of an event or of a body. */
  List<Envelope> messages(byte[] bytes, int offset, int length) throws ProtocolException {
    return List.of(Envelope.received(bytes, offset, length, limits()));
  }

  ParseLimits limits() {
    return options.limits();
  }

  Quirks quirks() {
    return receiver.quirks();
  }

  /** An account for an unfinished message of the server. */
  ByteBudget.ByteAccount received() {
    return received.another();
  }

  HeldBytes held(int maxBytes) {
    return new HeldBytes(maxBytes, ByteBudget.SMALL, received());
  }

  long after(long millis, Runnable action) {
    return owner.setTimer(Math.max(1, millis), id -> action.run());
  }

  void cancel(long timer) {
    if (timer >= 0) {
      owner.cancelTimer(timer);
    }
  }

  /**
   * After its reply a stream may end by itself within 2 to 4 s, so that its connection can be used
   * again; then it is cut. One timer serves all streams.
   */
  void linger(EventStream stream) {
    if (over) {
      stream.stop();
      return;
    }
    lingering.add(stream);
    if (lingerTimer < 0) {
      cutLater(Set.copyOf(lingering));
    }
  }

  void lingered(EventStream stream) {
    lingering.remove(stream);
  }

  private void cutLater(Set<EventStream> old) {
    lingerTimer =
        after(
            LINGER_MILLIS,
            () -> {
              lingerTimer = -1;
              old.stream().filter(lingering::remove).forEach(EventStream::stop);
              if (!lingering.isEmpty()) {
                cutLater(Set.copyOf(lingering));
              }
            });
  }

  void stopLingering() {
    cancel(lingerTimer);
    lingering.forEach(EventStream::stop);
    lingering.clear();
  }

  // The steps of an exchange in which the transports differ, in their order.

  /** Adds the headers of a POST; it is written next. */
  void prepare(HttpExchange exchange, HttpClientRequest created) {
    headers(exchange.message(), created);
  }

  /** The head of a response is there; may end the exchange, where the rest does not matter. */
  void answered(HttpExchange exchange, HttpClientResponse response) {
    dialer.answered(response);
  }

  /** Whether the response to a request holds its answer; otherwise it confirms the request only. */
  abstract boolean answersInResponse();

  /**
   * The server has accepted a message.
   *
   * @return why the response cannot be used, else null
   */
  abstract @Nullable TransportException accepted(
      HttpExchange exchange, HttpClientResponse response);

  /** Whether a stream that was cut can be resumed with {@code Last-Event-ID}. */
  boolean resumes() {
    return false;
  }

  /**
   * Whether the server may have lost what it knew: a session in which it has answered a request
   * with a result. Before that, an error is about the handshake.
   */
  boolean mayLoseSession() {
    return worked;
  }

  /**
   * Whether a refusal says without doubt that the server does not know the session.
   *
   * @param error the body, if it is an error
   * @param reply the error as the answer to the request; the same object if it names the request
   */
  abstract boolean saysLost(
      HttpExchange refused, int status, @Nullable Envelope error, @Nullable Envelope reply);

  void lost(HttpExchange refused) {
    refused.fail(HttpFailures.sessionLost());
    sessionLost();
  }

  /**
   * Whether another transport takes over a message that the server has refused.
   *
   * @param reply the JSON-RPC error with which it did; null for none
   */
  boolean takesOver(HttpExchange exchange, HttpClientResponse response, @Nullable Envelope reply) {
    return false;
  }

  TransportException refusal(
      HttpClientResponse response, HttpEndpoint from, @Nullable Envelope error) {
    return StatusFailures.of(response, from, error);
  }

  /** An exchange has ended in any way; its answer or failure follows. */
  abstract void ended(HttpExchange exchange);

  abstract void failed(OutboundMessage message, TransportException why);

  /**
   * @param request our id of the request on whose stream it came, or {@link
   *     Receiver#STANDING_STREAM}
   */
  void deliver(Envelope message, long request) {
    if (!over) {
      receiver.onMessage(message, request);
    }
  }

  /** Starts an exchange as a task of the owner. */
  void start(HttpExchange exchange) {
    owner.dispatch(exchange, HttpExchange::start);
  }

  /**
   * Sends a request of the channel itself.
   *
   * @param verdict gets the status and the text by which the server refuses it, null otherwise;
   *     called once, in a later task
   */
  abstract HttpExchange question(OutboundMessage message, Consumer<@Nullable String> verdict);

  /** The server no longer knows the session; the requests that say so have failed. */
  abstract void sessionLost();
}
