package dev.mcpbus.bridge;

import dev.mcpbus.bridge.options.BridgeOptions;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.Readiness;
import dev.mcpbus.internals.ArrivalClock;
import dev.mcpbus.internals.InboundConnection;
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
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The guards that each request of the bridge passes before its route, steps 3 to 6 of decision 13.
 * {@link #handle} contains their order, which is a promise. A guard that refuses a request answers
 * it. Confined to the context of the {@link BridgeVerticle}.
 */
final class RequestGuards implements Handler<HttpServerRequest> {

  private static final long BEHIND_MILLIS = 1_000;
  private static final long RETRY_AFTER_MILLIS = 1_000;

  private final BridgeOptions options;
  private final ConnectionLimits connections;
  private final ReceiveDeadline receive;
  private final HealthRoutes health;
  private final @Nullable ConsoleFiles console;
  private final @Nullable SignInRoutes signIn;
  private final Readiness readiness;
  private final AdmissionControl admissions;
  private final LoginPages logins;
  private final ArrivalClock arrivals;
  private final OpenRequests requests;
  private final Consumer<RequestLifecycle> next;
  private @Nullable OriginGuard origins;

  /**
   * @param console null for none
   * @param signIn null for none
   * @param next takes each request that has passed, admitted
   */
  RequestGuards(
      BridgeOptions options,
      ConnectionLimits connections,
      ReceiveDeadline receive,
      HealthRoutes health,
      @Nullable ConsoleFiles console,
      @Nullable SignInRoutes signIn,
      Readiness readiness,
      AdmissionControl admissions,
      LoginPages logins,
      ArrivalClock arrivals,
      OpenRequests requests,
      Consumer<RequestLifecycle> next) {
    this.options = options;
    this.connections = connections;
    this.receive = receive;
    this.health = health;
    this.console = console;
    this.signIn = signIn;
    this.readiness = readiness;
    this.admissions = admissions;
    this.logins = logins;
    this.arrivals = arrivals;
    this.requests = requests;
    this.next = next;
  }

  /** Creates the {@link OriginGuard}, for which the bound port must be known. */
  void connected(HttpConnection connection) {
    if (origins == null) {
      origins =
          new OriginGuard(
              options.scheme(),
              connection.localAddress().port(),
              options.allowedHosts(),
              ownUrls(),
              options.allowedOrigins(),
              admissions.audit());
    }
  }

  private Set<String> ownUrls() {
    return Stream.concat(
            Stream.ofNullable(options.url()),
            Stream.ofNullable(signIn == null ? null : signIn.handler().origin()))
        .collect(Collectors.toSet());
  }

  @Override
  public void handle(HttpServerRequest request) {
    InboundConnection connection = InboundConnection.of(request.connection());
    RequestLifecycle lifecycle =
        new RequestLifecycle(request, arrivals.arrived(connection), requests);
    if (!receive.requested(request, lifecycle::end)) {
      return;
    }
    SecurityHeaders.apply(request.response());
    if (readiness.isLeaving()) {
      closing(request);
    }
    String problem = RequestPath.problem(request.uri());
    if (problem != null) {
      refusePath(request, problem);
      return;
    }
    boolean entered =
        LoginPages.isEntered(request) || (signIn != null && signIn.handler().isEntered(request));
    if (!Objects.requireNonNull(origins).admits(request, entered) || health.answers(request)) {
      return;
    }
    McpFailure refusal = health.refusal();
    if (refusal == null && readiness.isNew()) {
      refusal = behind(arrivals.waited(lifecycle.arrived()));
    }
    if (refusal == null && connection != null) {
      refusal = connections.refusal(connection);
    }
    if (refusal != null) {
      ProblemDocument.send(request.response(), refusal);
    } else if (!(console != null && console.answers(request))
        && !(signIn != null && signIn.answers(request))
        && !admissions.answers(request)
        && !logins.answers(request)) {
      lifecycle.admitted(admissions.admit(request), next);
    }
  }

  /**
   * The refusal of a node that has just started and is behind with its work, while other nodes
   * serve: so it takes as much as it can do, which grows. Refusing costs little, so that it answers
   * for its health meanwhile.
   */
  private static @Nullable McpFailure behind(long waitedMillis) {
    return waitedMillis < BEHIND_MILLIS
        ? null
        : new McpFailure(
            FailureCode.OVERLOADED,
            McpFailure.Sent.NO,
            "this node has just started and is behind: the request has waited for "
                + waitedMillis
                + " ms; send it to another node, and let the balancer start new nodes slowly",
            RETRY_AFTER_MILLIS,
            null);
  }

  /**
   * Serves the request, and tells the client to send the next one over a new connection, which a
   * balancer gives to another node: HTTP/1.1 by {@code Connection: close}; HTTP/2 by GOAWAY, whose
   * last stream is the highest there is, so that no request that is on its way is lost (RFC 9113,
   * 6.8).
   */
  @SuppressWarnings("deprecation") // the shutdown that Vert.x advises ends calls that last
  private static void closing(HttpServerRequest request) {
    if (request.version() == HttpVersion.HTTP_2) {
      request.connection().goAway(0, Integer.MAX_VALUE);
    } else if (!request.headers().contains("Upgrade")) {
      request.response().putHeader("Connection", "close");
    }
  }

  /**
   * Refuses a path that is not in normal form: guards, gateway and router must read the same path.
   */
  private void refusePath(HttpServerRequest request, String problem) {
    admissions.audit().refused(request, null, RefusalCode.BAD_REQUEST);
    if (request.version() != HttpVersion.HTTP_2) {
      request.response().putHeader("Connection", "close"); // the body is not read
    }
    ProblemDocument.send(request.response(), 400, problem);
  }
}
