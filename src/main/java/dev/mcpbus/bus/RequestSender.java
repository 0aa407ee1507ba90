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
 * The seam for sending: a request to a connection, wherever it lives. On one node this is the event
 * bus and nothing else; a clustered Vert.x gets the sender of {@code dev.mcpbus.cluster}, which
 * knows where each request went, and fails it when that node is lost.
 *
 * <p>One for each Vert.x; any thread may call. Futures complete on the caller's context.
 */
public interface RequestSender extends Shareable {

  /**
   * The one of this Vert.x, made at the first call.
   *
   * @throws IllegalStateException where Vert.x is clustered and no {@link RequestSenderProvider} is
   *     on the class path
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
   * Sends a request. In a cluster one with a deadline ({@link Headers#DEADLINE}) or a name ({@link
   * Headers#CALL_ID}) waits up to 3 s, and never longer than its deadline, where its connection has
   * no owner at the moment; others fail at once.
   *
   * @param server whose connection it is for, null where it is for a service of every node
   * @return fails with what the bus fails with; in a cluster also with {@code OWNER_LOST}, or with
   *     {@code UNAVAILABLE} where the connection is between two owners
   */
  <T> Future<Message<T>> request(
      @Nullable ConnectionId server, String address, Object body, DeliveryOptions options);

  /** Which nodes there are. */
  ClusterMembership membership();

  /** Whether there was no receiver for a request; it was not sent. */
  static boolean hadNoReceiver(Throwable failure) {
    return failure instanceof ReplyException reply
        && reply.failureType() == ReplyFailure.NO_HANDLERS;
  }
}
