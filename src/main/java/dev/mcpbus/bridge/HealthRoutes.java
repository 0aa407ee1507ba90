package dev.mcpbus.bridge;

import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.Readiness;
import dev.mcpbus.security.Action;
import dev.mcpbus.security.AdmissionControl;
import dev.mcpbus.security.Audit;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Answers {@code /health/live} and {@code /health/ready} to every client, before the admission, the
 * router and the bus. If a login is required, the answer contains the problems for an administrator
 * alone. Used on the bridge's context.
 */
final class HealthRoutes {

  private static final String LIVE = "/health/live";
  private static final String READY = "/health/ready";
  private static final long RETRY_AFTER_MILLIS = 1_000;

  private final Readiness readiness;
  private final AdmissionControl admissions;
  private final Audit audit;

  /**
   * @param admissions says who may learn the problems; if its audit cannot be written, the answer
   *     says so to every client, without the reason
   */
  HealthRoutes(Readiness readiness, AdmissionControl admissions) {
    this.readiness = readiness;
    this.admissions = admissions;
    this.audit = admissions.audit();
  }

  /** The routes, for the OpenAPI document. */
  static List<Route> described() {
    return List.of(
        Route.get(LIVE, Action.LIST, "live", "Whether the process is alive; for everybody.")
            .giving("Health"),
        Route.get(READY, Action.LIST, "ready", "Whether the service answers; for everybody.")
            .giving("Health"));
  }

  private static boolean isReading(HttpServerRequest request) {
    return request.method().equals(HttpMethod.GET) || request.method().equals(HttpMethod.HEAD);
  }

  /** Answers a request for one of the two paths; false, without an answer, for other requests. */
  boolean answers(HttpServerRequest request) {
    String path = request.path();
    boolean ready = READY.equals(path);
    if (!ready && !LIVE.equals(path)) {
      return false;
    }
    if (!isReading(request)) {
      request.response().putHeader("Allow", "GET, HEAD");
      ProblemDocument.send(request.response(), 405, "use GET");
    } else if (ready) {
      ready(request, !admissions.isRequired() || admissions.isAdminKey(request));
    } else {
      up(request, List.of());
    }
    return true;
  }

  /**
   * A node that cannot run what the cluster's definitions say should get no requests.
   *
   * @param reasons whether the caller may learn why
   */
  private void ready(HttpServerRequest request, boolean reasons) {
    List<String> problems = readiness.problems();
    if (problems == null) {
      ProblemDocument.send(
          request.response(),
          unavailable("the service has not started yet, or its event loop is stuck"));
    } else if (problems.isEmpty()) {
      List<String> notes = new ArrayList<>(reasons ? readiness.notes() : List.of());
      if (audit.problem() != null) {
        notes.add(
            audit.precedesCalls()
                ? "the audit log cannot be written, so calls are refused"
                : "the audit log cannot be written; calls go on");
      }
      up(request, notes);
    } else {
      String all =
          reasons || readiness.isLeaving()
              ? String.join("; ", problems)
              : "this node cannot do what the cluster's definitions say; its log tells why, and this"
                  + " path with the key of an administrator";
      ProblemDocument.send(request.response(), McpFailure.notSent(FailureCode.UNAVAILABLE, all));
    }
  }

  /** The refusal of every other request while the service starts; null afterwards. */
  @Nullable McpFailure refusal() {
    return readiness.isStarting()
        ? unavailable(
            "this node has just opened its port and is still starting; repeat the request, or send"
                + " it to another node")
        : null;
  }

  private static McpFailure unavailable(String why) {
    return new McpFailure(
        FailureCode.UNAVAILABLE, McpFailure.Sent.NO, why, RETRY_AFTER_MILLIS, null);
  }

  private static void up(HttpServerRequest request, List<String> notes) {
    JsonObject health = new JsonObject().put("status", "UP");
    JsonObject all = notes.isEmpty() ? health : health.put("notes", new JsonArray(notes));
    request
        .response()
        .putHeader("Content-Type", Route.JSON)
        .end(all.toBuffer().appendByte(RouteTable.LINE_BREAK));
  }
}
