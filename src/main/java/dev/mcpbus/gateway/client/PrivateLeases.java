package dev.mcpbus.gateway.client;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.directory.DirectoryEntry;
import dev.mcpbus.gateway.client.ClientConnections.Opened;
import dev.mcpbus.protocol.Era;
import io.vertx.core.Future;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.json.JsonObject;
import org.jspecify.annotations.Nullable;

/**
 * Asks the verticle of this node's servers for private connections of one client.
 *
 * @param owner the name of the client's principal
 * @param ttlMillis how long a connection lives without a renewal
 */
record PrivateLeases(HostParts host, String owner, long ttlMillis) {

  private static final DeliveryOptions LOCAL = new DeliveryOptions().setLocalOnly(true);

  /**
   * Opens a private connection, unless all clients share the connection of this server.
   *
   * @param statement what the connection tells the server
   */
  Future<Opened> open(ConnectionId server, ClientStatement statement) {
    Era era = era(server);
    JsonObject wish =
        statement
            .into(new JsonObject())
            .put("id", server.value())
            .put("input", host.registry().inputs())
            .put("events", host.registry().privateEvents())
            .put("owner", owner)
            .put("era", era == null ? null : era.name())
            .put("ttl", ttlMillis);
    return host.vertx()
        .eventBus()
        .<JsonObject>request(Addresses.SERVERS_LEASE, wish, LOCAL)
        .map(
            answer -> {
              String id = answer.body().getString("lease");
              long longest = answer.body().getLong("maxCallMillis", 0L);
              return id == null
                  ? Opened.shared(server, longest)
                  : new Opened(
                      new ConnectionId(id),
                      false,
                      answer.body().getBoolean("renewable", false),
                      longest);
            });
  }

  /** Of a server that is up; null if it is not known. */
  private @Nullable Era era(ConnectionId server) {
    DirectoryEntry facts = host.directory().snapshot().server(server.value());
    return facts == null || !facts.up() ? null : facts.isDiscover() ? Era.DISCOVER : Era.INITIALIZE;
  }

  /**
   * Renews a connection.
   *
   * @param inUse whether its client uses it; an idle one can make room for other clients
   * @return fails with {@code UNKNOWN_CONNECTION} if it does not exist any more
   */
  Future<?> renew(ConnectionId connection, boolean inUse) {
    return host.vertx()
        .eventBus()
        .request(
            Addresses.SERVERS_LEASE,
            new JsonObject()
                .put("lease", connection.value())
                .put("ttl", ttlMillis)
                .put("inUse", inUse),
            LOCAL);
  }

  /** Ends a connection; never fails. */
  Future<Void> release(ConnectionId connection) {
    return host.vertx()
        .eventBus()
        .request(
            Addresses.SERVERS_RELEASE, new JsonObject().put("lease", connection.value()), LOCAL)
        .<Void>mapEmpty()
        .otherwiseEmpty();
  }
}
