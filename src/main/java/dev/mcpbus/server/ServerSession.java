package dev.mcpbus.server;

import dev.mcpbus.internals.InternalContext;
import dev.mcpbus.protocol.Envelope;
import dev.mcpbus.protocol.Era;
import dev.mcpbus.protocol.Implementation;
import dev.mcpbus.protocol.JsonRpcError;
import dev.mcpbus.protocol.MessageWriter;
import dev.mcpbus.protocol.MetaKeys;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.ProtocolException;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.protocol.ResultType;
import dev.mcpbus.transport.Channel;
import dev.mcpbus.transport.OutboundMessage;
import dev.mcpbus.transport.SendBuffer;
import dev.mcpbus.transport.TransportException;
import dev.mcpbus.transport.TransportException.Reason;
import io.vertx.core.AsyncResult;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import java.util.ArrayDeque;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.UUID;
import java.util.function.Supplier;
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

  /** Ends of a connection that are the client's fault. */
  private static final Set<Reason> BREACHES =
      EnumSet.of(Reason.PROTOCOL_ERROR, Reason.LIMIT_EXCEEDED);

  /** What a handler asks the client in a request of its own. */
  private record ClientQuestion(ServerRequest request, String method, Promise<JsonObject> answer) {}

  private final RawServer server;
  private final RequestDispatcher dispatch;
  private final InternalContext owner;
  private final Channel channel;
  private final SendBuffer outbox;
  private final @Nullable String principal;
  private final String id = UUID.randomUUID().toString();
  private final Map<RawJson, ServerRequest> open = new HashMap<>();
  private final Map<RawJson, Long> timers = new HashMap<>();
  private final ClientStreams streams = new ClientStreams(this::toStream);
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
  private final Map<Long, ClientQuestion> questions = new HashMap<>();
  private long lastQuestion;
  private boolean loses;

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
  public String toString() {
    return "client " + id;
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
  public Future<Void> notify(String method, JsonObject params) {
    return onOwner(() -> send(method, params, null));
  }

  /** Sends what a handler says of its request, unless that has ended. */
  Future<Void> notify(
      ServerRequest request, String method, JsonObject params, @Nullable Object subject) {
    return onOwner(
        () ->
            request.isOver()
                ? Future.failedFuture(ServerRequest.ended())
                : send(method, params, subject));
  }

  /**
   * Sends a notification to a client of the {@code initialize} era as it is, and on the streams of
   * a client of the {@code discover} era whose filter names it.
   */
  Future<Void> notifySubscribed(String method, JsonObject params) {
    return onOwner(
        () -> {
          boolean running = initializePeer != null && state == ServerState.RUNNING;
          Future<Void> sent =
              running && subscribed.wants(method, params)
                  ? send(method, params, news(method, params))
                  : Future.succeededFuture();
          return Future.join(streams.notifySubscribed(method, params), sent).mapEmpty();
        });
  }

  /** What a notification is about that says no more the second time; null for any other. */
  private static @Nullable Object news(String method, JsonObject params) {
    return method.endsWith("list_changed") || method.equals(Methods.RESOURCE_UPDATED)
        ? method + params.encode()
        : null;
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
  private <T> Future<T> onOwner(Supplier<Future<T>> task) {
    if (owner.isCurrent()) {
      return attempted(task);
    }
    Promise<T> done = Promise.promise();
    owner.run(() -> attempted(task).onComplete(done));
    return done.future();
  }

  private static <T> Future<T> attempted(Supplier<Future<T>> task) {
    try {
      return task.get();
    } catch (RuntimeException e) { // what the program sends is no JSON
      return Future.failedFuture(e);
    }
  }

  /** Tells the program of a failure. */
  void failed(String subject, Throwable failure) {
    onOwner(
        () -> {
          try {
            server.failures().failed(this, subject, failure);
          } catch (Throwable e) {
            LOG.warn("a listener to failures failed", e);
          }
          return Future.succeededFuture();
        });
  }

  @Override
  public void onMessage(Envelope message) {
    ProtocolException ambiguity = message.ambiguity();
    if (ambiguity != null) {
      LOG.debug("{} is refused: {}", message, ambiguity.getMessage());
      failed("", ambiguity);
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
      default -> answered(message);
    }
  }

  // ---- questions to the client

  /** See {@link ServerRequest#ask}. */
  Future<JsonObject> ask(ServerRequest request, String method, JsonObject params) {
    return onOwner(
        () ->
            request.isOver()
                ? Future.failedFuture(ServerRequest.ended())
                : request.peer().isDiscover()
                    ? askInResult(request, method, params)
                    : askByRequest(request, method, params));
  }

  private Future<JsonObject> askByRequest(ServerRequest request, String method, JsonObject params) {
    long number = ++lastQuestion;
    ClientQuestion question = new ClientQuestion(request, method, Promise.promise());
    byte[] bytes = MessageWriter.request(number, method, RawJson.of(params));
    questions.put(number, question);
    put(OutboundMessage.request(number, method, bytes));
    return question.answer.future();
  }

  /**
   * Ends this round with the questions that the handler asks in this turn. Their futures fail with
   * it, because the handler starts again with the answers.
   */
  private Future<JsonObject> askInResult(ServerRequest request, String method, JsonObject params) {
    JsonObject known = request.answers();
    String key = request.nextQuestion();
    if (known.getValue(key) instanceof JsonObject answer) {
      return Future.succeededFuture(answer);
    }
    JsonObject asked = request.asked();
    Promise<JsonObject> answer = Promise.promise();
    questions.put(++lastQuestion, new ClientQuestion(request, method, answer));
    if (asked.isEmpty()) {
      JsonObject round =
          new JsonObject()
              .put(ResultType.MEMBER, ResultType.INPUT_REQUIRED)
              .put("inputRequests", asked)
              .put("requestState", known.encode());
      owner.run(() -> ended(request, Future.succeededFuture(round)));
    }
    asked.put(key, new JsonObject().put("method", method).put("params", params));
    return answer.future();
  }

  private void answered(Envelope message) {
    ClientQuestion question = questions.remove(message.integerId());
    if (question == null) {
      LOG.debug("ignored a response to no question of this server: {}", message);
      failed(
          "",
          new RequestException(
              JsonRpcError.INVALID_REQUEST, "a response to no question of this server"));
    } else if (message.kind() == Envelope.Kind.RESULT && message.payload().isObject()) {
      question.answer.complete(message.payload().toJsonObject());
    } else {
      question.answer.fail(
          "the client answers " + question.method + " with " + message.payload().toString());
    }
  }

  /** Takes back the questions of a request that has ended. */
  private void withdraw(ServerRequest request) {
    for (var each : List.copyOf(questions.entrySet())) {
      ClientQuestion question = each.getValue();
      if (question.request == request && questions.remove(each.getKey()) != null) {
        if (!request.peer().isDiscover()) {
          must(Methods.CANCELLED, new JsonObject().put("requestId", each.getKey()));
        }
        question.answer.fail(ServerRequest.ended());
      }
    }
  }

  // ---- requests

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
      refused(requestId, message, e);
    } catch (DecodeException e) {
      refused(requestId, message, RequestException.invalid("the params cannot be decoded"));
    }
  }

  private void refused(RawJson requestId, Envelope message, RequestException why) {
    refuse(requestId, why);
    failed(message.method(), why);
  }

  private void route(RawJson requestId, Envelope message) {
    String method = message.method();
    JsonObject params = message.params().toJsonObject();
    JsonObject meta = RequestPeer.object(params, "_meta");
    if (!server.speaks(Era.DISCOVER)) {
      meta.remove(MetaKeys.PROTOCOL_VERSION); // an older server does not know it
    }
    if (server.lacks(method)) {
      throw new RequestException(
          JsonRpcError.METHOD_NOT_FOUND, "this server has no method \"" + method + "\"");
    } else if (method.equals(Methods.INITIALIZE)) {
      initialize(requestId, params);
    } else if (meta.containsKey(MetaKeys.PROTOCOL_VERSION)) {
      RequestPeer peer = RequestPeer.ofMeta(meta, server.versions());
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
    RequestPeer peer = RequestPeer.ofInitialize(params, server.versions());
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
    dispatch
        .answer(request)
        .onComplete(
            end ->
                onOwner(
                    () -> {
                      ended(request, end);
                      return Future.succeededFuture();
                    }));
  }

  private void expired(ServerRequest request) {
    if (open.containsKey(request.id())) {
      IllegalStateException late =
          new IllegalStateException(
              "no answer within " + server.options().requestTimeout().toMillis() + " ms");
      request.cancel();
      dispatch.note(request, late);
      ended(request, dispatch.failure(request, late));
    }
  }

  /** The first end of a request counts; an answer after a cancellation is dropped. */
  private void ended(ServerRequest request, AsyncResult<JsonObject> end) {
    if (!forget(request)) {
      return;
    }
    request.end();
    if (end.succeeded()) {
      result(request, end.result());
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
    boolean first = open.remove(request.id(), request);
    if (first) {
      withdraw(request);
    }
    return first;
  }

  /** Cancels the request without an answer, because the client no longer waits for it. */
  private void drop(RawJson requestId) {
    ServerRequest request = open.get(requestId);
    if (request != null && forget(request)) {
      request.cancel();
    }
  }

  /** Answers with a handler's result, or says that it is no JSON. */
  private void result(ServerRequest request, JsonObject result) {
    RawJson written;
    try {
      written = RawJson.of(result);
    } catch (Throwable e) { // also a value that contains itself
      dispatch.note(request, e);
      Future<JsonObject> failure =
          dispatch.failure(
              request, new IllegalStateException("the result cannot be encoded as JSON"));
      if (failure.succeeded()) {
        answer(request.id(), failure.result());
      } else {
        refuse(
            request.id(),
            new RequestException(
                JsonRpcError.INTERNAL_ERROR, ServerFailures.text(failure.cause())));
      }
      return;
    }
    put(
        OutboundMessage.response(
            Envelope.Kind.RESULT, MessageWriter.result(request.id(), written)));
  }

  private void answer(RawJson requestId, JsonObject result) {
    byte[] bytes = MessageWriter.result(requestId, RawJson.of(result));
    put(OutboundMessage.response(Envelope.Kind.RESULT, bytes));
  }

  private void refuse(RawJson requestId, RequestException why) {
    byte[] bytes =
        MessageWriter.error(requestId, why.code(), String.valueOf(why.getMessage()), why.data());
    put(OutboundMessage.response(Envelope.Kind.ERROR, bytes));
  }

  /** Sends a notification that a client which does not read loses. */
  private Future<Void> send(String method, JsonObject params, @Nullable Object subject) {
    if (state == ServerState.CLOSED) {
      return Future.failedFuture("the client has disconnected");
    }
    byte[] bytes = MessageWriter.notification(method, RawJson.of(params));
    return outbox.offer(OutboundMessage.notification(method, bytes), subject).onFailure(this::lost);
  }

  private void lost(Throwable why) {
    if (!loses && state != ServerState.CLOSED) {
      loses = true;
      LOG.warn("session {} of {} loses notifications: {}", id, client.name(), why.getMessage());
    }
  }

  /** Sends a notification that the client waits for. */
  private void must(String method, JsonObject params) {
    byte[] bytes = MessageWriter.notification(method, RawJson.of(params));
    put(OutboundMessage.notification(method, bytes));
  }

  private Future<Void> toStream(String method, JsonObject params) {
    if (method.equals(Methods.ACKNOWLEDGED)) {
      must(method, params);
      return Future.succeededFuture();
    }
    return send(method, params, news(method, params));
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
      failed("", e);
      markClosed();
      channel.close();
    }
  }

  @Override
  public void onRequestFailed(long requestId, TransportException reason) {
    ClientQuestion question = questions.remove(requestId);
    if (question != null) {
      question.answer.fail(reason);
    }
  }

  @Override
  public void onClosed(TransportException reason) {
    if (BREACHES.contains(reason.reason())) {
      failed("", reason);
    }
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
