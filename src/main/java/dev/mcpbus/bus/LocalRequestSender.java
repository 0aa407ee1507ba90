package dev.mcpbus.bus;

import dev.mcpbus.bus.McpFailure.Sent;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The sender of a Vert.x that is not clustered: the event bus, no other nodes. A request to a
 * connection that is being replaced waits for the next one. Any thread may call.
 */
final class LocalRequestSender implements RequestSender, ClusterMembership {

  private final Vertx vertx;
  private final CallRepeats repeats;

  /** How many replacements of each server's connection are under way. */
  private final Map<ConnectionId, Integer> replaced = new ConcurrentHashMap<>();

  LocalRequestSender(Vertx vertx) {
    this.vertx = vertx;
    this.repeats = CallRepeats.of(vertx);
  }

  @Override
  public CallRepeats repeats() {
    return repeats;
  }

  @Override
  public <T> Future<Message<T>> requestOnce(
      @Nullable ConnectionId server, String address, Object body, DeliveryOptions options) {
    Future<Message<T>> sent = vertx.eventBus().request(address, body, options);
    return server == null || !replaced.containsKey(server)
        ? sent
        : sent.recover(
            failure ->
                new PostponedRequest<T>(server, address, body, options).failed(failure, true));
  }

  @Override
  public Future<Void> whileReplaced(ConnectionId server, Supplier<Future<Void>> replacement) {
    replaced.merge(server, 1, Integer::sum);
    return Future.<Void>succeededFuture()
        .compose(now -> replacement.get()) // what it throws is its failure, and counts no more
        .onComplete(
            ended -> replaced.computeIfPresent(server, (id, all) -> all == 1 ? null : all - 1));
  }

  /** A request that finds no connection, because it is being replaced. */
  private final class PostponedRequest<T> {
    private final ConnectionId server;
    private final String address;
    private final Object body;
    private final DeliveryOptions options;
    private final @Nullable String callId;
    private final boolean noted;
    private final long began = CallOrigin.now();
    private final long timeout;
    private final long maxWait;

    PostponedRequest(ConnectionId server, String address, Object body, DeliveryOptions options) {
      this.server = server;
      this.address = address;
      this.body = body;
      this.options = options;
      this.timeout = options.getSendTimeout();
      if (options.getHeaders() == null || !options.getHeaders().contains(Headers.SINCE)) {
        options.addHeader(Headers.SINCE, CallOrigin.since(self(), began));
      }
      this.callId = options.getHeaders().get(Headers.CALL_ID);
      this.noted = callId != null && repeats.enter(callId);
      long left = CallDeadline.left(options.getHeaders());
      this.maxWait = Math.min(MAX_WAIT_MILLIS, left < 0 ? timeout : left);
    }

    /**
     * @param meanwhile whether the connection was being replaced when the request was sent
     */
    Future<Message<T>> failed(Throwable failure, boolean meanwhile) {
      boolean absent = RequestSender.hadNoReceiver(failure);
      if (!meanwhile || !(absent || RequestSender.isRefused(McpFailure.of(failure)))) {
        return ended(Future.failedFuture(failure));
      }
      return CallOrigin.now() - began + PAUSE_MILLIS < maxWait
          ? again()
          : ended(Future.failedFuture(absent ? replaced() : failure));
    }

    private McpFailure replaced() {
      String told = "the connection of '" + server + "' is being replaced; the call was not sent";
      return new McpFailure(FailureCode.UNAVAILABLE, Sent.NO, told, PAUSE_MILLIS, null);
    }

    private Future<Message<T>> again() {
      return vertx
          .timer(PAUSE_MILLIS)
          .compose(
              now -> {
                if (repeats.isCancelled(callId)) {
                  return ended(
                      Future.failedFuture(
                          McpFailure.notSent(
                              FailureCode.CANCELLED,
                              "the caller cancelled the call before the connection was replaced")));
                }
                options.setSendTimeout(Math.max(1, timeout - (CallOrigin.now() - began)));
                boolean meanwhile = replaced.containsKey(server);
                return vertx
                    .eventBus()
                    .<T>request(address, body, options)
                    .transform(
                        reply ->
                            reply.succeeded()
                                ? ended(Future.succeededFuture(reply.result()))
                                : failed(reply.cause(), meanwhile));
              });
    }

    private Future<Message<T>> ended(Future<Message<T>> end) {
      if (callId != null && noted) {
        repeats.leave(callId);
      }
      return end;
    }
  }

  @Override
  public ClusterMembership membership() {
    return this;
  }

  @Override
  public String self() {
    return "";
  }

  @Override
  public List<String> nodes() {
    return List.of();
  }

  @Override
  public void onChange(BiConsumer<String, Boolean> listener) {}
}
