package dev.mcpbus.transport.http;

import dev.mcpbus.internals.ByteBudget;
import dev.mcpbus.internals.HeldBytes;
import dev.mcpbus.internals.InternalContext;
import dev.mcpbus.protocol.Envelope;
import dev.mcpbus.protocol.McpHeaders;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.ParseLimits;
import dev.mcpbus.protocol.ProtocolException;
import dev.mcpbus.protocol.ProtocolVersion;
import dev.mcpbus.protocol.Quirks;
import dev.mcpbus.transport.Channel;
import dev.mcpbus.transport.HttpOptions;
import dev.mcpbus.transport.OutboundMessage;
import dev.mcpbus.transport.TransportException;
import dev.mcpbus.transport.TransportException.Reached;
import dev.mcpbus.transport.TransportException.Reason;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.json.JsonObject;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiPredicate;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One MCP session over Streamable HTTP: each message is a {@link PostExchange}, messages of the
 * server outside a request come on the {@link StandaloneStream}. Everything, the connections
 * included, is confined to the owner's event loop.
 */
final class HttpChannel implements Channel, SessionDoubts.DoubtedChannel {

  private static final Logger LOG = LoggerFactory.getLogger(HttpChannel.class);

  private static final int MAX_WAITING = 1_024;
  private static final long LOST_GRACE_MILLIS = 5_000;

  private final InternalContext owner;
  private final ByteBudget.ByteAccount received;
  private final HttpDialer dialer;
  private final ConfiguredHeaders configured;
  private final @Nullable ChannelCredentials credentials;
  private final HttpOptions options;
  private final Receiver receiver;
  private final Map<Long, PostExchange> requests = new HashMap<>();
  private final Set<PostExchange> others = new HashSet<>(4);
  private final InitializedBarrier barrier;
  private final LingeringStreams lingering = new LingeringStreams(this);
  private final SessionDoubts doubts;
  private final GetStream getStream;
  private HttpEndpoint endpoint;
  private RequestOptions post;
  private @Nullable CharSequence sessionId;
  private @Nullable CharSequence negotiated;
  private boolean batches;
  private HttpEra era = HttpEra.INITIALIZE;
  private @Nullable Promise<Void> closing;
  private @Nullable BiPredicate<OutboundMessage, HttpClientResponse> refusal;
  private boolean paused;
  private boolean worked;
  private boolean lost;
  private boolean over;
  private long lostTimer = -1;
  private int waiting;
  private long junk;

  HttpChannel(
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
    this.barrier =
        new InitializedBarrier(this, exchange -> owner.dispatch(exchange, PostExchange::start));
    this.getStream = new GetStream(this, new GetStreamMemory(owner.vertx()));
    this.dialer = dialer;
    this.endpoint = endpoint;
    this.post = endpoint.request(HttpMethod.POST);
    this.configured = configured;
    this.credentials = credentials;
    this.options = options;
    this.receiver = receiver;
  }

  @Override
  public void send(OutboundMessage message) throws TransportException {
    if (over) {
      throw new TransportException(Reason.UPSTREAM_RESET, Reached.NO, "the channel is closed");
    }
    if (lost) {
      throw HttpFailures.sessionLost();
    }
    if (waiting + barrier.waiting() >= MAX_WAITING) {
      throw new TransportException(
          Reason.OVERLOADED,
          Reached.NO,
          MAX_WAITING + " requests wait for one of " + options.maxConnections() + " connections");
    }
    PostExchange exchange = new PostExchange(this, message, null);
    if (exchange.isRequest()) {
      requests.put(message.id(), exchange);
    } else {
      others.add(exchange);
    }
    if (Methods.INITIALIZED.equals(message.method())) {
      barrier.passAlone(exchange);
    } else {
      barrier.pass(exchange);
    }
  }

  @Override
  public void forget(long id) {
    PostExchange exchange = requests.get(id);
    if (exchange != null) {
      exchange.abort();
    }
  }

  @Override
  public boolean hasRequestStreams() {
    return true;
  }

  @Override
  public void hold(boolean pause) {
    paused = pause;
    List.copyOf(requests.values()).forEach(exchange -> exchange.hold(pause));
    getStream.hold(pause);
  }

  /**
   * The messages of a body or of an event: one, or those of a batch where the version has batches.
   */
  List<Envelope> messages(byte[] bytes, int offset, int length) throws ProtocolException {
    return batches && Envelope.isBatch(bytes, offset, length)
        ? Envelope.batch(bytes, offset, length, limits(), false)
        : List.of(Envelope.received(bytes, offset, length, limits()));
  }

