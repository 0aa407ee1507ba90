package dev.mcpbus.replicas;

import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.ConnectionState;
import dev.mcpbus.bus.ReplicaId;
import io.vertx.core.Future;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The replicas of each server, on one node or in a cluster. Any thread may call. */
public interface ReplicaPeers {

  /** A replica of this node, as the others on the node see it; any thread may call. */
  interface NodeReplica {

    /** The replicas of its server have changed. */
    void changed();

    /** Requests in flight. */
    int pending();

    /** Calls are to come here. */
    void wanted();

    /** Whether its open breaker waits for a probe; true once for each probe. */
    boolean takesProbe();

    /** Runs a task on its context. */
    void run(Runnable task);

    /** On its context: takes a message at an address of the server, alone. */
    void take(String suffix, Message<Object> message);
  }

  /** The replicas that have an owner, lowest number first. */
  List<ReplicaOwner> of(ConnectionId server);

  /**
   * The speaker of a server: its first replica that serves, else its first replica; null where no
   * owner is known.
   */
  @Nullable ReplicaOwner speaker(ConnectionId server);

  /**
   * The first replica of a server, whether it serves or not; null where no owner is known. What
   * only one may do at a time is its, because the speaker is another one while this one restarts.
   */
  default @Nullable ReplicaOwner first(ConnectionId server) {
    List<ReplicaOwner> all = of(server);
    return all.isEmpty() ? null : all.get(0);
  }

  /** Sends a request to one replica and no other. */
  <T> Future<Message<T>> request(
      ReplicaOwner owner, String suffix, Object body, DeliveryOptions options);

  /** Publishes the state of a replica of this node. */
  void publish(ReplicaId replica, ConnectionState state, String version);

  /** A replica of this node is there, and wants to hear of the others of its server. */
  void listen(ReplicaId replica, NodeReplica own);

  void forget(ReplicaId replica);

  /**
   * Hands a request that any replica can answer to the one whose turn it is.
   *
   * @param at the replica that has received it
   * @return false where that one answers it; always in a cluster, whose senders choose
   */
  boolean passesOn(ReplicaId at, String suffix, Message<Object> message);
}
