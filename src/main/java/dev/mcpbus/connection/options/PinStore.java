package dev.mcpbus.connection.options;

import dev.mcpbus.bus.ConnectionId;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Where pins outlive the process. From any thread; never blocks the caller. */
public interface PinStore {

  /**
   * What was saved last, empty where nothing was. Fails where it cannot be told: then nothing is
   * trusted on first use.
   */
  Future<JsonObject> load(ConnectionId id);

  /** Completes when it would survive the end of the process. */
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
