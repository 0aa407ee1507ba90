package dev.mcpbus.bridge;

import dev.mcpbus.bridge.options.BridgeLimitOptions;
import dev.mcpbus.bridge.options.BridgeOptions;
import dev.mcpbus.bus.FairLimits;
import dev.mcpbus.internals.ArrivalClock;
import io.vertx.core.Vertx;
import io.vertx.ext.web.Router;
import org.jspecify.annotations.Nullable;

/** The event streams and event-bus sockets, with one cap for both. Used on the bridge's context. */
final class OpenStreams {

  private static final String BOUND = "bridge.streams";

  private final Vertx vertx;
  private final StreamLimit cap;
  private final StreamRoutes events;
  private final @Nullable EventBusEndpoint eventBus;

  OpenStreams(
      Vertx vertx,
      BridgeOptions options,
      SharedBridgeState shared,
      PolicyGate gate,
      ArrivalClock arrivals,
      OpenRequests requests) {
    BridgeLimitOptions limits = options.limits();
    this.vertx = vertx;
    this.cap = shared.streams;
    FairLimits.of(vertx).add(BOUND, cap.bound());
    events = new StreamRoutes(vertx, shared, limits.heartbeat(), gate);
    eventBus =
        options.eventBus()
            ? new EventBusEndpoint(
                vertx, cap, limits.heartbeat().multipliedBy(2), gate, arrivals, requests)
            : null;
  }

  void mount(RouteTable routes, Router router) {
    events.mount(routes);
    if (eventBus != null) {
      eventBus.mount(router);
    }
  }

  void close() {
    FairLimits.of(vertx).remove(BOUND, cap.bound());
    events.close();
    if (eventBus != null) {
      eventBus.close();
    }
  }
}
