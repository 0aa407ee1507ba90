package dev.mcpbus.client;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.CacheMode;
import dev.mcpbus.bus.CallCancellation;
import dev.mcpbus.bus.CallDeadline;
import dev.mcpbus.bus.CallDeadline.Layer;
import dev.mcpbus.bus.CallHeaders;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.Headers;
import dev.mcpbus.bus.InvalidServers;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.RequestSender;
import dev.mcpbus.bus.Requester;
import dev.mcpbus.internals.InternalContext;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import io.vertx.core.eventbus.MessageConsumer;
import io.vertx.core.eventbus.ReplyException;
import io.vertx.core.eventbus.ReplyFailure;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.EncodeException;
import io.vertx.core.json.JsonObject;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Sends the calls of one {@link McpClient}; the first hop of a call from Java. Each call ends
 * exactly once: then its progress consumer is removed, and if the server may still work on it, the
 * connection cancels it there. Any thread may call; the future completes on the caller's context.
 */
final class ClientCalls {

  private final Vertx vertx;
  private final RequestSender sender;
  private final CallOptions defaults;
  private final Layer layer;
  private final String name = UUID.randomUUID().toString();
  private final AtomicLong sequence = new AtomicLong();
  private final Set<Pending<?>> outstanding = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  /**
   * @param layer decides how much longer than its deadline a call waits for the reply
   */
  ClientCalls(Vertx vertx, CallOptions defaults, Layer layer) {
    this.vertx = vertx;
    this.sender = RequestSender.of(vertx);
    this.defaults = defaults;
    this.layer = layer;
  }

  /**
   * Sends a call to one server.
   *
   * @param server its connection receives a cancellation; null if the call cannot be cancelled
   * @param kind {@code JsonObject} or {@code Buffer}: the type of the body and of the reply
   */
  <T> Future<T> send(
      String address, @Nullable ConnectionId server, T body, Class<T> kind, CallOptions given) {
    String cancel = server == null ? null : Addresses.of(server, Addresses.CANCEL);
    return send(address, server, cancel, body, kind, given);
  }

  /**
   * Sends a call to a service.
   *
   * @param cancel the address that receives a cancellation; null if the call cannot be cancelled
   */
  <T> Future<T> sendCancellable(
      String address, @Nullable String cancel, T body, Class<T> kind, CallOptions given) {
    return send(address, null, cancel, body, kind, given);
  }

  private <T> Future<T> send(
      String address,
      @Nullable ConnectionId server,
      @Nullable String cancel,
      T body,
      Class<T> kind,
      CallOptions given) {
    CallOptions options = defaults == CallOptions.DEFAULT ? given : given.or(defaults);
    CancellationToken token = options.cancel;
    if (closed || (token != null && token.isCancelled())) {
      return Future.failedFuture(
          McpFailure.notSent(
              FailureCode.CANCELLED,
              closed ? "this McpClient is closed" : "the call was cancelled before it was made"));
    }
    String callId = name + "-" + sequence.incrementAndGet();
    Pending<T> pending =
        new Pending<>(InternalContext.promise(vertx), callId, server, cancel, options);
    outstanding.add(pending);
    if (token != null) {
      token.add(pending);
    }
    if (closed) {
      pending.cancel("this McpClient is closed");
    }
    Handler<CallProgress> progress = options.progress;
    if (progress == null) {
      request(address, body, kind, delivery(options, callId, null), pending);
    } else {
      pending
          .listen(progress)
          .onComplete(
              ready -> request(address, body, kind, delivery(options, callId, callId), pending));
    }
    return pending.promise.future();
  }

  /**
   * The params as bytes: sent so, the result comes as bytes, too.
   *
   * @throws McpFailure {@code BAD_REQUEST} if JSON cannot represent a value
   */
  static Buffer encoded(JsonObject params) {
    try {
      return params.toBuffer();
    } catch (EncodeException e) {
      throw notJson();
    }
  }

