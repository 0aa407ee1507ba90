package dev.mcpbus.bridge;

import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.Readiness;
import dev.mcpbus.security.Action;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonObject;
import java.util.List;

/**
 * Is the event loop turning, and does the service run? Two exact paths, answered to everybody and
 * before anything else: no caller, no route and no bus is behind them. Where callers have to log
 * in, the answer does not say what is wrong.
 */
final class HealthRoutes {

  private static final String LIVE = "/health/live";
  private static final String READY = "/health/ready";
  private static final long RETRY_AFTER_MILLIS = 1_000;

  private final Readiness readiness;
  private final boolean details;

  /**
   * @param details whether anybody may know what is wrong
   */
  HealthRoutes(Readiness readiness, boolean details) {
    this.readiness = readiness;
    this.details = details;
  }

  /** For who reads the table of routes. */
  static List<Route> described() {
    return List.of(
        Route.get(LIVE, Action.LIST, "live", "Whether the process is alive; for everybody.")
            .giving("Health"),
        Route.get(READY, Action.LIST, "ready", "Whether the service answers; for everybody.")
            .giving("Health"));
  }

  /** False where the request is another one; else it has been answered. */
  boolean answers(HttpServerRequest request) {
    String path = request.path();
    boolean ready = READY.equals(path);
    if (!ready && !LIVE.equals(path)) {
      return false;
    }
    if (!request.method().equals(HttpMethod.GET) && !request.method().equals(HttpMethod.HEAD)) {
      request.response().putHeader("Allow", "GET, HEAD");
      ProblemDocument.send(request.response(), 405, "use GET");
    } else if (ready) {
      ready(request);
    } else {
      up(request);
    }
    return true;
  }

  /** A node that cannot do all that the cluster's definitions say should get no requests. */
  private void ready(HttpServerRequest request) {
    List<String> problems = readiness.problems();
    if (problems == null) {
      ProblemDocument.send(
          request.response(),
          new McpFailure(
              FailureCode.UNAVAILABLE,
              McpFailure.Sent.NO,
              "the service has not started yet, or its event loop is stuck",
              RETRY_AFTER_MILLIS,
              null));
    } else if (problems.isEmpty()) {
      up(request);
    } else {
      String all =
          details
              ? String.join("; ", problems)
              : "this node cannot do what the cluster's definitions say; its log tells why";
      ProblemDocument.send(request.response(), McpFailure.notSent(FailureCode.UNAVAILABLE, all));
    }
  }

  private static void up(HttpServerRequest request) {
    RouteTable.json(request.response(), 200, new JsonObject().put("status", "UP").toBuffer());
  }
}
