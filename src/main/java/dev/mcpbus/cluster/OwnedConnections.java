package dev.mcpbus.cluster;

import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.OwnershipEpoch;
import dev.mcpbus.bus.ReplicaId;
import dev.mcpbus.cluster.engine.AddressWithdrawal;
import dev.mcpbus.cluster.ownership.OwnershipListener;
import dev.mcpbus.cluster.routing.ClusterRequests;
import dev.mcpbus.config.ServerDefinition;
import dev.mcpbus.connection.ConnectionVerticle;
import dev.mcpbus.connection.options.Ownership;
import dev.mcpbus.connection.options.ReplicaRole;
import dev.mcpbus.hosting.ConnectionHost;
import dev.mcpbus.internals.InternalContext;
import dev.mcpbus.replicas.ReplicaCoordinator;
import dev.mcpbus.replicas.ReplicaReplacementOrder;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The connections that this node owns: starts, replaces and stops each under its ownership.
 * Confined to the context of {@code ServersVerticle}, to which {@link #own} and {@link #disown} hop
 * from the context of ownership.
 */
final class OwnedConnections implements OwnershipListener {

  private static final Logger LOG = LoggerFactory.getLogger(OwnedConnections.class);

  /**
   * @param held the claim lease
   */
  private record Owned(OwnershipEpoch epoch, BooleanSupplier held) {}

  private final InternalContext context;
  private final String node;
  private final ConnectionHost connections;
  private final Function<ConnectionId, @Nullable ServerDefinition> definitions;
  private final AddressWithdrawal addresses;
  private final ReplicaReplacementOrder replacementOrder;
  private final Map<ReplicaId, Owned> owned = new HashMap<>();

  /** How many connections of a server are ending here. */
  private final Map<ConnectionId, Integer> ending = new HashMap<>();

  private final Map<ConnectionId, Promise<Void>> awaitingEnd = new HashMap<>();

  /**
   * @param node the name of this node
   * @param definitions the definitions as this node last read them
   */
  OwnedConnections(
      Vertx vertx,
      String node,
      ConnectionHost connections,
      Function<ConnectionId, @Nullable ServerDefinition> definitions) {
    this.context = InternalContext.current(vertx);
    this.node = node;
    this.connections = connections;
    this.definitions = definitions;
    this.addresses = new AddressWithdrawal(vertx);
    this.replacementOrder =
        new ReplicaReplacementOrder(vertx, ClusterRequests.of(vertx).replicas());
  }

  @Override
  public Future<Void> own(String id, long epoch, BooleanSupplier held) {
    return context.call(() -> start(id, epoch, held));
  }

  private Future<Void> start(String id, long epoch, BooleanSupplier held) {
    ReplicaId replica = ReplicaId.parse(id).orElseThrow();
    ServerDefinition definition = definitions.apply(replica.server());
    if (definition == null) {
      return Future.failedFuture(
          new IllegalStateException("this node cannot read the definition of '" + id + "'"));
    }
    Owned mine = new Owned(new OwnershipEpoch(replica, epoch), held);
    owned.put(replica, mine);
    return connections.start(
        definition, replica, ownership(definition, mine), mine.epoch().sessions());
  }

  private Ownership ownership(ServerDefinition definition, Owned mine) {
    boolean several = definition.replicas() > 1;
    return new Ownership(
        node,
        mine.epoch().text(several),
        mine.held(),
        several ? role(mine.epoch().replica(), definition.version()) : null);
  }

  private static ReplicaRole.RoleFactory role(ReplicaId replica, String version) {
    return (vertx, self) ->
        new ReplicaCoordinator(vertx, ClusterRequests.of(vertx).replicas(), replica, version, self);
  }

  /**
   * Ends the private connections of a server whose definition has changed or is gone, then replaces
   * its connections on this node. Those that the reconciler has to stop stay as they are.
   *
   * @return succeeds when this is done; it does not wait for replicas, of which one is replaced
   *     after the other
   */
  Future<Void> redefined(ConnectionId id) {
    ServerDefinition now = definitions.apply(id);
    Future<Void> ended = connections.endPrivate(id);
    List<Future<Void>> steps = new ArrayList<>(List.of(ended));
    owned.forEach(
        (replica, mine) -> {
          if (replica.server().equals(id) && now != null && replica.number() < now.replicas()) {
            Future<Void> replaced = ended.compose(gone -> replaceInTurn(now, replica, mine));
            if (now.replicas() == 1) {
              steps.add(replaced);
            }
          }
        });
    return Future.join(steps).mapEmpty();
  }

  /** Replicas take a changed definition one after the other; the others serve meanwhile. */
  private Future<Void> replaceInTurn(ServerDefinition next, ReplicaId replica, Owned mine) {
    return replacementOrder
        .mayReplace(replica, next.version())
        .compose(
            turn ->
                mine.equals(owned.get(replica)) && next.equals(definitions.apply(replica.server()))
                    ? connections.replace(
                        next, replica, ownership(next, mine), mine.epoch().sessions())
                    : Future.succeededFuture());
  }

  @Override
  public Future<Void> disown(String id, boolean drain) {
    return context.call(() -> stop(id, drain));
  }

  private Future<Void> stop(String id, boolean drain) {
    ReplicaId replica = ReplicaId.parse(id).orElseThrow();
    if (owned.remove(replica) == null) {
      return Future.succeededFuture();
    }
    ConnectionId connection = replica.server();
    ending.merge(connection, 1, Integer::sum);
    return stop(replica, drain).onComplete(stopped -> ended(connection));
  }

  private void ended(ConnectionId id) {
    ending.computeIfPresent(id, (same, count) -> count == 1 ? null : Integer.valueOf(count - 1));
    if (!runs(id)) {
      Promise<Void> waiting = awaitingEnd.remove(id);
      if (waiting != null) {
        waiting.complete();
      }
    }
  }

  private boolean runs(ConnectionId id) {
    return ending.containsKey(id)
        || owned.keySet().stream().anyMatch(replica -> replica.server().equals(id));
  }

  /** Completes when no connection to the server is left on this node. */
  Future<Void> gone(ConnectionId id) {
    return runs(id)
        ? awaitingEnd.computeIfAbsent(id, one -> Promise.promise()).future()
        : Future.succeededFuture();
  }

  private Future<Void> stop(ReplicaId replica, boolean drain) {
    ConnectionId connection = replica.server();
    if (!drain) {
      connections
          .endPrivate(connection)
          .onFailure(
              failure -> LOG.warn("{}: a private connection did not end", connection, failure));
      return connections.kill(connection);
    }
    return addresses
        .withdraw(ConnectionVerticle.addresses(replica))
        .compose(alone -> connections.endPrivate(connection))
        .transform(ended -> connections.end(connection));
  }
}
