package dev.mcpbus.client;

import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.protocol.PublicApi;
import io.vertx.core.json.JsonObject;

/**
 * One configured server.
 *
 * @param config its definition as in a configuration file, secrets replaced by {@code "***"}
 */
@PublicApi
public record ServerSummary(ConnectionId id, ServerStatus status, JsonObject config) {

  /** Reads a reply of {@code Addresses.SERVERS_GET}. */
  static ServerSummary of(JsonObject json) {
    ServerStatus status = new ServerStatus(json);
    return new ServerSummary(status.id(), status, json.getJsonObject("config", new JsonObject()));
  }
}
