package dev.mcpbus.connection.options;

import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.protocol.PublicApi;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Stores pins, or what else is known of each server, beyond the end of the process. Any thread may
 * call it; it never blocks the caller.
 */
@PublicApi
public interface PinStore {

  /**
   * The pins that were saved last, empty where none were. Fails where they cannot be read; then the
   * connection pins no definition on first use.
   */
  Future<JsonObject> load(ConnectionId id);

  /** Saves the pins of one server; completes when they would survive the end of the process. */
  Future<Void> save(ConnectionId id, JsonObject pins);

  /** Pins that end with the process. */
  static PinStore inMemory() {
    Map<ConnectionId, JsonObject> all = new ConcurrentHashMap<>();
    return new PinStore() {
      @Override
      public Future<JsonObject> load(ConnectionId id) {
        return Future.succeededFuture(all.getOrDefault(id, new JsonObject()).copy());
      }

      @Override
      public Future<Void> save(ConnectionId id, JsonObject pins) {
        all.put(id, pins.copy());
        return Future.succeededFuture();
      }
    };
  }
}
