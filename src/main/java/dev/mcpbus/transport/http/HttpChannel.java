package dev.mcpbus.transport.http;

import dev.mcpbus.internals.InternalContext;
import dev.mcpbus.protocol.Envelope;
import dev.mcpbus.protocol.Era;
import dev.mcpbus.protocol.McpHeaders;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.ProtocolException;
import dev.mcpbus.protocol.ProtocolVersion;
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
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One MCP session over Streamable HTTP: each message is a {@link HttpExchange}, messages of the
 * server outside a request come on the {@link GetStream}. Confined to the owner's event loop.
 */
final class HttpChannel extends HttpSession {

  private static final Logger LOG = LoggerFactory.getLogger(HttpChannel.class);

  private static final int MAX_WAITING = 1_024;
  private static final long LOST_GRACE_MILLIS = 5_000;
  private static final long MAX_END_MILLIS = 2_000;

  private final Map<Long, HttpExchange> requests = new HashMap<>();
  private final Set<HttpExchange> others = new HashSet<>(4);
  private final InitializedBarrier barrier;
  private final GetStream getStream;
  private @Nullable CharSequence sessionId;
  private @Nullable CharSequence negotiated;
  private boolean batches;

  /**
   * Whether the era has sessions: then the server offers a GET stream, and a stream that was cut
   * can be resumed with {@code Last-Event-ID}. 2026-07-28 has none of it.
   */
  private boolean sessions = true;

  private @Nullable Promise<Void> closing;
  private @Nullable RefusedMessage refusal;

  /** Those that named the session of the options; null where it names none, or has another now. */
  private @Nullable Set<HttpExchange> withGiven;

  private final Runnable givenIsUnknown;
  private boolean lost;
  private long lostTimer = -1;

  HttpChannel(
      InternalContext owner,
      HttpDialer dialer,
      HttpEndpoint endpoint,
      ConfiguredHeaders configured,
      @Nullable ChannelCredentials credentials,
      HttpOptions options,
      Runnable givenIsUnknown,
      Receiver receiver) {
    super(owner, dialer, endpoint, configured, credentials, options, receiver);
    this.givenIsUnknown = givenIsUnknown;
    if (options.sessionId() != null) {
      sessionId = HttpHeaders.createOptimized(options.sessionId().reveal());
      withGiven = new HashSet<>(4);
    }
    this.barrier = new InitializedBarrier(this);
    this.getStream = new GetStream(this, new GetStreamMemory(owner.vertx()));
  }

