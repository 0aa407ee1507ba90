package dev.mcpbus.server;

import dev.mcpbus.internals.InternalContext;
import dev.mcpbus.protocol.Envelope;
import dev.mcpbus.protocol.Implementation;
import dev.mcpbus.protocol.JsonRpcError;
import dev.mcpbus.protocol.MessageWriter;
import dev.mcpbus.protocol.MetaKeys;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.ProtocolException;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.transport.Channel;
import dev.mcpbus.transport.OutboundMessage;
import dev.mcpbus.transport.SendBuffer;
import dev.mcpbus.transport.TransportException;
import io.vertx.core.AsyncResult;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.EncodeException;
import io.vertx.core.json.JsonObject;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One client on one channel: its handshake, its requests in flight and its end. Serves both eras;
 * each request says in which era it is sent. Except for {@link ConnectedClient}, every method runs
 * on the channel's owner context.
 */
final class ServerSession implements Channel.Receiver, ConnectedClient {

  private static final Logger LOG = LoggerFactory.getLogger(ServerSession.class);

  private final RawServer server;
  private final RequestDispatcher dispatch;
  private final InternalContext owner;
  private final Channel channel;
  private final SendBuffer outbox;
  private final @Nullable String principal;
  private final String id = UUID.randomUUID().toString();
  private final Map<RawJson, ServerRequest> open = new HashMap<>();
  private final Map<RawJson, Long> timers = new HashMap<>();
  private final ClientStreams streams = new ClientStreams(this::send);
  private final SubscribedResources subscribed = new SubscribedResources();

  /**
   * Requests between {@code initialize} and {@code notifications/initialized}; they wait for the
   * latter.
   */
  private final Queue<Envelope> held = new ArrayDeque<>();

  private volatile ServerState state = ServerState.CONNECTED;
  private volatile Implementation client = new Implementation("", "");
  private volatile LogLevel logLevel = LogLevel.INFO;
  private @Nullable RequestPeer initializePeer;

  ServerSession(RawServer server, Context owner, Channel channel, @Nullable String principal) {
    this.server = server;
    this.dispatch = new RequestDispatcher(server, this);
    this.owner = InternalContext.unwrapped(owner);
    this.channel = channel;
    this.outbox = new SendBuffer(owner, channel);
    this.principal = principal;
  }

  @Override
  public String id() {
    return id;
  }

  @Override
  public Implementation client() {
    return client;
  }

  @Override
  public @Nullable String principal() {
    return principal;
  }

  @Override
  public ServerState state() {
    return state;
  }

  @Override
  public void notify(String method, JsonObject params) {
    onOwner(() -> send(method, params));
  }

  /**
   * Sends a notification to a client of the {@code initialize} era as it is, and on the streams of
   * a client of the {@code discover} era whose filter names it.
   */
  void notifySubscribed(String method, JsonObject params) {
    onOwner(
        () -> {
          boolean running = initializePeer != null && state == ServerState.RUNNING;
          if (running && subscribed.wants(method, params)) {
            send(method, params);
          }
          streams.notifySubscribed(method, params);
        });
  }

  LogLevel logLevel() {
    return logLevel;
  }

  void logLevel(LogLevel level) {
    logLevel = level;
  }

  ClientStreams streams() {
    return streams;
  }

  SubscribedResources subscribed() {
    return subscribed;
  }

  /**
   * Runs the task at once if this is the owner context, so that the messages of one handler keep
   * their order.
   */
  private void onOwner(Runnable task) {
    if (owner.isCurrent()) {
      task.run();
    } else {
      owner.run(task);
    }
  }

  @Override
  public void onMessage(Envelope message) {
    ProtocolException ambiguity = message.ambiguity();
    if (ambiguity != null) {
      LOG.debug("{} is refused: {}", message, ambiguity.getMessage());
      RawJson requestId = message.kind() == Envelope.Kind.REQUEST ? message.id() : null;
      if (requestId != null) {
        String why = String.valueOf(ambiguity.getMessage());
        refuse(requestId, new RequestException(JsonRpcError.INVALID_REQUEST, why));
      }
      return;
    }
    switch (message.kind()) {
      case REQUEST -> request(message);
      case NOTIFICATION -> notification(message);
      default -> LOG.debug("ignored a response: this server sends no requests: {}", message);
    }
  }

  private void request(Envelope message) {
    RawJson requestId = message.id();
    if (requestId == null || state == ServerState.CLOSED) {
      return;
    }
    try {
      if (open.containsKey(requestId)) {
        throw new RequestException(
            JsonRpcError.INVALID_REQUEST,
            "a request with this id is under way; give each an id of its own");
      }
      int most = server.options().maxRequests();
      if (open.size() + held.size() >= most) {
        throw new RequestException(
            JsonRpcError.BUSY, most + " requests of this client are under way; try again later");
      }
      route(requestId, message);
    } catch (RequestException e) {
      refuse(requestId, e);
    } catch (DecodeException e) {
      refuse(requestId, RequestException.invalid("the params cannot be decoded"));
    }
  }

  private void route(RawJson requestId, Envelope message) {
    String method = message.method();
    JsonObject params = message.params().toJsonObject();
    JsonObject meta = RequestPeer.object(params, "_meta");
    if (method.equals(Methods.INITIALIZE)) {
      initialize(requestId, params);
    } else if (meta.containsKey(MetaKeys.PROTOCOL_VERSION)) {
      RequestPeer peer = RequestPeer.ofMeta(meta);
      client = peer.client();
      if (initializePeer == null) {
        state = ServerState.RUNNING;
      }
      serve(peer, requestId, method, params);
    } else if (method.equals(Methods.PING)) {
      answer(requestId, new JsonObject());
    } else if (initializePeer == null) {
      throw RequestException.invalid(
          "call initialize first, or describe the request in params._meta with \""
              + MetaKeys.PROTOCOL_VERSION
              + "\"");
    } else if (state == ServerState.CONNECTED) {
      held.add(message);
    } else {
      serve(initializePeer, requestId, method, params);
    }
  }

