package dev.mcpbus.gateway.session;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.protocol.RawJson;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.json.JsonObject;

/**
 * Opens, renews and releases private connections of clients. The service is on this node, because a
 * private connection runs on the node of its client. What the server asks and reports comes to the
 * addresses of this session host. Confined to the host's context.
 */
final class PrivateConnections {

  /**
   * The connection that answers a client.
   *
   * @param shared whether it is the connection of the server, which all clients share
   * @param maxCallMillis the longest time that a call over it may take
   */
  record Opened(ConnectionId id, boolean shared, long maxCallMillis) {}

  /** The time between two renewals of a connection, milliseconds. */
  static final long RENEWAL_MILLIS = 60_000;

  /** How long a connection lives without a renewal, milliseconds. */
  private static final long TTL_MILLIS = 3 * RENEWAL_MILLIS;

  private static final DeliveryOptions LOCAL = new DeliveryOptions().setLocalOnly(true);

  private final Vertx vertx;
  private final CallRegistry registry;

  PrivateConnections(Vertx vertx, CallRegistry registry) {
    this.vertx = vertx;
    this.registry = registry;
  }

  /**
   * Opens a private connection, unless all clients share the connection of this server.
   *
   * @param capabilities of the client, which the connection states as its own
   * @param owner the name of the client's principal
   */
  Future<Opened> open(String server, JsonObject capabilities, String owner) {
    JsonObject wish =
        new JsonObject()
            .put("id", server)
            .put("capabilities", capabilities)
            .put("input", registry.inputs())
            .put("events", registry.privateEvents())
            .put("owner", owner)
            .put("ttl", TTL_MILLIS);
    return vertx
        .eventBus()
        .<JsonObject>request(Addresses.SERVERS_LEASE, wish, LOCAL)
        .map(
            answer -> {
              String id = answer.body().getString("lease");
              long longest = answer.body().getLong("maxCallMillis", 0L);
              return new Opened(new ConnectionId(id == null ? server : id), id == null, longest);
            });
  }

  /**
   * Renews a connection.
   *
   * @param inUse whether its client uses it; an idle one can make room for other clients
   * @return fails with {@code UNKNOWN_CONNECTION} if it does not exist any more
   */
  Future<?> renew(ConnectionId connection, boolean inUse) {
    return vertx
        .eventBus()
        .request(
            Addresses.SERVERS_LEASE,
            new JsonObject()
                .put("lease", connection.value())
                .put("ttl", TTL_MILLIS)
                .put("inUse", inUse),
            LOCAL);
  }

  /** Ends a connection; never fails. */
  Future<Void> release(ConnectionId connection) {
    return vertx
        .eventBus()
        .request(
            Addresses.SERVERS_RELEASE, new JsonObject().put("lease", connection.value()), LOCAL)
        .<Void>mapEmpty()
        .otherwiseEmpty();
  }

  /** Sets the log level of a connection; does not wait for the answer. */
  void level(ConnectionId connection, String level) {
    vertx
        .eventBus()
        .request(
            Addresses.of(connection, Addresses.LOGLEVEL),
            RawJson.EMPTY_OBJECT.with("level", RawJson.string(level)).toBuffer());
  }
}
