package dev.mcpbus.client;

import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.protocol.PublicApi;
import io.vertx.core.json.JsonObject;

/**
 * One configured server.
 *
 * @param config the main keys of its entry with the values in use, secrets replaced by {@code
 *     "***"}; not the entry that was written
 */
@PublicApi
public record ServerSummary(ConnectionId id, ServerStatus status, JsonObject config) {

  /** Reads a reply of {@code Addresses.SERVERS_GET}. */
  static ServerSummary of(JsonObject json) {
    ServerStatus status = new ServerStatus(json);
    return new ServerSummary(status.id(), status, json.getJsonObject("config", new JsonObject()));
  }
}
