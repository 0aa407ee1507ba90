package dev.mcpbus.bridge;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.security.Action;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import java.time.Duration;
import java.util.stream.Collectors;

/**
 * Is the event loop turning, and does the service answer? Neither asks a server, nor depends on who
 * asks: where callers have to log in, the answer does not say what is wrong.
 */
final class HealthRoutes {

  private static final Duration TIMEOUT = Duration.ofSeconds(2);
  private static final long RETRY_AFTER_MILLIS = 1_000;

  private final BusCalls calls;
  private final boolean details;

  /**
   * @param details whether anybody may know what is wrong
   */
  HealthRoutes(BusCalls calls, boolean details) {
    this.calls = calls;
    this.details = details;
  }

  void mount(Routes routes) {
    routes.add(
        Route.get("/health/live", Action.LIST, "live", "Whether the process is alive.")
            .giving("Health"),
        HealthRoutes::up);
    routes.add(
        Route.get("/health/ready", Action.LIST, "ready", "Whether the service answers.")
            .giving("Health"),
        this::ready);
  }

  private void ready(RoutingContext ctx) {
    calls
        .wonder(Addresses.SERVERS_NODES, new JsonObject(), TIMEOUT)
        .onSuccess(reply -> answer(ctx, reply))
        .onFailure(
            failure ->
                ctx.fail(
                    new McpFailure(
                        FailureCode.UNAVAILABLE,
                        McpFailure.Sent.NO,
                        "the service has not started yet: "
                            + Addresses.SERVERS_NODES
                            + " is silent",
                        RETRY_AFTER_MILLIS,
                        null)));
  }

  /** A node that cannot do all that the cluster's definitions say should get no requests. */
  private void answer(RoutingContext ctx, JsonObject reply) {
    JsonArray problems = reply.getJsonArray("problems", new JsonArray());
    if (problems.isEmpty()) {
      up(ctx);
    } else {
      String all =
          details
              ? problems.stream().map(String::valueOf).collect(Collectors.joining("; "))
              : "this node cannot do what the cluster's definitions say; its log tells why";
      ctx.fail(new McpFailure(FailureCode.UNAVAILABLE, McpFailure.Sent.NO, all));
    }
  }

  private static void up(RoutingContext ctx) {
    Routes.json(ctx.response(), 200, new JsonObject().put("status", "UP").toBuffer());
  }
}
