package dev.mcpbus.bridge;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Is the event loop turning, and does the service answer? Neither depends on any one server. */
final class HealthRoutes {

  private static final Duration TIMEOUT = Duration.ofSeconds(2);
  private static final long RETRY_AFTER_MILLIS = 1_000;

  private final BusCalls calls;

  HealthRoutes(BusCalls calls) {
    this.calls = calls;
  }

  void mount(Routes routes) {
    routes.get(
        "/health/live",
        ctx -> Routes.json(ctx.response(), 200, new JsonObject().put("status", "UP").toBuffer()));
    routes.get("/health/ready", this::ready);
  }

  private void ready(RoutingContext ctx) {
    calls
        .ask(Addresses.SERVERS_LIST, new JsonObject(), TIMEOUT)
        .onSuccess(reply -> answer(ctx, reply))
        .onFailure(
            failure ->
                ctx.fail(
                    new McpFailure(
                        FailureCode.UNAVAILABLE,
                        McpFailure.Sent.NO,
                        "the service has not started yet: " + Addresses.SERVERS_LIST + " is silent",
                        RETRY_AFTER_MILLIS,
                        null)));
  }

  /** A node that cannot do all that the cluster's definitions say should get no requests. */
  private static void answer(RoutingContext ctx, JsonObject reply) {
    JsonArray problems = reply.getJsonArray("problems", new JsonArray());
    if (problems.isEmpty()) {
      JsonObject body = byState(reply.getJsonArray("servers", new JsonArray()));
      Routes.json(ctx.response(), 200, body.toBuffer());
    } else {
      String all = problems.stream().map(String::valueOf).collect(Collectors.joining("; "));
      ctx.fail(new McpFailure(FailureCode.UNAVAILABLE, McpFailure.Sent.NO, all));
    }
  }

  private static JsonObject byState(JsonArray servers) {
    Map<String, Integer> states = new TreeMap<>();
    for (int i = 0; i < servers.size(); i++) {
      states.merge(servers.getJsonObject(i).getString("state", "UNKNOWN"), 1, Integer::sum);
    }
    JsonObject counts = new JsonObject();
    states.forEach(counts::put);
    return new JsonObject()
        .put("status", "UP")
        .put("servers", servers.size())
        .put("states", counts);
  }
}
