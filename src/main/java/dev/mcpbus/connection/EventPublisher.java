package dev.mcpbus.connection;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.connection.options.PrivateConnection;
import dev.mcpbus.connection.options.ReplicaRole;
import io.vertx.core.eventbus.EventBus;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Publishes the events of one connection on its own address and on the address of all events. The
 * events of a private connection go to its client alone. Owner: the connection's context.
 */
final class EventPublisher {

  private final EventBus bus;
  private final ConnectionId id;
  private final String address;
  private final @Nullable PrivateConnection privateConnection;
  private final @Nullable ReplicaRole role;

  /**
   * @param privateConnection names the address of the client that gets the events; null for a
   *     connection that all callers share
   * @param role decides which of several replicas publishes an event that they have in common; null
   *     for the only connection
   */
  EventPublisher(
      EventBus bus,
      ConnectionId id,
      @Nullable PrivateConnection privateConnection,
      @Nullable ReplicaRole role) {
    this.bus = bus;
    this.id = id;
    this.address = Addresses.of(id, Addresses.EVENTS);
    this.privateConnection = privateConnection;
    this.role = role;
  }

  void publish(String type, long epoch, JsonObject more) {
    if (role == null || role.publishes(type)) {
      publishAlways(type, epoch, more);
    }
  }

  /** Publishes the event whatever the role says. */
  void publishAlways(String type, long epoch, JsonObject more) {
    JsonObject event =
        new JsonObject()
            .put("type", type)
            .put("id", id.value())
            .put("epoch", epoch)
            .put("time", Instant.now().toString())
            .mergeIn(more);
    if (privateConnection != null) {
      bus.send(privateConnection.events(), event);
      return;
    }
    bus.publish(address, event);
    bus.publish(Addresses.ALL_EVENTS, event);
  }
}
