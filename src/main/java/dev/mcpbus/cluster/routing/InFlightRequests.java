package dev.mcpbus.cluster.routing;

import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.ReplicaId;
import io.vertx.core.Promise;
import io.vertx.core.eventbus.Message;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The requests in flight, each with the node to which the bus sent it. {@link ClusterRequests} ends
 * them when that node leaves the cluster or has handed the connection over. Any thread may call.
 */
final class InFlightRequests {

  private final Set<InFlightRequest<?>> all = ConcurrentHashMap.newKeySet();

  /** Nodes that have left; one of them may join again after a partition. */
  private final Set<String> gone = ConcurrentHashMap.newKeySet();

  /**
   * Whether the bus reports the node of each message ({@link InFlightRequest#goesTo}); otherwise
   * the known owner counts as that node.
   */
  private volatile boolean nodeReported;

  final class InFlightRequest<T> {
    private final long sentAt = System.nanoTime();
    private final @Nullable ConnectionId server;
    private final @Nullable ReplicaOwner owner;
    private final Promise<Message<T>> promise;
    private volatile @Nullable String node;

    private InFlightRequest(
        @Nullable ConnectionId server, @Nullable ReplicaOwner owner, Promise<Message<T>> promise) {
      this.server = server;
      this.owner = owner;
      this.promise = promise;
    }

    /** The bus has chosen a node for the request. */
    void goesTo(String to) {
      nodeReported = true;
      node = to;
      // The node may have left after it was chosen and before it was recorded here: then left() has
      // not seen this request.
      if (gone.contains(to)) {
        lost(this, "that the call went to has left the cluster");
      }
    }

    private boolean isAt(String where) {
      return where.equals(nodeReported ? node : owner == null ? null : owner.node());
    }

    private String what() {
      return server == null ? "what was called" : "'" + server + "'";
    }

    void answered(Message<T> reply) {
      all.remove(this);
      promise.tryComplete(reply);
    }

    void failed(Throwable failure) {
      all.remove(this);
      promise.tryFail(failure);
    }
  }

  /**
   * @param owner the owner that should receive the request, null where none is known
   * @param promise completed once, by the reply, the failure of sending, or the loss of the node
   */
  <T> InFlightRequest<T> begin(
      @Nullable ConnectionId server, @Nullable ReplicaOwner owner, Promise<Message<T>> promise) {
    InFlightRequest<T> request = new InFlightRequest<>(server, owner, promise);
    all.add(request);
    return request;
  }

  /** Ends all requests that went to a node which has left. */
  void left(String node) {
    gone.add(node);
    endAll(
        request -> request.isAt(node), "that held %s has left the cluster; the call may have run");
  }

  void joined(String node) {
    gone.remove(node);
  }

  boolean isGone(String node) {
    return gone.contains(node);
  }

  /**
   * Ends the requests that a node has not answered some time after it handed a connection over. By
   * now it has answered everything that it had accepted: it never received these, or its answers
   * were lost.
   *
   * @param before {@code System.nanoTime()}: requests sent later went to the next owner
   */
  void released(ReplicaId replica, String node, long before) {
    endAll(
        request ->
            replica.server().equals(request.server)
                && (request.owner == null || request.owner.replica().equals(replica))
                && request.isAt(node)
                && request.sentAt < before,
        "handed %s over before it answered; the call may have run");
  }

  private void endAll(Predicate<InFlightRequest<?>> which, String what) {
    for (InFlightRequest<?> request : all) {
      if (which.test(request)) {
        lost(request, String.format(what, request.what()));
      }
    }
  }

  private void lost(InFlightRequest<?> request, String what) {
    if (all.remove(request)) {
      request.promise.tryFail(McpFailure.maybeSent(FailureCode.OWNER_LOST, "the node " + what));
    }
  }
}