  @Override
  public void send(OutboundMessage message) throws TransportException {
    checkOpen();
    if (lost) {
      throw HttpFailures.sessionLost();
    }
    if (waiting + barrier.waiting() >= MAX_WAITING) {
      throw new TransportException(
          Reason.OVERLOADED,
          Reached.NO,
          MAX_WAITING + " requests wait for one of " + options.maxConnections() + " connections");
    }
    HttpExchange exchange = new HttpExchange(this, message, null);
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
    HttpExchange exchange = requests.get(id);
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
  @Override
  List<Envelope> messages(byte[] bytes, int offset, int length) throws ProtocolException {
    return batches && Envelope.isBatch(bytes, offset, length)
        ? Envelope.batch(bytes, offset, length, limits(), false)
        : super.messages(bytes, offset, length);
  }

  /** The GET stream opens with the first message that the server accepts after this call. */
  @Override
  public void negotiated(String protocolVersion) {
    negotiated = HttpHeaders.createOptimized(protocolVersion);
    batches = ProtocolVersion.hasBatches(protocolVersion);
    sessions =
        ProtocolVersion.ofWire(protocolVersion)
            .filter(version -> version.era() == Era.DISCOVER)
            .isEmpty();
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

  /** Stops everything; the receiver is not called any more. */
  private void abandon() {
    over = true;
    cancel(lostTimer);
    barrier.stop();
    getStream.stop();
    doubts.stop();
    new ArrayList<>(requests.values()).forEach(HttpExchange::abort);
    List.copyOf(others).forEach(HttpExchange::abort);
    stopLingering();
  }

  /**
   * Ends the session at its server: one DELETE, and at most 2 s for its answer. Never fails: a
   * server that does not answer ends the session by itself.
   */
  private Future<Void> endSession() {
    if (sessionId == null || lost || withGiven != null) { // one that was given may go on elsewhere
      return owner.succeededFuture();
    }
    Promise<Void> done = owner.promise();
    long timer = after(MAX_END_MILLIS, done::tryComplete);
    RequestAuthorization authorization = new RequestAuthorization(credentials());
    authorization.obtain(
        HttpMethod.DELETE,
        endpoint(),
        () ->
            request(HttpMethod.DELETE)
                .compose(
                    request -> {
                      headers(null, request);
                      authorization.addTo(request);
                      return request.send().compose(HttpClientResponse::end);
                    })
                .onComplete((nothing, failure) -> done.tryComplete()),
        why -> done.tryComplete());
    return done.future().onComplete(ended -> cancel(timer));
  }

  @Override
  public JsonObject diagnostics() {
    long open = requests.values().stream().filter(HttpExchange::isStreaming).count();
    boolean listening = getStream.isOpen();
    boolean hasPosition =
        getStream.hasPosition() || requests.values().stream().anyMatch(HttpExchange::hasPosition);
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

  /** Takes a message that the server has refused. */
  @FunctionalInterface
  interface RefusedMessage {

    /**
     * @param reply the JSON-RPC error with which it did; null for none
     * @return true where the receiver is not to be notified of the message
     */
    boolean takes(OutboundMessage message, HttpClientResponse response, @Nullable Envelope reply);
  }

  /** Until the server accepts a message, {@code handler} sees each message that it refuses. */
  void onRefusal(RefusedMessage handler) {
    refusal = handler;
  }

  // What exchanges and streams of this transport do in their own way.

  @Override
  boolean resumes() {
    return sessions;
  }

  @Override
  boolean mayLoseSession() {
    return worked && sessions;
  }

  @Override
  boolean answersInResponse() {
    return true;
  }

  @Override
  HttpExchange question(OutboundMessage message, Consumer<@Nullable String> verdict) {
    HttpExchange exchange = new HttpExchange(this, message, verdict);
    others.add(exchange);
    start(exchange);
    return exchange;
  }

  /** Creates a GET for a stream that may stay open. Never throws, like {@link #request}. */
  Future<HttpClientRequest> streamRequest() {
    return dialer.stream(endpoint().request(HttpMethod.GET));
  }

  @Override
  void headers(@Nullable OutboundMessage message, HttpClientRequest to) {
    super.headers(message, to);
    if (sessionId != null) {
      to.putHeader(McpHeaders.SESSION_ID, sessionId);
    }
    if (negotiated != null) {
      to.putHeader(McpHeaders.PROTOCOL_VERSION, negotiated);
    }
    if (message != null) {
      for (OutboundMessage.MessageHeader header : message.headers()) {
        to.putHeader(header.name(), header.value());
      }
    }
  }

  @Override
  void postsMoved(HttpEndpoint to) {
    super.postsMoved(to);
    streamsMoved(to);
  }

  @Override
  void prepare(HttpExchange exchange, HttpClientRequest created) {
    super.prepare(exchange, created);
    created.putHeader(HttpHeaders.ACCEPT, HttpConventions.POST_ACCEPTS);
    if (withGiven != null && sessionId != null) {
      withGiven.add(exchange);
    }
    getStream.posted(exchange);
  }

  @Override
  void answered(HttpExchange exchange, HttpClientResponse response) {
    super.answered(exchange, response);
    getStream.answered(exchange, response.statusCode());
  }

  @Override
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

  @Override
  @Nullable TransportException accepted(HttpExchange exchange, HttpClientResponse response) {
    refusal = null;
    if (Methods.INITIALIZE.equals(exchange.message().method())) {
      String id = response.getHeader(McpHeaders.SESSION_ID);
      if (id != null) {
        if (!HttpConventions.isSessionId(id)) {
          return HttpFailures.protocol("Mcp-Session-Id must be 1 to 4096 visible ASCII characters");
        }
        sessionId = HttpHeaders.createOptimized(id);
        withGiven = null;
      }
    }
    if (negotiated != null && options.listen() && sessions && !lost && !over) {
      getStream.open();
    }
    return null;
  }

  @Override
  boolean saysLost(
      HttpExchange refused, int status, @Nullable Envelope error, @Nullable Envelope reply) {
    boolean named = reply != null && reply == error;
    return sessionId != null && ReplyMatch.saysUnknown(status, error, named, !mayLoseSession());
  }

  @Override
  boolean startsAnew(HttpExchange refused, int status) {
    if (status != 404 || withGiven == null || !withGiven.remove(refused) || refusal == null) {
      return false;
    }
    sessionId = null;
    givenIsUnknown.run();
    return true;
  }

  @Override
  boolean takesOver(HttpExchange exchange, HttpClientResponse response, @Nullable Envelope reply) {
    boolean taken = !over && refusal != null && refusal.takes(exchange.message(), response, reply);
    if (taken) {
      exchange.abort();
    }
    return taken;
  }

  /** Runs once, even if several requests detect it; calls in flight have a grace period. */
  @Override
  void sessionLost() {
    if (lost || over) {
      return;
    }
    lost = true;
    if (withGiven != null) {
      givenIsUnknown.run();
    }
    getStream.stop();
    lostTimer = after(LOST_GRACE_MILLIS, this::closedByServer);
    closeIfIdle();
  }

  @Override
  void ended(HttpExchange exchange) {
    getStream.gone(exchange);
    others.remove(exchange);
    if (withGiven != null) {
      withGiven.remove(exchange);
    }
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
}
