package dev.mcpbus.connection;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.Events;
import dev.mcpbus.bus.ListKind;
import dev.mcpbus.bus.ServerNotice;
import dev.mcpbus.connection.options.PrivateConnection;
import dev.mcpbus.connection.options.ReplicaRole;
import dev.mcpbus.connection.session.MessageOwner;
import dev.mcpbus.protocol.RawJson;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.EventBus;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Publishes the events of one connection on its own address and on the address of all events. The
 * events of a private connection go to its client alone. Owner: the connection's context.
 */
final class EventPublisher {

  /** Most bytes of a notification that an event shows. */
  private static final int MAX_PARAMS = 256 * 1024;

  /**
   * The events of a shared connection that the gateway passes to clients; changes of lists come by
   * {@link #announce}.
   */
  private static final Set<String> FOR_GATEWAY = Set.of(Events.RESOURCE_UPDATED, Events.TASK);

  /** The events of a principal's connection that are of interest beyond its holder. */
  private static final Set<String> FOR_PRINCIPAL =
      Set.of(
          Events.TOOLS_CHANGED,
          Events.RESOURCES_CHANGED,
          Events.PROMPTS_CHANGED,
          Events.RESOURCE_UPDATED,
          Events.TASK,
          Events.NOTIFICATION,
          Events.LOG,
          Events.SCHEMA_DRIFT);

  private final EventBus bus;
  private final ConnectionId id;
  private final @Nullable String principal;
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
    ConnectionId shown = privateConnection == null ? null : privateConnection.shownAs();
    this.id = shown == null ? id : shown;
    this.principal = privateConnection == null ? null : privateConnection.principal();
    this.address = Addresses.of(this.id, Addresses.EVENTS);
    this.privateConnection = privateConnection;
    this.role = role;
  }

  /** Publishes an event that is no notification of the server. */
  void publish(String type, long epoch, JsonObject more) {
    if (role == null || role.publishes(type)) {
      publishAlways(type, epoch, more);
    }
  }

  /** Publishes the event whatever the role says. */
  void publishAlways(String type, long epoch, JsonObject more) {
    if (privateConnection != null && Addresses.takesBytes(privateConnection.events())) {
      send(privateConnection.events(), type, "", RawJson.EMPTY_OBJECT, null);
    } else {
      publish(type, event(type, epoch).mergeIn(more), new DeliveryOptions());
    }
  }

  /**
   * Publishes a notification of the server. The gateway gets its params as the bytes that the
   * server sent.
   *
   * @param owner whose it is
   */
  void publish(String type, long epoch, String method, RawJson params, MessageOwner owner) {
    if (role != null && !role.publishes(type)) {
      return;
    }
    if (privateConnection != null && Addresses.takesBytes(privateConnection.events())) {
      send(privateConnection.events(), type, method, params, owner.callId());
      return;
    }
    JsonObject event = event(type, epoch).put("params", shown(params));
    if (type.equals(Events.NOTIFICATION)) {
      event.put("method", method);
    }
    if (owner.restricted()) {
      event.put("principal", owner.owner());
    }
    boolean beside = (privateConnection == null || principal != null) && FOR_GATEWAY.contains(type);
    publish(type, event, beside ? ServerNotice.beside() : new DeliveryOptions());
    if (beside) {
      new ServerNotice(id.value(), type, method, params, null, principal).publish(bus);
    }
  }

  /** As objects, long params would take twenty times their bytes. */
  private static JsonObject shown(RawJson params) {
    return params.length() <= MAX_PARAMS
        ? params.toJsonObject()
        : new JsonObject().put("leftOut", params.length() + " bytes");
  }

  /**
   * Passes a {@code list_changed} to the gateway as the server sent it, each one. All other readers
   * get the event of the changed list.
   */
  void announce(String method, RawJson params) {
    String changed = ListKind.announcedBy(method).get(0).event;
    if (role != null && !role.publishes(changed)) {
      return;
    }
    if (privateConnection == null || principal != null) {
      new ServerNotice(id.value(), Events.NOTIFICATION, method, params, null, principal)
          .publish(bus);
    } else if (Addresses.takesBytes(privateConnection.events())) {
      send(privateConnection.events(), Events.NOTIFICATION, method, params, null);
    }
  }

  private JsonObject event(String type, long epoch) {
    return new JsonObject()
        .put("type", type)
        .put("id", id.value())
        .put("epoch", epoch)
        .put("time", Instant.now().toString());
  }

  private void send(
      String holder, String type, String method, RawJson params, @Nullable String call) {
    new ServerNotice(id.value(), type, method, params, call).sendTo(bus, holder);
  }

  private void publish(String type, JsonObject event, DeliveryOptions options) {
    if (principal != null) {
      event.put("principal", principal);
    }
    if (privateConnection != null && (principal == null || !FOR_PRINCIPAL.contains(type))) {
      bus.send(privateConnection.events(), event, options);
      return;
    }
    bus.publish(address, event, options);
    bus.publish(Addresses.ALL_EVENTS, event, options);
  }
}