  /** The GET stream opens with the first message that the server accepts after this call. */
  @Override
  public void negotiated(String protocolVersion) {
    negotiated = HttpHeaders.createOptimized(protocolVersion);
    batches = ProtocolVersion.hasBatches(protocolVersion);
    era = HttpEra.of(protocolVersion);
  }

  @Override
  public Future<Void> close() {
    Promise<Void> pending = closing;
    if (pending == null) {
      pending = owner.promise();
      closing = pending;
      Promise<Void> closed = pending;
      abandon();
      endSession().onComplete((nothing, failure) -> dialer.close().onComplete(closed));
    }
    return pending.future();
  }

  /** An account for an unfinished message of the server. */
  ByteBudget.ByteAccount received() {
    return received.another();
  }

  HeldBytes held(int maxBytes) {
    return new HeldBytes(maxBytes, ByteBudget.SMALL, received());
  }

  /** Stops everything; the receiver is not called any more. */
  private void abandon() {
    over = true;
    cancel(lostTimer);
    barrier.stop();
    getStream.stop();
    doubts.stop();
    new ArrayList<>(requests.values()).forEach(PostExchange::abort);
    List.copyOf(others).forEach(PostExchange::abort);
    lingering.stop();
  }

  private Future<Void> endSession() {
    return sessionId == null || lost
        ? owner.succeededFuture()
        : new SessionEnd(this, configured).run(owner);
  }

  @Override
  public JsonObject diagnostics() {
    long open = requests.values().stream().filter(PostExchange::isStreaming).count();
    boolean listening = getStream.isOpen();
    boolean hasPosition =
        getStream.hasPosition() || requests.values().stream().anyMatch(PostExchange::hasPosition);
    JsonObject facts = new JsonObject();
    if (sessionId != null) {
      facts.put("sessionId", sessionId.toString());
    }
    if (getStream.off() != null) {
      facts.put("getStream", "off: " + getStream.off());
    }
    return facts
        .put("openStreams", open + (listening ? 1 : 0))
        .put("listening", listening)
        .put("lastEventId", hasPosition)
        .put("inFlight", requests.size())
        .put("junk", junk);
  }

  /**
   * Sets a handler for refused messages. Until the server accepts a message, {@code handler} sees
   * each message that the server refuses without a JSON-RPC error. If it returns true, the receiver
   * is not notified of that message.
   */
  void onRefusal(BiPredicate<OutboundMessage, HttpClientResponse> handler) {
    refusal = handler;
  }

  // Package-private methods for the exchanges and streams of this channel.

  GetStream getStream() {
    return getStream;
  }

  HttpEra era() {
    return era;
  }

  boolean isPaused() {
    return paused;
  }

  ParseLimits limits() {
    return options.limits();
  }

  HttpEndpoint endpoint() {
    return endpoint;
  }

  /** Null if the configured headers are all that requests need. */
  @Nullable ChannelCredentials credentials() {
    return credentials;
  }

  InstantSource clock() {
    return InstantSource.system();
  }

  boolean hasSession() {
    return sessionId != null;
  }

  /**
   * Whether the server may have lost what it knew: a session in which it has answered a request
   * with a result. Before that, an error is about the handshake.
   */
  boolean mayLoseSession() {
    return worked && era.resumes();
  }

  SessionDoubts doubts() {
    return doubts;
  }

  @Override
  public Quirks quirks() {
    return receiver.quirks();
  }

  @Override
  public Runnable question(OutboundMessage message, Consumer<@Nullable String> verdict) {
    PostExchange exchange = new PostExchange(this, message, verdict);
    others.add(exchange);
    owner.dispatch(exchange, PostExchange::start);
    return exchange::abort;
  }

  /** Never throws: if the client is closed, the future fails. */
  Future<HttpClientRequest> request(HttpMethod method) {
    return dialer.request(method.equals(HttpMethod.POST) ? post : endpoint.request(method));
  }

  /** Creates a GET for a stream that may stay open. Never throws, like {@link #request}. */
  Future<HttpClientRequest> streamRequest() {
    return dialer.stream(endpoint.request(HttpMethod.GET));
  }

  /** The server has answered a POST. */
  void answered(HttpClientResponse response) {
    dialer.answered(response);
  }

