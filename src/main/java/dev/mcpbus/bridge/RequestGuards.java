package dev.mcpbus.bridge;

import dev.mcpbus.bridge.options.BridgeOptions;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.internals.InboundConnection;
import dev.mcpbus.security.Admission;
import dev.mcpbus.security.AdmissionControl;
import dev.mcpbus.security.OriginGuard;
import dev.mcpbus.security.RefusalCode;
import dev.mcpbus.security.RequestPath;
import dev.mcpbus.security.SecurityHeaders;
import io.vertx.core.Handler;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import java.util.Objects;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * What every request of the bridge passes before its route, steps 3 to 6 of decision 13. {@link
 * #handle} is the order: it is a promise. A guard that refuses a request has answered it. Confined
 * to the context of the {@link BridgeVerticle}.
 */
final class RequestGuards implements Handler<HttpServerRequest> {

  private final BridgeOptions options;
  private final ConnectionLimits connections;
  private final ReceiveDeadline receive;
  private final HealthRoutes health;
  private final AdmissionControl keeper;
  private final BiConsumer<HttpServerRequest, Admission> next;
  private @Nullable OriginGuard names;

  /**
   * @param next takes the requests that have passed
   */
  RequestGuards(
      BridgeOptions options,
      ConnectionLimits connections,
      ReceiveDeadline receive,
      HealthRoutes health,
      AdmissionControl keeper,
      BiConsumer<HttpServerRequest, Admission> next) {
    this.options = options;
    this.connections = connections;
    this.receive = receive;
    this.health = health;
    this.keeper = keeper;
    this.next = next;
  }

  /** The guard of names needs the port: where any free one was asked for, it is known by now. */
  void connected(HttpConnection connection) {
    if (names == null) {
      names =
          new OriginGuard(
              options.scheme(),
              connection.localAddress().port(),
              options.allowedHosts(),
              options.allowedOrigins(),
              keeper.audit());
    }
  }

  @Override
  public void handle(HttpServerRequest request) {
    RequestLifecycle lifecycle = new RequestLifecycle();
    if (!receive.requested(request, lifecycle::end)) {
      return;
    }
    SecurityHeaders.apply(request.response());
    String problem = RequestPath.problem(request.uri());
    if (problem != null) {
      refusePath(request, problem);
      return;
    }
    if (!Objects.requireNonNull(names).admits(request) || health.answers(request)) {
      return;
    }
    InboundConnection connection = InboundConnection.of(request.connection());
    McpFailure full = connection == null ? null : connections.refusal(connection);
    if (full != null) {
      ProblemDocument.send(request.response(), full);
    } else if (!keeper.answers(request)) {
      lifecycle.admitted(request, keeper.admit(request), next);
    }
  }

  /** What the guards, the gateway and the router read as the path is the same text from here on. */
  private void refusePath(HttpServerRequest request, String problem) {
    keeper.audit().refused(request, null, RefusalCode.BAD_REQUEST);
    if (request.version() != HttpVersion.HTTP_2) {
      request.response().putHeader("Connection", "close"); // the body of a stranger is not read
    }
    ProblemDocument.send(request.response(), 400, problem);
  }
}
