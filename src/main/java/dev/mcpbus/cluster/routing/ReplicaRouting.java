package dev.mcpbus.cluster.routing;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.ConnectionState;
import dev.mcpbus.bus.Headers;
import dev.mcpbus.bus.ReplicaId;
import dev.mcpbus.cluster.membership.NodeMessage;
import dev.mcpbus.replicas.OwnerTable;
import dev.mcpbus.replicas.ReplicaOwner;
import dev.mcpbus.replicas.ReplicaPeers;
import io.vertx.core.Future;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The replicas of each server and their owners, as far as this process has received them, and
 * requests to one of them. Belongs to {@link ClusterRequests}. Any thread may call.
 */
public record ReplicaRouting(ClusterRequests requests, OwnerTable owners) implements ReplicaPeers {

  @Override
  public List<ReplicaOwner> of(ConnectionId server) {
    return owners.all(server);
  }

  @Override
  public @Nullable ReplicaOwner speaker(ConnectionId server) {
    return owners.speaker(server);
  }

  /**
   * The owner to which the next request at an address of the server goes.
   *
   * @param tried replicas whose owner was gone when the request arrived: it was not delivered there
   * @return null where no other owner is known
   */
  @Nullable ReplicaOwner next(
      ConnectionId server, String address, DeliveryOptions options, Set<ReplicaId> tried) {
    ReplicaOwner only = tried.isEmpty() ? owners.only(server) : null;
    if (only != null) {
      return only; // nearly all servers: the address need not be taken apart
    }
    // A call that becomes a task belongs to the session that runs it, so the speaker takes it.
    boolean task = options.getHeaders() != null && options.getHeaders().contains(Headers.TASK);
    boolean spread = !task && OwnerTable.isSpread(suffix(server, address));
    return owners.next(server, spread, tried, spread ? requests.key(server, options) : null);
  }

  /**
   * The end of the address, which names the operation; a header carries it to a replica's own
   * address.
   */
  static String suffix(ConnectionId server, String address) {
    return address.substring(Addresses.of(server, "").length());
  }

  @Override
  public <T> Future<Message<T>> request(
      ReplicaOwner owner, String suffix, Object body, DeliveryOptions options) {
    return requests.requestOf(owner, suffix, body, options);
  }

  /** To all nodes. */
  @Override
  public void publish(ReplicaId replica, ConnectionState state, String version) {
    owners.state(replica, requests.self(), state, version);
    requests
        .messages()
        .publish(new NodeMessage.ReplicaState(requests.self(), replica, state, version));
  }

  @Override
  public void listen(ReplicaId replica, NodeReplica own) {
    owners.listen(replica, own::changed);
  }

  @Override
  public void forget(ReplicaId replica) {
    owners.forget(replica);
  }

  @Override
  public boolean passesOn(ReplicaId at, String suffix, Message<Object> message) {
    return false;
  }
}
