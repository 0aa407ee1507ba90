package dev.mcpbus.cluster.routing;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.ConnectionState;
import dev.mcpbus.bus.Headers;
import dev.mcpbus.bus.ReplicaId;
import dev.mcpbus.cluster.membership.NodeMessage;
import io.vertx.core.Future;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The connections that each server has in the cluster, as far as this process has heard; one of
 * {@link ClusterRequests}. Any thread may call.
 */
public final class ReplicaRouting {

  private final ClusterRequests calls;
  private final OwnerTable owners;

  ReplicaRouting(ClusterRequests calls, OwnerTable owners) {
    this.calls = calls;
    this.owners = owners;
  }

  /** Those that are owned, lowest number first. */
  public List<ReplicaOwner> of(ConnectionId server) {
    return owners.all(server);
  }

  /** The one that speaks for all: the first that serves, else the first; null where none is. */
  public @Nullable ReplicaOwner speaker(ConnectionId server) {
    return owners.first(server);
  }

  /** True where each replica answers for itself, so that calls are spread. */
  public static boolean isSpread(String suffix) {
    return OwnerTable.isSpread(suffix);
  }

  /**
   * To whom a request at an address of the server goes.
   *
   * @param tried that had it and were gone already; nobody has seen it
   * @return null where nobody else is known to own it
   */
  @Nullable ReplicaOwner next(
      ConnectionId server, String address, DeliveryOptions options, Set<ReplicaId> tried) {
    // A task that is asked for belongs to the session that makes it.
    boolean task = options.getHeaders() != null && options.getHeaders().contains(Headers.TASK);
    return owners.next(server, !task && isSpread(suffix(server, address)), tried);
  }

  /** What is asked of the server, which is said beside a replica's own address. */
  static String suffix(ConnectionId server, String address) {
    return address.substring(Addresses.of(server, "").length());
  }

  /** A request to one of them and no other. */
  public <T> Future<Message<T>> request(
      ReplicaOwner owner, String suffix, Object body, DeliveryOptions options) {
    return calls.requestOf(owner, suffix, body, options);
  }

  /** Tells all nodes how the replica that lives on this one is. */
  public void publish(ReplicaId replica, ConnectionState state, String version) {
    owners.state(replica, calls.self(), state, version);
    calls.messages().publish(new NodeMessage.ReplicaState(calls.self(), replica, state, version));
  }

  /** {@code listener} hears of every change of the replicas of its server, on any thread. */
  public void listen(ReplicaId replica, Runnable listener) {
    owners.listen(replica, listener);
  }

  public void forget(ReplicaId replica) {
    owners.forget(replica);
  }
}
