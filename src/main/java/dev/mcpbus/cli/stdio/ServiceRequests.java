package dev.mcpbus.cli.stdio;

import dev.mcpbus.internals.InternalContext;
import dev.mcpbus.protocol.Envelope;
import dev.mcpbus.protocol.JsonRpcError;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.transport.Channel;
import dev.mcpbus.transport.OutboundMessage;
import dev.mcpbus.transport.OutboundMessage.MessageHeader;
import dev.mcpbus.transport.TransportException;
import dev.mcpbus.transport.TransportException.Reached;
import dev.mcpbus.transport.TransportException.Reason;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends messages to the service, and writes its answers, or an error, to stdout. A request of which
 * the service has certainly got nothing is sent again for some seconds; every other failure is an
 * error at once. Confined to the bridge's context.
 */
final class ServiceRequests {

  private static final Logger LOG = LoggerFactory.getLogger(ServiceRequests.class);

  /** A service that is started again mostly listens within this time. */
  static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(5);

  private static final long RETRY_MILLIS = 250;

  /** What the bridge does with a request. */
  interface RequestRoutes {

    /** Sends it again, on the channel that it needs now. */
    void again(BridgeRequest request);

    /** The service has refused it, because it does not know the session. */
    void sessionLost(BridgeRequest request);

    /** The client's {@code initialize} has ended. */
    void begun(@Nullable Envelope answer);

    /** Less is in flight than before. */
    void room();
  }

  private final InternalContext owner;
  private final BridgeErrors errors;
  private final StdoutWriter out;
  private final LongSupplier clock;
  private final RequestRoutes routes;
  private final InFlight inFlight = new InFlight();
  private final RequestMetadata metadata = new RequestMetadata();

  /** Tells the client of this process from others of the same name and principal. */
  private final RawJson client = RawJson.string("stdio-" + UUID.randomUUID());

  private boolean ending;
  private long keys;

  /**
   * @param clock monotonic nanoseconds
   */
  ServiceRequests(
      InternalContext owner,
      BridgeErrors errors,
      StdoutWriter out,
      LongSupplier clock,
      RequestRoutes routes) {
    this.owner = owner;
    this.errors = errors;
    this.out = out;
    this.clock = clock;
    this.routes = routes;
  }

  InFlight inFlight() {
    return inFlight;
  }

  /** From now on nothing is sent again. */
  void ending() {
    ending = true;
  }

  /**
   * Takes a request of the client; a request with the same id must not be in flight.
   *
   * @return null if one is
   */
  @Nullable BridgeRequest add(Envelope message, RawJson id) {
    RawJson given = message.ambiguity() == null ? RequestMetadata.meta(message.params()) : null;
    RawJson meta = given == null ? null : RequestMetadata.named(given, client);
    RawJson text =
        meta == null || meta.equals(given)
            ? message.text()
            : message.text().with("params", message.params().with("_meta", meta));
    BridgeRequest request =
        new BridgeRequest(
            ++keys, BridgeRequest.copy(id), message.method(), BridgeRequest.copy(text), meta, null);
    return inFlight.add(request) ? request : null;
  }

  void send(Channel channel, BridgeRequest request) {
    request.channel = channel;
    request.sent = true;
    try {
      channel.send(request.outbound(headers(request)));
    } catch (TransportException e) {
      failed(request.key, e);
    }
  }

  private List<MessageHeader> headers(BridgeRequest request) {
    RawJson meta = request.meta;
    if (meta == null) {
      return List.of();
    }
    RawJson params = request.text.member("params");
    return metadata.headers(request.method, params == null ? RawJson.EMPTY_OBJECT : params, meta);
  }

  void send(Channel channel, OutboundMessage message) {
    try {
      channel.send(message);
    } catch (TransportException e) {
      LOG.warn("a message of the client was not sent: {}", e.getMessage());
      delivered(message);
    }
  }

  /** Sends a notification that the client has not sent. */
  void sendUncounted(Channel channel, OutboundMessage message) {
    inFlight.sent(message.bytes().length);
    send(channel, message);
  }

