package dev.mcpbus.server;

import dev.mcpbus.protocol.PublicApi;
import io.vertx.core.json.JsonObject;

/** Receives a client's notifications on the event loop that owns its channel; must not block. */
@PublicApi
@FunctionalInterface
public interface NotificationHandler {

  /** Handles one notification. The server logs an exception and goes on. */
  void on(ConnectedClient session, JsonObject params);
}
