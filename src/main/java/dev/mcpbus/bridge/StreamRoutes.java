package dev.mcpbus.bridge;

import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.Events;
import dev.mcpbus.bus.HttpQuery;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.security.Action;
import io.vertx.core.Vertx;
import io.vertx.ext.web.RoutingContext;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * Server-sent events: {@code /api/events} and {@code /api/rpc-log}. Used on the bridge's context.
 */
final class StreamRoutes {

  private final EventFeed events;
  private final EventFeed rpc;

  StreamRoutes(Vertx vertx, SharedBridgeState shared, Duration heartbeat, PolicyGate gate) {
    this.events = new EventFeed(vertx, shared.events, shared.streams, heartbeat, gate);
    this.rpc = new EventFeed(vertx, shared.rpc, shared.streams, heartbeat, gate);
  }

  void mount(RouteTable routes) {
    events.open();
    rpc.open();
    routes.add(
        Route.get("/api/events", Action.LIST, "streamEvents", "What happens, as it happens.")
            .with(HttpQuery.SERVERS, HttpQuery.EVENT_TYPES, HttpQuery.LAST_EVENT_ID)
            .streaming("Event"),
        ctx ->
            events.read(
                ctx, filter(ctx, QueryParameters.words(ctx, "type", Events.ALL), Action.LIST)));
    routes.add(
        Route.get(
                "/api/rpc-log",
                Action.ADMIN,
                "streamRpcLog",
                "JSON-RPC messages of servers whose RPC log is bus, secrets masked.")
            .with(HttpQuery.SERVERS, HttpQuery.LAST_EVENT_ID)
            .streaming("RpcMessage"),
        ctx -> rpc.read(ctx, filter(ctx, Set.of(), Action.ADMIN)));
  }

  private static EventRing.Filter filter(RoutingContext ctx, Set<String> types, Action right) {
    return new EventRing.Filter(
        servers(ctx),
        types,
        right,
        AdmittedRequests.of(ctx).rights(),
        AdmittedRequests.requester(ctx, ""));
  }

  /** The ids of the servers that {@link HttpQuery#SERVERS} names; empty for all. */
  static Set<String> servers(RoutingContext ctx) {
    Set<String> servers = new LinkedHashSet<>();
    for (String server : QueryParameters.texts(ctx, "server")) {
      servers.add(
          ConnectionId.named(server)
              .orElseThrow(
                  () -> McpFailure.badRequest("query: server: " + ConnectionId.problem(server)))
              .value());
    }
    return servers;
  }

  /** Ends all streams. */
  void close() {
    events.close();
    rpc.close();
  }
}