  /**
   * Sends a request of the bridge's own.
   *
   * @param text the message with the id that it gets
   */
  void sendOwn(
      Channel channel, String method, UnaryOperator<RawJson> text, BridgeRequest.OwnAnswer answer) {
    long key = ++keys;
    RawJson id = RawJson.string("mcpbus-stdio-" + key);
    RawJson message = BridgeRequest.copy(text.apply(id));
    RawJson params = message.member("params");
    RawJson meta = params == null ? null : RequestMetadata.meta(params);
    BridgeRequest request = new BridgeRequest(key, id, method, message, meta, answer);
    inFlight.add(request);
    send(channel, request);
  }

  void received(Envelope message) {
    switch (message.kind()) {
      case RESULT, ERROR -> answered(message);
      default -> out.write(message.text());
    }
  }

  private void answered(Envelope answer) {
    BridgeRequest request = inFlight.byId(answer.id());
    if (request == null) {
      LOG.debug("an answer to a request that has ended");
      return;
    }
    if (request.own != null) {
      drop(request);
      request.own.ended(answer, null);
      return;
    }
    if (request.isDiscover() && answer.ambiguity() == null) {
      if (request.method.equals(Methods.TOOLS_LIST) && answer.kind() == Envelope.Kind.RESULT) {
        metadata.learn(answer.payload());
      } else if (lacksHeaders(request, answer)) {
        request.listed = true;
        new HeaderLearning(this, metadata, request).list();
        return;
      }
    }
    if (isInitialize(request)) {
      routes.begun(answer);
    }
    out.write(answer.text());
    drop(request);
  }

  static boolean isInitialize(BridgeRequest request) {
    return request.own == null
        && !request.isDiscover()
        && request.method.equals(Methods.INITIALIZE);
  }

  private static boolean lacksHeaders(BridgeRequest call, Envelope answer) {
    return !call.listed
        && call.method.equals(Methods.TOOLS_CALL)
        && answer.kind() == Envelope.Kind.ERROR
        && JsonRpcError.of(answer.payload()).code() == JsonRpcError.HEADER_MISMATCH;
  }

  /** A request has failed on its way, or its answer has. */
  void failed(long key, TransportException why) {
    BridgeRequest request = inFlight.byKey(key);
    if (request == null) {
      return;
    }
    request.sent = false;
    if (request.cancelled) {
      drop(request);
    } else if (isWorthWaiting(request, why)) {
      owner.setTimer(RETRY_MILLIS, timer -> again(request));
    } else if (why.reason() == Reason.SESSION_LOST
        && why.reached() == Reached.NO
        && request.own == null
        && !request.isDiscover()) {
      routes.sessionLost(request);
    } else {
      refuse(request, why);
    }
  }

  private boolean isWorthWaiting(BridgeRequest request, TransportException why) {
    if (ending || !(BridgeErrors.isUnreachable(why) || isFull(why))) {
      return false;
    }
    long now = clock.getAsLong();
    if (request.failedAt == 0) {
      request.failedAt = now == 0 ? 1 : now;
      return true;
    }
    return now - request.failedAt < PATIENCE_NANOS;
  }

  private static boolean isFull(TransportException why) {
    return why.reason() == Reason.OVERLOADED && why.reached() == Reached.NO;
  }

  private void again(BridgeRequest request) {
    if (isInFlight(request)) {
      routes.again(request);
    }
  }

  boolean isInFlight(BridgeRequest request) {
    return inFlight.byKey(request.key) == request;
  }

  /** Answers a request with an error of the bridge. */
  void refuse(BridgeRequest request, TransportException why) {
    drop(request);
    if (request.own != null) {
      request.own.ended(null, why);
      return;
    }
    if (isInitialize(request)) {
      routes.begun(null);
    }
    LOG.warn("{}: {}", request.method, errors.text(why));
    out.write(errors.failure(request.id, why));
  }

  /** A channel has ended, and what was in flight on it has no answer any more. */
  void closed(Channel channel) {
    TransportException why =
        new TransportException(
            Reason.OUTCOME_UNKNOWN, Reached.MAYBE, "mcpbus does not know the session any more");
    for (BridgeRequest request : inFlight.all()) {
      if (request.sent && request.channel == channel) {
        failed(request.key, why);
      }
    }
  }

  /** The service has got a notification or an answer of the client, or it is lost. */
  void delivered(OutboundMessage message) {
    inFlight.delivered(message.bytes().length);
    routes.room();
  }

  void drop(BridgeRequest request) {
    if (inFlight.remove(request)) {
      routes.room();
    }
  }
}
