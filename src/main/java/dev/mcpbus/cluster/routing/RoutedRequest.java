package dev.mcpbus.cluster.routing;

import dev.mcpbus.bus.CallDeadline;
import dev.mcpbus.bus.CallDeadline.Layer;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.Headers;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.OwnershipEpoch;
import dev.mcpbus.bus.ReplicaId;
import dev.mcpbus.bus.RequestSender;
import dev.mcpbus.cluster.membership.ClockOffsets;
import dev.mcpbus.internals.InternalContext;
import dev.mcpbus.replicas.ReplicaOwner;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import io.vertx.core.eventbus.ReplyException;
import io.vertx.core.eventbus.ReplyFailure;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One request of {@link ClusterRequests}: picks an owner, sends, and repeats while no owner has
 * taken it and time is left. Confined to the context on which it is made.
 */
final class RoutedRequest<T> {

  private final long began = ClockOffsets.clock();
  private final ClusterRequests requests;
  private final InternalContext context;
  private final Promise<Message<T>> promise;
  private final @Nullable ConnectionId server;
  private final String address;
  private final Object body;
  private final DeliveryOptions options;
  private final long timeLeft;
  private final long maxWait;
  private final Set<ReplicaId> tried = new HashSet<>();
  private boolean defined;
  private boolean noted;
  private boolean passedOn;

  /** Since when it waits for an owner, by {@link #spent}; -1 where it had none to wait for yet. */
  private long waitsSince = -1;

  /**
   * @param server the server whose connection should receive it, null for a service of every node
   */
  RoutedRequest(
      Vertx vertx,
      ClusterRequests requests,
      TransitDeadlines deadlines,
      @Nullable ConnectionId server,
      String address,
      Object body,
      DeliveryOptions options) {
    this.context = InternalContext.current(vertx);
    this.promise = context.promise();
    this.requests = requests;
    this.server = server;
    this.address = address;
    this.body = body;
    this.options = options;
    deadlines.stamp(options.getHeaders());
    this.timeLeft = CallDeadline.left(options.getHeaders());
    if (timeLeft >= 0) {
      maxWait = Math.min(RequestSender.MAX_WAIT_MILLIS, timeLeft);
      options.setSendTimeout(Math.min(options.getSendTimeout(), Layer.ROUTING.timeout(timeLeft)));
    } else {
      maxWait = options.getHeaders().contains(Headers.CALL_ID) ? RequestSender.MAX_WAIT_MILLIS : 0;
    }
  }

  /** Sends the request; completes with the reply or the last failure. */
  Future<Message<T>> run() {
    attempt();
    return promise.future();
  }

  private long spent() {
    return ClockOffsets.clock() - began;
  }

  private void attempt() {
    attempt(server == null ? null : requests.replicas().next(server, address, options, tried));
  }

  private SingleSend<T> sending(
      @Nullable ReplicaOwner owner, String to, Promise<Message<T>> reply) {
    SingleSend<T> sending = requests.sending(server, owner, to, body, options, reply);
    return server != null && maxWait > 0 ? sending.mayBeGivenUp() : sending;
  }

  /** This node has been dropped from the cluster, and another one may know the owner. */
  private void passOn(String via) {
    passedOn = true;
    updateTimeout();
    options.getHeaders().remove(Headers.TO);
    Promise<Message<T>> reply = context.promise();
    sending(null, address, reply).sendBy(via);
    reply.future().onComplete(this::answered, this::failed);
  }

  private void attempt(@Nullable ReplicaOwner owner) {
    passedOn = false;
    if (server != null && owner == null && requests.servesNothing()) {
      // The registrations of the bus cannot be read there, and would keep the request waiting.
      failed(McpFailure.ownerLeft("this node serves nothing at the moment"));
      return;
    }
    if (server != null && owner == null && requests.mayGoToLostNode()) {
      failed(new ReplyException(ReplyFailure.NO_HANDLERS, "No handlers for address " + address));
      return;
    }
    Promise<Message<T>> reply = context.promise();
    if (server != null && owner != null && requests.isReplicated(server)) {
      tried.add(owner.replica());
      options.getHeaders().set(Headers.TO, ReplicaRouting.suffix(server, address));
      sending(owner, owner.replica().address(), reply).send();
    } else {
      options.getHeaders().remove(Headers.TO);
      sending(owner, address, reply).send();
    }
    reply.future().onComplete(this::answered, this::failed);
  }

  private void answered(Message<T> reply) {
    OwnershipEpoch epoch =
        server == null ? null : OwnershipEpoch.parse(server, reply.headers().get(Headers.EPOCH));
    if (server == null || epoch == null || requests.isCurrent(epoch)) {
      promise.complete(reply);
      return;
    }
    requests
        .isNamedByClaim(epoch)
        .onSuccess(
            named -> {
              if (named) {
                promise.complete(reply);
              } else {
                promise.fail(ClusterRequests.replaced(server));
              }
            });
  }

  private void failed(Throwable failure) {
    boolean noReceiver =
        RequestSender.hadNoReceiver(failure) || McpFailure.of(failure).isOwnerLeft();
    if (server == null || !(noReceiver || RequestSender.isRefused(McpFailure.of(failure)))) {
      promise.fail(failure);
      return;
    }
    waitsSince = waitsSince < 0 ? spent() : waitsSince;
    ReplicaOwner other =
        tried.isEmpty() ? null : requests.replicas().next(server, address, options, tried);
    String wayOut = passedOn ? null : requests.wayOut();
    if (other != null) {
      updateTimeout();
      attempt(other);
    } else if (!noReceiver) {
      promise.fail(failure);
    } else if (wayOut != null) {
      passOn(wayOut);
    } else if (defined) {
      repeat();
    } else {
      requests
          .isDefined(server, Math.max(1, Math.max(1_000, maxWait) - (spent() - waitsSince)))
          .onSuccess(
              known -> {
                if (known) {
                  defined = true;
                  repeat();
                } else {
                  promise.fail(failure);
                }
              });
    }
  }

  private void repeat() {
    long spent = spent();
    boolean late = timeLeft >= 0 && spent + RequestSender.PAUSE_MILLIS >= timeLeft;
    if (server != null && (late || spent - waitsSince + RequestSender.PAUSE_MILLIS >= maxWait)) {
      promise.fail(requests.betweenOwners(server));
      return;
    }
    String callId = options.getHeaders().get(Headers.CALL_ID);
    if (callId != null && !noted && requests.repeats().enter(callId)) {
      noted = true;
      promise.future().onComplete(ended -> requests.repeats().leave(callId));
    }
    context.setTimer(
        RequestSender.PAUSE_MILLIS,
        now -> {
          if (requests.repeats().isCancelled(callId)) {
            promise.fail(
                McpFailure.notSent(
                    FailureCode.CANCELLED, "the caller cancelled the call before it had an owner"));
            return;
          }
          updateTimeout();
          tried.clear();
          attempt();
        });
  }

  private void updateTimeout() {
    if (timeLeft >= 0) {
      long left = Math.max(1, timeLeft - spent());
      options.setSendTimeout(Math.min(options.getSendTimeout(), Layer.ROUTING.timeout(left)));
    }
  }
}
