package dev.mcpbus.server;

import io.vertx.core.json.JsonObject;

/** Hears a notification of a client, on the event loop that owns its channel; must not block. */
@FunctionalInterface
public interface NotificationHandler {

  /** What it throws is logged and harms nobody. */
  void on(ConnectedClient session, JsonObject params);
}
