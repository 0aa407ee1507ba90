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
 * Publishes the facts of one connection on its own address and on the common one; of a leased one
 * they go to its lessee alone.
 */
final class EventPublisher {

  private final EventBus bus;
  private final ConnectionId id;
  private final String address;
  private final @Nullable PrivateConnection privateConnection;
  private final @Nullable ReplicaRole role;

  /**
   * @param privateConnection where the facts go instead, null for a connection that everybody may
   *     use
   * @param role of which one tells what is the same for all, null for the only connection
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
    if (role == null || role.tells(type)) {
      tell(type, epoch, more);
    }
  }

  /** Whoever else tells it. */
  void tell(String type, long epoch, JsonObject more) {
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
