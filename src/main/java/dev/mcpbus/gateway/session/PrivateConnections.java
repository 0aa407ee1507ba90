package dev.mcpbus.gateway.session;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.protocol.Era;
import dev.mcpbus.protocol.RawJson;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.json.JsonObject;
import java.util.List;
import org.jspecify.annotations.Nullable;

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
   * @param renewable whether a new connection may take its place where its node is lost
   * @param maxCallMillis the longest time that a call over it may take
   */
  record Opened(ConnectionId id, boolean shared, boolean renewable, long maxCallMillis) {

    /** The connection that all clients share. */
    static Opened shared(ConnectionId id, long maxCallMillis) {
      return new Opened(id, true, true, maxCallMillis);
    }
  }

  /**
   * What a private connection tells its server about the client.
   *
   * @param initialize the params of the client's {@code initialize}, as it wrote them; of a client
   *     of the {@code discover} era what it states with a request
   * @param initialized the params of its {@code notifications/initialized}; null for none
   * @param capabilities those of {@code initialize}
   */
  record ClientStatement(
      RawJson initialize, @Nullable RawJson initialized, JsonObject capabilities) {

    /** Capabilities by which servers decide what they list. */
    private static final List<String> DECIDING =
        List.of("elicitation", "sampling", "roots", "extensions", "experimental");

    /** What a client states in a message of its own, or with a request. */
    static ClientStatement of(RawJson initialize, @Nullable RawJson initialized) {
      RawJson stated = initialize.member("capabilities");
      return new ClientStatement(
          initialize,
          initialized,
          stated == null || !stated.isObject() ? new JsonObject() : stated.toJsonObject());
    }

    /** Adds it to a message of which older nodes know no texts. */
    private JsonObject into(JsonObject wish) {
      RawJson clientInfo = initialize.member("clientInfo");
      RawJson version = initialize.member("protocolVersion");
      return wish.put("capabilities", capabilities)
          .put(
              "clientInfo",
              clientInfo == null || !clientInfo.isObject() ? null : clientInfo.toJsonObject())
          .put(
              "protocolVersion", version == null || !version.isString() ? null : version.asString())
          .put("initialize", initialize.toString())
          .put("initialized", initialized == null ? null : initialized.toString());
    }

    boolean decidesLists() {
      return DECIDING.stream().anyMatch(capabilities::containsKey);
    }
  }

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
   * @param statement what the connection tells the server
   * @param owner the name of the client's principal
   * @param era of the server; null if it is not known
   */
  Future<Opened> open(String server, ClientStatement statement, String owner, @Nullable Era era) {
    JsonObject wish =
        statement
            .into(new JsonObject())
            .put("id", server)
            .put("input", registry.inputs())
            .put("events", registry.privateEvents())
            .put("owner", owner)
            .put("era", era == null ? null : era.name())
            .put("ttl", TTL_MILLIS);
    return vertx
        .eventBus()
        .<JsonObject>request(Addresses.SERVERS_LEASE, wish, LOCAL)
        .map(
            answer -> {
              String id = answer.body().getString("lease");
              long longest = answer.body().getLong("maxCallMillis", 0L);
              return id == null
                  ? Opened.shared(new ConnectionId(server), longest)
                  : new Opened(
                      new ConnectionId(id),
                      false,
                      answer.body().getBoolean("renewable", false),
                      longest);
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

  /** Sets the log level of a connection; the server's result. */
  Future<RawJson> level(ConnectionId connection, RawJson params) {
    return vertx
        .eventBus()
        .<Buffer>request(Addresses.of(connection, Addresses.LOGLEVEL), params.toBuffer())
        .map(answer -> RawJson.of(answer.body()));
  }
}
