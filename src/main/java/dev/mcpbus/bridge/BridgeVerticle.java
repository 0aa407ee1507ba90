package dev.mcpbus.bridge;

import dev.mcpbus.bridge.options.BridgeOptions;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.Readiness;
import dev.mcpbus.bus.SealedTaskIds;
import dev.mcpbus.internals.ControlFrameLimit;
import dev.mcpbus.internals.HttpConnections;
import dev.mcpbus.internals.InboundConnection;
import dev.mcpbus.internals.StrictRequestDecoder;
import dev.mcpbus.protocol.ParseLimits;
import dev.mcpbus.security.AccessControl;
import dev.mcpbus.security.Admission;
import dev.mcpbus.security.AdmissionControl;
import dev.mcpbus.security.Audit;
import dev.mcpbus.security.MountedHandler;
import dev.mcpbus.security.OriginGuard;
import dev.mcpbus.security.RequestPath;
import dev.mcpbus.security.SecurityHeaders;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * HTTP in: REST and event streams under {@code /api}, JSON-RPC at {@code /rpc}, the bus itself at
 * {@code /eventbus}, health under {@code /health}, all of it described at {@code /openapi.json}.
 * Holds no state of any connection; everything goes over the bus. Failures are problem documents.
 */
public final class BridgeVerticle extends VerticleBase {

  private static final Logger LOG = LoggerFactory.getLogger(BridgeVerticle.class);

  /** Longer than connections drain by default, so that their own failure still gets through. */
  private static final int DRAIN_SECONDS = 7;

  private final BridgeOptions options;
  private final Supplier<String> callIds;
  private final @Nullable MountedHandler mounted;
  private final Function<Vertx, AdmissionControl> gate;
  private final Readiness readiness;
  private final SharedBridgeState shared;
  private @Nullable HttpServer server;
  private @Nullable Router router;
  private List<Route> table = List.of();
  private @Nullable OriginGuard guard;
  private @Nullable OpenStreams streams;
  private @Nullable Admission entering;

  public BridgeVerticle(BridgeOptions options) {
    this(options, () -> UUID.randomUUID().toString());
  }

  /**
   * @param callIds makes names for calls, never twice the same on one bus
   */
  public BridgeVerticle(BridgeOptions options, Supplier<String> callIds) {
    this(options, callIds, null);
  }

  /**
   * @param mounted for the paths that it owns, null for none
   */
  public BridgeVerticle(
      BridgeOptions options, Supplier<String> callIds, @Nullable MountedHandler mounted) {
    this(options, callIds, mounted, AccessControl.open()::keeper, new Readiness());
  }

  /**
   * @param gate makes what finds out who calls
   * @param readiness what the service says of itself
   */
  public BridgeVerticle(
      BridgeOptions options,
      Supplier<String> callIds,
      @Nullable MountedHandler mounted,
      Function<Vertx, AdmissionControl> gate,
      Readiness readiness) {
    this(options, callIds, mounted, gate, readiness, new SharedBridgeState(options, false));
  }

  private BridgeVerticle(
      BridgeOptions options,
      Supplier<String> callIds,
      @Nullable MountedHandler mounted,
      Function<Vertx, AdmissionControl> gate,
      Readiness readiness,
      SharedBridgeState shared) {
    this.options = options;
    this.callIds = callIds;
    this.mounted = mounted;
    this.gate = gate;
    this.readiness = readiness;
    this.shared = shared;
  }

  /**
   * Several that share one port and all bounds: Vert.x deals connections out to them in turn. To be
   * deployed on one Vert.x and closed together.
   *
   * @param entrances gives a fresh one to each
   * @param gate makes what finds out who calls, for each
   * @param readiness what the service says of itself
   */
  public static List<BridgeVerticle> several(
      int count,
      BridgeOptions options,
      Supplier<String> callIds,
      Supplier<MountedHandler> entrances,
      Function<Vertx, AdmissionControl> gate,
      Readiness readiness) {
    SharedBridgeState shared = new SharedBridgeState(options, count > 1);
    return Stream.generate(
            () -> new BridgeVerticle(options, callIds, entrances.get(), gate, readiness, shared))
        .limit(count)
        .toList();
  }

  @Override
  public Future<?> start() {
    ReceiveDeadline receive = new ReceiveDeadline(vertx, options.receiveTimeout());
    AdmissionControl keeper = gate.apply(vertx);
    HealthRoutes health = new HealthRoutes(readiness, !keeper.isRequired());
    Router router = Router.router(vertx);
    this.router = router;
    mount(router, receive, keeper);
    HttpServerOptions http = HttpSetup.of(options, shared::accepted).setPort(shared.port);
    HttpServer created = vertx.createHttpServer(http);
    server = created;
    created
        .connectionHandler(
            opened -> {
              InboundConnection connection = shared.connection(opened);
              StrictRequestDecoder.install(connection, http);
              ControlFrameLimit.install(connection);
              receive.connected(connection, opened);
            })
        .invalidRequestHandler(BridgeVerticle::invalid)
        .requestHandler(
            request -> {
              RequestLifecycle lifecycle = new RequestLifecycle();
              if (!receive.requested(request, lifecycle::end)) {
                return;
              }
              SecurityHeaders.apply(request.response());
              if (!isPath(request, keeper.audit())
                  || !guard(request, keeper.audit()).admits(request)
                  || health.answers(request)
                  || !hasPlace(request)
                  || keeper.answers(request)) {
                return;
              }
              lifecycle.admitted(
                  request, keeper.admit(request), entry -> enter(request, entry, router, receive));
            });
    return (mounted == null ? Future.<Void>succeededFuture() : mounted.open())
        .compose(open -> SealedTaskIds.of(vertx).open(vertx))
        .compose(open -> created.listen())
        .onSuccess(
            listening -> {
              if (!shared.announced.getAndSet(true)) {
                LOG.info(
                    "bridge listens on {}://{}:{}",
                    options.scheme(),
                    options.host(),
                    listening.actualPort());
              }
            });
  }

