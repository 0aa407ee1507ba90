package dev.mcpbus.hosting;

import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.DisconnectedServers;
import dev.mcpbus.bus.ReplicaId;
import dev.mcpbus.bus.RequestSender;
import dev.mcpbus.config.ServerDefinition;
import dev.mcpbus.connection.options.Ownership;
import dev.mcpbus.replicas.LocalReplicas;
import dev.mcpbus.replicas.ReplicaReplacementOrder;
import dev.mcpbus.supervisor.SupervisorVerticle;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Starts and ends connections on this node. Each is a child of the supervisor, and clients may hold
 * private connections to the same server. Confined to the context of {@link ServersVerticle}.
 */
public final class ConnectionHost {

  private static final Logger LOG = LoggerFactory.getLogger(ConnectionHost.class);

  private final SupervisorVerticle supervisor;
  private final ConnectionFactory factory;
  private final Function<ConnectionId, Future<Void>> endPrivate;
  private final DisconnectedServers disconnected;

  /** The servers whose connections this node runs without a claim. */
  private final Map<ConnectionId, ServerDefinition> present = new HashMap<>();

  /**
   * @param endPrivate ends the private connections of a server
   */
  ConnectionHost(
      SupervisorVerticle supervisor,
      ConnectionFactory factory,
      Function<ConnectionId, Future<Void>> endPrivate) {
    this.supervisor = supervisor;
    this.factory = factory;
    this.endPrivate = endPrivate;
    this.disconnected = DisconnectedServers.of(factory.vertx());
    disconnected.clear();
  }

  /** Starts the connections of a server; completes when their addresses are registered. */
  public Future<Void> start(ServerDefinition definition) {
    present.put(definition.id(), definition);
    if (definition.replicas() == 1) {
      return supervisor.startChild(factory.childSpec(definition, 0));
    }
    return start(definition, 0)
        .recover(failure -> end(definition.id()).transform(ended -> Future.failedFuture(failure)));
  }

  private Future<Void> start(ServerDefinition definition, int from) {
    return Future.join(
            IntStream.range(from, definition.replicas())
                .mapToObj(number -> supervisor.startChild(factory.childSpec(definition, number)))
                .toList())
        .mapEmpty();
  }

  /**
   * Starts a connection that this node owns.
   *
   * @param epochBase the epochs of its sessions are higher
   */
  public Future<Void> start(
      ServerDefinition definition, ReplicaId replica, Ownership ownership, long epochBase) {
    return supervisor.startChild(factory.childSpec(definition, replica, ownership, epochBase));
  }

  /**
   * Replaces the connections of a server by those of another definition: of several one after the
   * other, so that the others serve meanwhile. A server that a caller has disconnected stays so.
   *
   * @return completes when the first is replaced
   */
  public Future<Void> replace(ServerDefinition next) {
    return RequestSender.of(factory.vertx())
        .whileReplaced(next.id(), () -> replaceConnections(next));
  }

  private Future<Void> replaceConnections(ServerDefinition next) {
    ServerDefinition before = present.put(next.id(), next);
    int had = before == null ? 1 : before.replicas();
    List<Future<Void>> rest = new ArrayList<>();
    for (int number = next.replicas(); number < had; number++) {
      rest.add(terminate(new ReplicaId(next.id(), number)));
    }
    Future<Void> first = supervisor.replaceChild(factory.childSpec(next, 0));
    for (int number = 1; number < Math.min(had, next.replicas()); number++) {
      replaceInTurn(next, number);
    }
    if (had < next.replicas()) {
      boolean isDisconnected = disconnected.contains(new ReplicaId(next.id(), 0).key());
      for (int number = had; number < next.replicas(); number++) {
        disconnected.set(new ReplicaId(next.id(), number).key(), isDisconnected);
      }
      rest.add(start(next, had));
    }
    rest.add(first);
    return Future.join(rest).mapEmpty();
  }

  private void replaceInTurn(ServerDefinition next, int number) {
    new ReplicaReplacementOrder(factory.vertx(), LocalReplicas.of(factory.vertx()))
        .mayReplace(new ReplicaId(next.id(), number), next.version())
        .compose(
            turn ->
                next.equals(present.get(next.id()))
                    ? supervisor.replaceChild(factory.childSpec(next, number))
                    : Future.succeededFuture())
        .onFailure(
            failure -> LOG.warn("{}: connection {} is not replaced", next.id(), number, failure));
  }

  /** Replaces a connection that this node owns. */
  public Future<Void> replace(
      ServerDefinition definition, ReplicaId replica, Ownership ownership, long epochBase) {
    return supervisor.replaceChild(factory.childSpec(definition, replica, ownership, epochBase));
  }

  /** Ends the connections of a server after their calls in flight. */
  public Future<Void> end(ConnectionId id) {
    ServerDefinition ended = present.remove(id);
    int had = ended == null ? 1 : ended.replicas();
    List<Future<Void>> all = new ArrayList<>();
    for (int number = had - 1; number >= 0; number--) {
      all.add(terminate(new ReplicaId(id, number)));
    }
    return Future.join(all).mapEmpty();
  }

  private Future<Void> terminate(ReplicaId child) {
    return supervisor
        .terminateChild(child.key())
        .onComplete(ended -> disconnected.set(child.key(), false));
  }

  /** Ends a connection at once: another node may own it already. */
  public Future<Void> kill(ConnectionId id) {
    return supervisor
        .killChild(id.value())
        .onComplete(ended -> disconnected.set(id.value(), false));
  }

  /** Ends the private connections of a server. */
  public Future<Void> endPrivate(ConnectionId id) {
    return endPrivate.apply(id);
  }
}