  private void initialize(RawJson requestId, JsonObject params) {
    if (initializePeer != null) {
      throw new RequestException(
          JsonRpcError.INVALID_REQUEST, "this session is initialized; open another connection");
    }
    RequestPeer peer = RequestPeer.ofInitialize(params);
    initializePeer = peer;
    client = peer.client();
    // A client may have tried the `discover` era first; from here on it uses the `initialize` era.
    state = ServerState.CONNECTED;
    channel.negotiated(peer.version().wire());
    answer(requestId, server.describe().put("protocolVersion", peer.version().wire()));
  }

  private void notification(Envelope message) {
    switch (message.method()) {
      case Methods.INITIALIZED -> {
        if (initializePeer != null && state == ServerState.CONNECTED) {
          state = ServerState.RUNNING;
          List<Envelope> waiting = List.copyOf(held);
          held.clear();
          waiting.forEach(this::request);
        }
      }
      case Methods.CANCELLED -> {
        RawJson which = message.params().member("requestId");
        if (which != null) {
          held.removeIf(waiting -> which.equals(waiting.id()));
          streams.close(which);
          drop(which);
        }
      }
      default -> dispatch.onNotification(message.method(), message.params());
    }
  }

  private void serve(RequestPeer peer, RawJson requestId, String method, JsonObject params) {
    ServerRequest request =
        new ServerRequest(this, peer, requestId, method, params, server.options().requestTimeout());
    open.put(requestId, request);
    if (!method.equals(Methods.LISTEN)) {
      timers.put(
          requestId,
          owner
              .vertx()
              .setTimer(server.options().requestTimeout().toMillis(), late -> expired(request)));
    }
    dispatch.answer(request).onComplete(end -> onOwner(() -> ended(request, end)));
  }

  private void expired(ServerRequest request) {
    if (open.containsKey(request.id())) {
      String late = "no answer within " + server.options().requestTimeout().toMillis() + " ms";
      request.cancel();
      ended(request, dispatch.failure(request, new IllegalStateException(late)));
    }
  }

  /** The first end of a request counts; an answer after a cancellation is dropped. */
  private void ended(ServerRequest request, AsyncResult<JsonObject> end) {
    if (!forget(request)) {
      return;
    }
    request.end();
    if (end.succeeded()) {
      answer(request.id(), end.result());
    } else if (end.cause() instanceof RequestException refused) {
      refuse(request.id(), refused);
    } else {
      refuse(
          request.id(),
          new RequestException(JsonRpcError.INTERNAL_ERROR, ServerFailures.text(end.cause())));
    }
  }

  private boolean forget(ServerRequest request) {
    Long timer = timers.remove(request.id());
    if (timer != null) {
      owner.cancelTimer(timer);
    }
    return open.remove(request.id(), request);
  }

  /** Cancels the request without an answer, because the client no longer waits for it. */
  private void drop(RawJson requestId) {
    ServerRequest request = open.get(requestId);
    if (request != null && forget(request)) {
      request.cancel();
    }
  }

  private void answer(RawJson requestId, JsonObject result) {
    try {
      byte[] bytes = MessageWriter.result(requestId, RawJson.of(result));
      put(OutboundMessage.response(Envelope.Kind.RESULT, bytes));
    } catch (EncodeException e) {
      LOG.warn("a handler's result cannot be encoded as JSON", e);
      refuse(
          requestId,
          new RequestException(JsonRpcError.INTERNAL_ERROR, "the result cannot be encoded"));
    }
  }

  private void refuse(RawJson requestId, RequestException why) {
    byte[] bytes =
        MessageWriter.error(requestId, why.code(), String.valueOf(why.getMessage()), why.data());
    put(OutboundMessage.response(Envelope.Kind.ERROR, bytes));
  }

  private void send(String method, JsonObject params) {
    byte[] bytes = MessageWriter.notification(method, RawJson.of(params));
    put(OutboundMessage.notification(method, bytes));
  }

  /**
   * Ends the session if the channel refuses the message: a client that does not read would wait for
   * ever.
   */
  private void put(OutboundMessage message) {
    if (state == ServerState.CLOSED) {
      return;
    }
    try {
      outbox.send(message);
    } catch (TransportException e) {
      LOG.warn("session {} of {} ends: {}", id, client.name(), e.getMessage());
      markClosed();
      channel.close();
    }
  }

  @Override
  public void onRequestFailed(long requestId, TransportException reason) {
    throw new IllegalStateException("a server's end has no requests of its own to report");
  }

  @Override
  public void onClosed(TransportException reason) {
    markClosed();
    channel.close();
  }

  private void markClosed() {
    state = ServerState.CLOSED;
    List.copyOf(open.keySet()).forEach(this::drop);
    held.clear();
    server.removeSession(this);
  }

  /**
   * Ends the session: requests in flight get an error, streams their regular end. Any thread may
   * call this.
   */
  Future<Void> close() {
    Promise<Void> closed = Promise.promise();
    owner.run(
        () -> {
          for (ServerRequest request : List.copyOf(open.values())) {
            request.cancel();
            if (request.method().equals(Methods.LISTEN)) {
              ended(request, Future.succeededFuture(dispatch.finished()));
            } else {
              ended(
                  request,
                  dispatch.failure(request, new IllegalStateException("the server is closing")));
            }
          }
          markClosed();
          channel.close().onComplete(closed);
        });
    return closed.future();
  }
}
