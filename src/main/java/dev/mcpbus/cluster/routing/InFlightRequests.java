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

/** Requests that are under way, each with the node that it went to. Any thread may call. */
final class InFlightRequests {

  private final Set<Flight<?>> all = ConcurrentHashMap.newKeySet();

  /** Nodes that have left; one of them may come back after a partition. */
  private final Set<String> gone = ConcurrentHashMap.newKeySet();

  /** Whether the bus says where messages go; else the owner that is known is believed. */
  private volatile boolean exact;

  final class Flight<T> {
    private final long sentAt = System.nanoTime();
    private final @Nullable ConnectionId server;
    private final @Nullable ReplicaOwner owner;
    private final Promise<Message<T>> promise;
    private volatile @Nullable String node;

    private Flight(
        @Nullable ConnectionId server, @Nullable ReplicaOwner owner, Promise<Message<T>> promise) {
      this.server = server;
      this.owner = owner;
      this.promise = promise;
    }

    /** The bus has chosen a node. */
    void goesTo(String to) {
      exact = true;
      node = to;
      // It may have left since it was chosen, when nobody knew yet that this call goes there.
      if (gone.contains(to)) {
        lost(this, "that the call went to has left the cluster");
      }
    }

    private boolean isAt(String where) {
      return where.equals(exact ? node : owner == null ? null : owner.node());
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
   * @param owner whom it is for, as far as that is known
   * @param promise completed once, by whatever ends it first
   */
  <T> Flight<T> begin(
      @Nullable ConnectionId server, @Nullable ReplicaOwner owner, Promise<Message<T>> promise) {
    Flight<T> flight = new Flight<>(server, owner, promise);
    all.add(flight);
    return flight;
  }

  /** A node has left: what went there ends. */
  void left(String node) {
    gone.add(node);
    endAll(flight -> flight.isAt(node), "that held %s has left the cluster; the call may have run");
  }

  void joined(String node) {
    gone.remove(node);
  }

  boolean isGone(String node) {
    return gone.contains(node);
  }

  /**
   * A node handed a connection over a while ago: all that it had accepted it has answered by now,
   * and what is left it has never seen, or cut.
   *
   * @param before nanoseconds; later calls are none of its
   */
  void released(ReplicaId replica, String node, long before) {
    endAll(
        flight ->
            replica.server().equals(flight.server)
                && (flight.owner == null || flight.owner.replica().equals(replica))
                && flight.isAt(node)
                && flight.sentAt < before,
        "handed %s over before it answered; the call may have run");
  }

  private void endAll(Predicate<Flight<?>> which, String what) {
    for (Flight<?> flight : all) {
      if (which.test(flight)) {
        lost(flight, String.format(what, flight.what()));
      }
    }
  }

  private void lost(Flight<?> flight, String what) {
    if (all.remove(flight)) {
      flight.promise.tryFail(McpFailure.maybeSent(FailureCode.OWNER_LOST, "the node " + what));
    }
  }
}