  private void enter(
      HttpServerRequest request, Admission entry, Router router, ReceiveDeadline receive) {
    MountedHandler other = mounted;
    if (other == null || !other.owns(String.valueOf(request.path()))) {
      route(router, request, entry);
      return;
    }
    BodyReader.read(
        request,
        options.maxBodyBytes(),
        body -> {
          receive.received(request);
          other.handle(request, entry, body);
        });
  }

  /** The router makes its context, and runs its first handler, before it gives back control. */
  private void route(Router router, HttpServerRequest request, Admission caller) {
    entering = caller;
    router.handle(request);
  }

  private void mount(Router router, ReceiveDeadline receive, AdmissionControl keeper) {
    router.route().handler(this::named);
    PolicyGate access = new PolicyGate(keeper);
    BridgeCalls calls = new BridgeCalls(vertx, callIds, access);
    ParseLimits limits = ParseLimits.DEFAULT.withMaxBytes(options.maxBodyBytes());
    router.route().failureHandler(ProblemDocument::handle);
    RouteTable routes = new RouteTable(options.maxBodyBytes(), receive, access::admits);
    routes.describe(HealthRoutes.described());
    new RootRoute().mount(routes);
    new ServiceRoutes(calls, limits).mount(routes);
    new ServerRoutes(calls, limits).mount(routes);
    new AggregateRoutes(calls, limits).mount(routes);
    new RpcRoute(calls, limits).mount(routes);
    streams = new OpenStreams(vertx, options, shared, access);
    streams.mount(routes, router);
    new OpenApiRoute().mount(routes);
    routes.mount(router);
    table = routes.all();
    router
        .route()
        .handler(
            ctx -> ProblemDocument.send(ctx.response(), 404, "no such path; see /openapi.json"));
  }

  private void named(RoutingContext ctx) {
    RequestCaller.enter(ctx, Objects.requireNonNull(entering, "a request without a caller"));
    entering = null;
    ctx.next();
  }

  /** The guard is made with the first request: where port 0 was asked for, it is known by then. */
  private OriginGuard guard(HttpServerRequest request, Audit audit) {
    OriginGuard made = guard;
    if (made == null) {
      int port = request.localAddress().port();
      made =
          new OriginGuard(
              options.scheme(), port, options.allowedHosts(), options.allowedOrigins(), audit);
      guard = made;
    }
    return made;
  }

  /** What the guard, the gateway and the router read as the path is the same text from here on. */
  private static boolean isPath(HttpServerRequest request, Audit audit) {
    String problem = RequestPath.problem(request.uri());
    if (problem == null) {
      return true;
    }
    audit.refused(request, null, Audit.Decision.DENY, "BAD_REQUEST");
    if (request.version() != HttpVersion.HTTP_2) {
      request.response().putHeader("Connection", "close"); // the body of a stranger is not read
    }
    ProblemDocument.send(request.response(), 400, problem);
    return false;
  }

  private boolean hasPlace(HttpServerRequest request) {
    InboundConnection connection = InboundConnection.of(request.connection());
    McpFailure refusal = connection == null ? null : shared.connections.refusal(connection);
    if (refusal == null) {
      return true;
    }
    ProblemDocument.send(request.response(), refusal);
    return false;
  }

  /** Requests that the HTTP decoder refused: bad headers, a line too long. */
  private static void invalid(HttpServerRequest request) {
    HttpServerResponse response = request.response();
    SecurityHeaders.apply(response);
    if (request.version() != HttpVersion.HTTP_2) {
      response.putHeader("Connection", "close");
    }
    Throwable cause = HttpConnections.refusal(request);
    int status = HttpConnections.refusalStatus(cause);
    String detail =
        switch (status) {
          case 414 -> "the path and query are longer than allowed";
          case 431 -> "the headers are longer than allowed; bridge.maxHeaderBytes says how long";
          default ->
              cause instanceof StrictRequestDecoder.AmbiguousLengthException
                  ? String.valueOf(cause.getMessage())
                  : "the request is not well-formed HTTP/1.1";
        };
    ProblemDocument.send(response, status, detail);
  }

  /** The bound port; for where options ask for any free one. */
  public int port() {
    HttpServer running = server;
    if (running == null) {
      throw new IllegalStateException("the bridge has not started");
    }
    return running.actualPort();
  }

  /** What requests are routed by; null before the start. */
  @Nullable Router router() {
    return router;
  }

  /** What the router may hold, beside the paths of {@link dev.mcpbus.security.MountPath}. */
  List<Route> table() {
    return table;
  }

  /** How many connections are open, at all that share the port. */
  public int connections() {
    return shared.connections.open();
  }

  /** Takes no new requests, ends all streams, and gives what is in flight a few seconds. */
  @Override
  public Future<?> stop() {
    if (mounted != null) {
      mounted.close();
    }
    if (streams != null) {
      streams.close();
    }
    return server == null
        ? Future.succeededFuture()
        : server.shutdown(DRAIN_SECONDS, TimeUnit.SECONDS);
  }
}
