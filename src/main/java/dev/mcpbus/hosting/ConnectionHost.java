package dev.mcpbus.hosting;

import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.config.ServerDefinition;
import dev.mcpbus.connection.options.Ownership;
import dev.mcpbus.supervisor.SupervisorVerticle;
import io.vertx.core.Future;
import java.util.function.Function;

/**
 * Starts and ends connections on this node. Each is a child of the supervisor, and clients may hold
 * private connections to the same server. Confined to the context of {@link ServersVerticle}.
 */
public final class ConnectionHost {

  private final SupervisorVerticle supervisor;
  private final ConnectionFactory factory;
  private final Function<ConnectionId, Future<Void>> endPrivate;

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
  }

  /** Starts the connection of a server; completes when its addresses are registered. */
  public Future<Void> start(ServerDefinition definition) {
    return supervisor.startChild(factory.childSpec(definition));
  }

  /**
   * Starts a connection that this node owns.
   *
   * @param epochBase the epochs of its sessions are higher
   */
  public Future<Void> start(ServerDefinition definition, Ownership ownership, long epochBase) {
    return supervisor.startChild(factory.childSpec(definition, ownership, epochBase));
  }

  /** Replaces the connection of a server by one of another definition. */
  public Future<Void> replace(ServerDefinition definition) {
    return supervisor.replaceChild(factory.childSpec(definition));
  }

  /** Replaces a connection that this node owns. */
  public Future<Void> replace(ServerDefinition definition, Ownership ownership, long epochBase) {
    return supervisor.replaceChild(factory.childSpec(definition, ownership, epochBase));
  }

  /** Ends a connection after its calls in flight. */
  public Future<Void> end(ConnectionId id) {
    return supervisor.terminateChild(id.value());
  }

  /** Ends a connection at once: another node may own it already. */
  public Future<Void> kill(ConnectionId id) {
    return supervisor.killChild(id.value());
  }

  /** Ends the private connections of a server. */
  public Future<Void> endPrivate(ConnectionId id) {
    return endPrivate.apply(id);
  }
}
