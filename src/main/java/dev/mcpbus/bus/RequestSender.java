package dev.mcpbus.bus;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import io.vertx.core.eventbus.ReplyException;
import io.vertx.core.eventbus.ReplyFailure;
import io.vertx.core.shareddata.LocalMap;
import io.vertx.core.shareddata.Shareable;
import org.jspecify.annotations.Nullable;

/**
 * Sends requests to connections and services, on this node or on another. It is the seam between
 * callers and the cluster. On one node it is the event bus alone. A clustered Vert.x uses the
 * sender of {@code dev.mcpbus.cluster}, which records the node of each request and fails the
 * request when that node leaves the cluster.
 *
 * <p>One instance for each Vert.x; any thread may call. Futures complete on the caller's context.
 */
public interface RequestSender extends Shareable {

  /**
   * The sender of this Vert.x, created at the first call.
   *
   * @throws IllegalStateException if Vert.x is clustered and no {@link RequestSenderProvider} is on
   *     the class path
   */
  static RequestSender of(Vertx vertx) {
    LocalMap<String, RequestSender> map = vertx.sharedData().getLocalMap("dev.mcpbus.sender");
    RequestSender present = map.get("");
    return present != null
        ? present
        : map.computeIfAbsent(
            "",
            absent ->
                vertx.isClustered()
                    ? RequestSenderProvider.find().create(vertx)
                    : new LocalRequestSender(vertx));
  }

  /**
   * Sends a request. In a cluster, if the connection has no owner at the moment, a request with
   * {@link Headers#DEADLINE} or {@link Headers#CALL_ID} waits for the next owner up to 3 s and
   * never beyond its deadline; any other request fails at once.
   *
   * @param server the server of the connection; null for a service that every node has
   * @return fails as the event bus fails; in a cluster also with {@code OWNER_LOST}, or with {@code
   *     UNAVAILABLE} while the connection has no owner
   */
  <T> Future<Message<T>> request(
      @Nullable ConnectionId server, String address, Object body, DeliveryOptions options);

  /** The nodes of the cluster. */
  ClusterMembership membership();

  /** True if the address of a request had no consumer; the request was not sent. */
  static boolean hadNoReceiver(Throwable failure) {
    return failure instanceof ReplyException reply
        && reply.failureType() == ReplyFailure.NO_HANDLERS;
  }
}