  /** The call, or its failure before anything is sent as a failed future. */
  static <T> Future<T> guarded(Supplier<Future<T>> call) {
    try {
      return call.get();
    } catch (McpFailure refused) {
      return Future.failedFuture(refused);
    }
  }

  /**
   * @param name the id of a server, or its name as written
   * @throws McpFailure {@code BAD_REQUEST} if the name is of blanks, hyphens and underscores alone
   */
  static ConnectionId id(String name) {
    return ConnectionId.named(name)
        .orElseThrow(
            () ->
                McpFailure.badRequest(
                    "a server needs a name of more than blanks, hyphens and underscores, not '"
                        + name
                        + "'"));
  }

  /** Ids for names; {@link #id} says which fail. */
  static List<String> ids(Collection<String> names) {
    return names.stream().map(name -> id(name).value()).toList();
  }

  /** The answer, or {@code unknown} where there is no such server. */
  static <T> Future<T> known(Future<T> answer, T unknown) {
    return answer.recover(
        failure ->
            McpFailure.of(failure).code() == FailureCode.UNKNOWN_CONNECTION
                ? Future.succeededFuture(unknown)
                : Future.failedFuture(failure));
  }

  /**
   * @param arguments null for none
   */
  static JsonObject named(String name, @Nullable JsonObject arguments) {
    return new JsonObject().put("name", name).put("arguments", object(arguments));
  }

  static JsonObject named(String name, @Nullable Map<String, Object> arguments) {
    return named(name, arguments == null ? null : new JsonObject(arguments));
  }

  /** Null as an empty object. */
  static JsonObject object(@Nullable JsonObject given) {
    return given == null ? new JsonObject() : given;
  }

  /**
   * @param params null for none
   */
  static JsonObject message(String method, @Nullable JsonObject params) {
    return new JsonObject().put("method", method).put("params", object(params));
  }

  static JsonObject uri(String uri) {
    return new JsonObject().put("uri", uri);
  }

  static JsonObject completion(JsonObject ref, String argument, String value) {
    return new JsonObject()
        .put("ref", ref)
        .put("argument", new JsonObject().put("name", argument).put("value", value));
  }

  private static McpFailure notJson() {
    return McpFailure.badRequest(
        "the params contain a value that JSON cannot represent; use text, numbers, booleans, null,"
            + " maps and lists");
  }

  private <T> void request(
      String address, T body, Class<T> kind, DeliveryOptions delivery, Pending<T> pending) {
    if (pending.promise.future().isComplete()) {
      return;
    }
    try {
      sender
          .<Object>request(pending.server, address, body, delivery)
          .onSuccess(reply -> pending.reply(reply, kind))
          .onFailure(pending::failed);
    } catch (RuntimeException e) {
      pending.fail(notJson());
      return;
    }
    if (pending.cancelled) {
      pending.cancelAtServer();
    }
  }

  private DeliveryOptions delivery(
      CallOptions options, String callId, @Nullable String progressCall) {
    DeliveryOptions delivery = CallHeaders.of(callId, CallDeadline.of(options.timeout), layer);
    if (progressCall != null) {
      delivery.addHeader(Headers.PROGRESS, progressAddress(progressCall));
    }
    CacheMode cache = options.cache;
    Boolean validate = options.validate;
    CallHeaders.add(delivery, Headers.CACHE, cache == null ? null : cache.header());
    CallHeaders.add(delivery, Headers.VALIDATE, validate == null ? null : validate.toString());
    CallHeaders.add(delivery, Headers.TRACEPARENT, options.traceparent);
    if (Boolean.TRUE.equals(options.loginWait)) {
      delivery.addHeader(Headers.WAIT_LOGIN, "true");
    }
    if (options.principal != null) {
      new Requester(options.principal, false).addTo(delivery);
    }
    return delivery;
  }

  private static String progressAddress(String callId) {
    return Addresses.PROGRESS + callId;
  }

  int outstanding() {
    return outstanding.size();
  }

  boolean isClosed() {
    return closed;
  }

