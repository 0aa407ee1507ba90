package dev.mcpbus.bus;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import io.vertx.core.eventbus.ReplyException;
import io.vertx.core.eventbus.ReplyFailure;
import io.vertx.core.shareddata.LocalMap;
import io.vertx.core.shareddata.Shareable;
import java.util.function.Supplier;
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

  /** How long a call waits for a connection where there is none, if its time left allows. */
  long MAX_WAIT_MILLIS = 3_000;

  /** After so long it is tried again. */
  long PAUSE_MILLIS = 40;

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
   * Sends a request, and sends it again, at most twice, where its owner or its connection is lost
   * and a second time does no harm: {@link RepeatedRequest} has the rules, {@link CallRepeats} what
   * is repeated. The reply of a repeated call has {@link Headers#REPEATED}, its failure {@link
   * McpFailure#repeats}. Neither {@code body} nor {@code options} may change before the future
   * completes. Parameters and failures are those of {@link #requestOnce}.
   */
  default <T> Future<Message<T>> request(
      @Nullable ConnectionId server, String address, Object body, DeliveryOptions options) {
    RepeatedRequest<T> repeated = repeats().watch(this, server, address, body, options);
    Future<Message<T>> first = requestOnce(server, address, body, options);
    return repeated == null ? first : first.recover(repeated::lost);
  }

  /** Which calls this sender repeats. */
  CallRepeats repeats();

  /**
   * Sends a request, at most once. In a cluster, if the connection has no owner at the moment, a
   * request with {@link Headers#DEADLINE} or {@link Headers#CALL_ID} waits for the next owner up to
   * 3 s and never beyond its deadline; any other request fails at once.
   *
   * @param server the server of the connection; null for a service that every node has
   * @return fails as the event bus fails; in a cluster also with {@code OWNER_LOST}, or with {@code
   *     UNAVAILABLE} while the connection has no owner
   */
  <T> Future<Message<T>> requestOnce(
      @Nullable ConnectionId server, String address, Object body, DeliveryOptions options);

  /**
   * Reads the state of a connection: a request without headers, whose reply's body alone counts. In
   * a cluster, readings of {@link Addresses#STATUS} and {@link Addresses#TOOLS_LIST} of one node's
   * connections, made within a few milliseconds, share a message. A bundle that brings no answer
   * takes at most half of the send time-out; then the request is made alone.
   *
   * @param suffix of the address
   * @return fails as {@link #request}
   */
  default <T> Future<T> read(
      ConnectionId server, String suffix, Object body, DeliveryOptions options) {
    return this.<T>request(server, Addresses.of(server, suffix), body, options).map(Message::body);
  }

  /**
   * Replaces the connection of a server on this node. Requests that come meanwhile wait for the
   * next one, up to 3 s and never beyond their deadline; in a cluster they wait for any owner.
   *
   * @param replacement completes when the next connection has its addresses
   */
  default Future<Void> whileReplaced(ConnectionId server, Supplier<Future<Void>> replacement) {
    return replacement.get();
  }

  /** The nodes of the cluster. */
  ClusterMembership membership();

  /** True if the address of a request had no consumer; the request was not sent. */
  static boolean hadNoReceiver(Throwable failure) {
    return failure instanceof ReplyException reply
        && reply.failureType() == ReplyFailure.NO_HANDLERS;
  }

  /** True if a connection that does not serve refused the request; it was not sent. */
  static boolean isRefused(McpFailure failure) {
    return failure.code() == FailureCode.UNAVAILABLE && failure.sent() == McpFailure.Sent.NO;
  }
}
