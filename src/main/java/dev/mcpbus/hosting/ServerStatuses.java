package dev.mcpbus.hosting;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.ConnectionState;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.RequestSender;
import dev.mcpbus.config.ServerDefinition;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;

/**
 * The statuses of servers, from their connections. Used on the context of {@link ServersVerticle}.
 *
 * @param hosting which servers there are
 */
record ServerStatuses(Vertx vertx, ServerHosting hosting) {

  /** Time-out of one status request: a connection that hangs must not delay the list. */
  static final long MILLIS = 1_500;

  /** In the order of {@link ServerHosting#ids}. */
  Future<JsonArray> all() {
    RequestSender sender = RequestSender.of(vertx);
    List<Future<JsonObject>> statuses =
        hosting.ids().stream()
            .map(
                id -> described(id, sender.read(id, Addresses.STATUS, new JsonObject(), options())))
            .toList();
    return Future.join(statuses)
        .map(all -> new JsonArray(statuses.stream().map(Future::result).toList()));
  }

  /**
   * While a connection is being redeployed its address is missing; the list still has the server,
   * with the reason why nothing else is known of it.
   */
  Future<JsonObject> of(ConnectionId id) {
    return described(
        id,
        RequestSender.of(vertx)
            .<JsonObject>request(
                id, Addresses.of(id, Addresses.STATUS), new JsonObject(), options())
            .map(Message::body));
  }

  private static DeliveryOptions options() {
    return new DeliveryOptions().setSendTimeout(MILLIS);
  }

  private Future<JsonObject> described(ConnectionId id, Future<JsonObject> read) {
    return read.otherwise(
            failure ->
                new JsonObject()
                    .put("id", id.value())
                    .put("state", ConnectionState.CLOSED.name())
                    .put("status", ConnectionState.CLOSED.status())
                    .put("lastError", McpFailure.of(failure).toJson()))
        .map(status -> hosting.describe(id, defined(id, status)));
  }

  /**
   * Adds the name as written, whether the server acts for its callers, which must be known also
   * while its home does not answer, and whether the server waits for its first call, or rests while
   * clients have connections of their own; then {@code IDLE} is as it should be.
   */
  private JsonObject defined(ConnectionId id, JsonObject status) {
    ServerDefinition definition = hosting.servers().get(id);
    if (definition == null) {
      return status;
    }
    status.put("name", definition.name());
    if (definition.connection().isOfCallers()) {
      status
          .put("identity", "caller")
          .put(
              "callerHeaders", new JsonArray(List.copyOf(definition.connection().callerHeaders())));
    }
    return definition.connection().lazy() || status.containsKey("resting")
        ? status.put("lazy", true)
        : status;
  }
}