  /** Adds the configured headers and the headers of the session. */
  void headers(@Nullable OutboundMessage message, HttpClientRequest to) {
    // The response future reports a failure; without this handler Vert.x would log it, too.
    to.exceptionHandler(HttpConventions.IGNORE);
    configured.addTo(to);
    if (sessionId != null) {
      to.putHeader(McpHeaders.SESSION_ID, sessionId);
    }
    era().headers(message, negotiated, to);
  }

  boolean isAwaited(long request) {
    return receiver.isAwaited(request);
  }

  long after(long millis, Runnable action) {
    return owner.setTimer(Math.max(1, millis), id -> action.run());
  }

  void cancel(long timer) {
    if (timer >= 0) {
      owner.cancelTimer(timer);
    }
  }

  void waiting(int change) {
    waiting += change;
  }

  /** The server redirected within its origin; {@code to} holds for the life of the channel. */
  void moved(HttpEndpoint to) {
    endpoint = to;
    post = to.request(HttpMethod.POST);
  }

  void countJunk() {
    junk++;
  }

  /**
   * @param request our id of the request on whose stream it came, or {@link
   *     Receiver#STANDING_STREAM}
   */
  void deliver(Envelope message, long request) {
    if (!over) {
      receiver.onMessage(message, request);
    }
  }

  /** The server has answered a request of the owner. */
  void answered(OutboundMessage to, Envelope reply) {
    worked |= reply.kind() == Envelope.Kind.RESULT && !Methods.INITIALIZE.equals(to.method());
  }

  void failed(OutboundMessage message, TransportException why) {
    if (over) {
      return;
    }
    if (message.kind() == Envelope.Kind.REQUEST) {
      receiver.onRequestFailed(message.id(), why);
    } else {
      LOG.debug("{} was not delivered: {}", message.kind(), why.getMessage());
    }
  }

  /**
   * The server has accepted a message.
   *
   * @return why the response cannot be used, else null
   */
  @Nullable TransportException accepted(OutboundMessage message, HttpClientResponse response) {
    refusal = null;
    if (Methods.INITIALIZE.equals(message.method())) {
      String id = response.getHeader(McpHeaders.SESSION_ID);
      if (id != null) {
        if (!HttpConventions.isSessionId(id)) {
          return HttpFailures.protocol("Mcp-Session-Id must be 1 to 4096 visible ASCII characters");
        }
        sessionId = HttpHeaders.createOptimized(id);
      }
    }
    if (negotiated != null && options.listen() && era().listens() && !lost && !over) {
      getStream.open();
    }
    return null;
  }

  boolean takenOver(PostExchange exchange, HttpClientResponse response) {
    boolean taken = !over && refusal != null && refusal.test(exchange.message(), response);
    if (taken) {
      exchange.abort();
    }
    return taken;
  }

  /** Runs once, even if several requests detect it; calls in flight have a grace period. */
  @Override
  public void sessionLost() {
    if (lost || over) {
      return;
    }
    lost = true;
    getStream.stop();
    lostTimer = after(LOST_GRACE_MILLIS, this::closedByServer);
    closeIfIdle();
  }

  void ended(PostExchange exchange) {
    getStream.gone(exchange);
    others.remove(exchange);
    if (exchange.isRequest()) {
      requests.remove(exchange.message().id(), exchange);
    } else {
      if (barrier.waitsFor(exchange) && !over) {
        // In a later task, when the pool can use the connection of this exchange again.
        owner.run(() -> barrier.open());
      }
      if (!over) {
        receiver.onDelivered(exchange.message());
      }
    }
    if (lost && !over && requests.isEmpty()) {
      // In a later task: the reply that ended the exchange has to be delivered first.
      owner.run(() -> closeIfIdle());
    }
  }

  private void closeIfIdle() {
    if (lost && requests.isEmpty()) {
      closedByServer();
    }
  }

  private void closedByServer() {
    if (!over) {
      TransportException why =
          requests.isEmpty() ? HttpFailures.sessionLost() : HttpFailures.lostInFlight();
      abandon();
      receiver.onClosed(why);
    }
  }

  /** After its reply a stream may end by itself, so that its connection can be used again. */
  void linger(EventStreamReader reader) {
    if (over) {
      reader.stop();
    } else {
      lingering.add(reader);
    }
  }

  void lingered(EventStreamReader reader) {
    lingering.remove(reader);
  }
}
