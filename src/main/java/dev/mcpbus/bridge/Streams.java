package dev.mcpbus.bridge;

import io.vertx.core.Vertx;
import io.vertx.ext.web.Router;
import org.jspecify.annotations.Nullable;

/** All that stays open: event streams and event-bus sockets, under one cap. */
final class Streams {

  private final StreamRoutes events;
  private final @Nullable EventBusDoor door;

  Streams(Vertx vertx, BridgeOptions options, Common common, Access access) {
    BridgeLimitOptions limits = options.limits();
    StreamCap cap = common.streams;
    events = new StreamRoutes(vertx, common, limits.heartbeat(), access);
    door =
        options.eventBus()
            ? new EventBusDoor(vertx, cap, limits.heartbeat().multipliedBy(2), access)
            : null;
  }

  void mount(Routes routes, Router router) {
    events.mount(routes);
    if (door != null) {
      door.mount(router);
    }
  }

  void close() {
    events.close();
    if (door != null) {
      door.close();
    }
  }
}