  /** Cancels all that is outstanding; later calls fail without being sent. Idempotent. */
  void close() {
    closed = true;
    outstanding.forEach(
        pending -> pending.cancel("this McpClient was closed before the call ended"));
  }

  private final class Pending<T> implements Runnable {

    private final Promise<T> promise;
    private final String callId;
    private final @Nullable ConnectionId server;
    private final @Nullable String cancelAddress;
    private final @Nullable CancellationToken token;
    private final boolean toolFailure;
    private volatile @Nullable MessageConsumer<Object> progress;

    /** Set before the cancellation is published, so that a request that is sent later ends too. */
    private volatile boolean cancelled;

    Pending(
        Promise<T> promise,
        String callId,
        @Nullable ConnectionId server,
        @Nullable String cancelAddress,
        CallOptions options) {
      this.promise = promise;
      this.callId = callId;
      this.server = server;
      this.cancelAddress = cancelAddress;
      this.token = options.cancel;
      this.toolFailure = Boolean.TRUE.equals(options.toolFailure);
    }

    /** Adds the progress consumer. */
    Future<Void> listen(Handler<CallProgress> handler) {
      String address = progressAddress(callId);
      Handler<Message<Object>> receiver =
          message -> {
            CallProgress known = progressOf(message.body());
            if (known != null && !promise.future().isComplete()) {
              handler.handle(known);
            }
          };
      MessageConsumer<Object> consumer = vertx.eventBus().consumer(address, receiver);
      progress = consumer;
      if (promise.future().isComplete()) {
        consumer.unregister();
      }
      Promise<Void> ready = InternalContext.promise(vertx);
      consumer.completion().onComplete(ready);
      return ready.future();
    }

    void reply(Message<Object> message, Class<T> kind) {
      Object body = message.body();
      if (kind.isInstance(body)) {
        McpFailure failed = toolFailure ? toolFailure(body) : null;
        if (failed != null) {
          fail(failed);
        } else if (promise.tryComplete(kind.cast(body))) {
          end();
        }
        return;
      }
      fail(
          McpFailure.maybeSent(
              FailureCode.PROTOCOL_ERROR,
              "the reply has not the type of the request, " + kind.getSimpleName()));
    }

    void failed(Throwable failure) {
      if (failure instanceof ReplyException reply && reply.failureType() == ReplyFailure.TIMEOUT) {
        cancelAtServer();
      }
      fail(
          server == null
              ? McpFailure.of(failure)
              : InvalidServers.explained(vertx, server.value(), failure));
    }

    /** Called by the token's {@code cancel()}. */
    @Override
    public void run() {
      cancel("the caller cancelled the call");
    }

    void cancel(String why) {
      cancelled = true;
      if (fail(McpFailure.maybeSent(FailureCode.CANCELLED, why))) {
        cancelAtServer();
      }
    }

    private boolean fail(McpFailure failure) {
      boolean first = promise.tryFail(failure);
      if (first) {
        end();
      }
      return first;
    }

    private void cancelAtServer() {
      if (cancelAddress != null) {
        CallCancellation.publish(vertx, cancelAddress, callId);
      }
    }

    private void end() {
      outstanding.remove(this);
      if (token != null) {
        token.remove(this);
      }
      MessageConsumer<Object> consumer = progress;
      if (consumer != null) {
        consumer.unregister();
      }
    }
  }

  private static @Nullable McpFailure toolFailure(Object reply) {
    try {
      ToolCallResult result =
          reply instanceof Buffer bytes
              ? new ToolCallResult(bytes)
              : new ToolCallResult((JsonObject) reply);
      return result.isError()
          ? new McpFailure(
              FailureCode.TOOL_FAILED, McpFailure.Sent.MAYBE, result.text(), -1, result.json())
          : null;
    } catch (McpFailure noResult) {
      return noResult;
    }
  }

  private static @Nullable CallProgress progressOf(Object params) {
    try {
      return CallProgress.of(
          params instanceof Buffer bytes ? new JsonObject(bytes) : (JsonObject) params);
    } catch (DecodeException malformed) {
      return null;
    }
  }
}
