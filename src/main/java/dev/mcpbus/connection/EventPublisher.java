package dev.mcpbus.connection;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.ConnectionId;
import io.vertx.core.eventbus.EventBus;
import io.vertx.core.json.JsonObject;
import java.time.Instant;

/** Publishes the facts of one connection on its own address and on the common one. */
final class EventPublisher {

  private final EventBus bus;
  private final ConnectionId id;
  private final String address;

  EventPublisher(EventBus bus, ConnectionId id) {
    this.bus = bus;
    this.id = id;
    this.address = Addresses.of(id, Addresses.EVENTS);
  }

  void publish(String type, long epoch, JsonObject more) {
    JsonObject event =
        new JsonObject()
            .put("type", type)
            .put("id", id.value())
            .put("epoch", epoch)
            .put("time", Instant.now().toString())
            .mergeIn(more);
    bus.publish(address, event);
    bus.publish(Addresses.ALL_EVENTS, event);
  }
}
