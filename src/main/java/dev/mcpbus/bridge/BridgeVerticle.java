package dev.mcpbus.bridge;

import dev.mcpbus.bridge.options.BridgeOptions;
import dev.mcpbus.bus.CallerFacts;
import dev.mcpbus.bus.CallerLogins;
import dev.mcpbus.bus.Readiness;
import dev.mcpbus.bus.SealedTaskIds;
import dev.mcpbus.internals.ArrivalClock;
import dev.mcpbus.internals.ByteBudget;
import dev.mcpbus.internals.ControlFrameLimit;
import dev.mcpbus.internals.HttpConnections;
import dev.mcpbus.internals.InboundConnection;
import dev.mcpbus.internals.StrictRequestDecoder;
import dev.mcpbus.protocol.ParseLimits;
import dev.mcpbus.security.AdmissionControl;
import dev.mcpbus.security.MountedHandler;
import dev.mcpbus.security.Principal;
import dev.mcpbus.security.SecurityHeaders;
import dev.mcpbus.security.signin.SignInHandler;
import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import io.vertx.core.http.Http1ServerConfig;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerConfig;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import io.vertx.ext.web.Router;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The HTTP server: REST and event streams under {@code /api}, JSON-RPC at {@code /rpc}, the event
 * bus at {@code /eventbus}, the console at {@code /}, health under {@code /health}, metrics at
 * {@code /metrics}, the description at {@code /openapi.json}. It has no state of any server
 * connection: every call goes over the bus. Failures are problem documents.
 */
public final class BridgeVerticle extends VerticleBase {

  private static final Logger LOG = LoggerFactory.getLogger(BridgeVerticle.class);

  /** Longer than connections drain by default, so that a client gets the failure of its call. */
  private static final int DRAIN_SECONDS = 7;

  /**
   * Then it answers what is in flight, so that no response ends without an answer. Longer than
   * session hosts drain.
   */
  private static final long GIVE_UP_MILLIS = 6_500;

  private final BridgeOptions options;
  private final Supplier<String> callIds;
  private final @Nullable MountedHandler mounted;
  private final @Nullable SignInHandler signIn;
  private final Function<Vertx, AdmissionControl> admission;
  private final Readiness readiness;
  private final SharedBridgeState shared;
  private final BiFunction<Principal, MultiMap, CallerFacts> callers;
  private @Nullable HttpServer server;
  private @Nullable Router router;
  private @Nullable OpenRequests requests;
  private List<Route> table = List.of();
  private @Nullable OpenStreams streams;

  private BridgeVerticle(
      BridgeOptions options,
      Supplier<String> callIds,
      @Nullable MountedHandler mounted,
      @Nullable SignInHandler signIn,
      Function<Vertx, AdmissionControl> admission,
      Readiness readiness,
      SharedBridgeState shared,
      BiFunction<Principal, MultiMap, CallerFacts> callers) {
    this.callers = callers;
    this.options = options;
    this.callIds = callIds;
    this.mounted = mounted;
    this.signIn = signIn;
    this.admission = admission;
    this.readiness = readiness;
    this.shared = shared;
  }

  /**
   * Several verticles that share one port and all bounds; Vert.x gives them connections in turn.
   * They must be deployed on one Vert.x and closed together.
   *
   * @param callIds makes call ids, unique on the bus
   * @param gateways makes the gateway of each
   * @param admission makes the admission control of each
   * @param readiness of the service, for health
   * @param callers what counts of a request for servers that act for their callers
   */
  public static List<BridgeVerticle> several(
      int count,
      BridgeOptions options,
      Supplier<String> callIds,
      Supplier<MountedHandler> gateways,
      Function<Vertx, AdmissionControl> admission,
      Readiness readiness,
      BiFunction<Principal, MultiMap, CallerFacts> callers) {
    return several(count, options, callIds, gateways, () -> null, admission, readiness, callers);
  }

  /**
   * As above, in front of an authorization server.
   *
   * @param signIns makes the sign-in of each; null for none
   */
  public static List<BridgeVerticle> several(
      int count,
      BridgeOptions options,
      Supplier<String> callIds,
      Supplier<MountedHandler> gateways,
      Supplier<@Nullable SignInHandler> signIns,
      Function<Vertx, AdmissionControl> admission,
      Readiness readiness,
      BiFunction<Principal, MultiMap, CallerFacts> callers) {
    SharedBridgeState shared = new SharedBridgeState(options, count > 1);
    return Stream.generate(
            () ->
                new BridgeVerticle(
                    options,
                    callIds,
                    gateways.get(),
                    signIns.get(),
                    admission,
                    readiness,
                    shared,
                    callers))
        .limit(count)
        .toList();
  }

  @Override
  public Future<?> start() {
    ReceiveDeadline receive = new ReceiveDeadline(vertx, options.receiveTimeout());
    ByteBudget budget = ByteBudget.of(vertx);
    if (options.limits().maxBytesInFlight() > 0) {
      budget.limit(options.limits().maxBytesInFlight());
    }
    BodyReader bodies = new BodyReader(options.maxBodyBytes(), receive, budget);
    AdmissionControl admissions = admission.apply(vertx);
    HealthRoutes health = new HealthRoutes(readiness, admissions);
    Router router = Router.router(vertx);
    this.router = router;
    AdmittedRequests admitted = new AdmittedRequests(router, mounted, bodies);
    ArrivalClock arrivals = ArrivalClock.current();
    ArrivalClock acceptor = ArrivalClock.ofAcceptor(vertx);
    OpenRequests requests = new OpenRequests(vertx);
    this.requests = requests;
    mount(router, bodies, admissions, arrivals, requests);
    LoginPages logins = new LoginPages(vertx, admissions, receive, signIn);
    if (signIn != null) {
      signIn.returnTo(logins::returned);
    }
    RequestGuards guards =
        new RequestGuards(
            options,
            shared.connections,
            receive,
            health,
            options.console() ? new ConsoleFiles(vertx) : null,
            signIn == null ? null : new SignInRoutes(signIn, receive),
            readiness,
            admissions,
            logins,
            arrivals,
            requests,
            admitted);
    HttpServerOptions http = HttpSetup.of(options, shared::accepted);
    HttpServer created = vertx.createHttpServer(http);
    server = created;
    Http1ServerConfig bounds = new HttpServerConfig(http).getHttp1Config();
    created
        .connectionHandler(
            opened -> {
              InboundConnection connection = shared.connection(opened);
              StrictRequestDecoder.install(connection, bounds);
              ControlFrameLimit.install(connection);
              guards.connected(opened);
              receive.connected(connection, opened);
              arrivals.opened(connection, acceptor);
            })
        .invalidRequestHandler(BridgeVerticle::invalid)
        .requestHandler(guards);
    return (mounted == null ? Future.<Void>succeededFuture() : mounted.open())
        .compose(open -> requests.open(vertx))
        .compose(open -> SealedTaskIds.of(vertx).open(vertx))
        .compose(open -> created.listen(shared.address))
        .onSuccess(
            listening -> {
              CallerLogins.of(vertx).reachedAt(options.reachedAt(listening.actualPort()));
              if (!shared.announced.getAndSet(true)) {
                LOG.info(
                    "bridge listens on {}://{}:{}",
                    options.scheme(),
                    options.host(),
                    listening.actualPort());
              }
            });
  }

  private void mount(
      Router router,
      BodyReader bodies,
      AdmissionControl admissions,
      ArrivalClock arrivals,
      OpenRequests requests) {
    PolicyGate gate = new PolicyGate(admissions);
    BridgeCalls calls = new BridgeCalls(vertx, callIds, gate, callers);
    ParseLimits limits = ParseLimits.DEFAULT.withMaxBytes(options.maxBodyBytes());
    router.route().failureHandler(ProblemDocument::handle);
    RouteTable routes = new RouteTable(bodies, gate::admits);
    routes.describe(HealthRoutes.described());
    // What programs call most comes first, because a request is compared with each path in turn.
    new RpcRoute(calls, limits).mount(routes);
    new OperationRoutes(calls, limits).mount(routes);
    new AggregateRoutes(calls, new FunctionCalls(calls, gate), limits).mount(routes);
    new RootRoute(calls).mount(routes);
    new CallerRoute(admissions.isRequired()).mount(routes);
    new ServiceRoutes(calls, limits).mount(routes);
    new DiagnosticRoutes(calls, limits).mount(routes);
    new CredentialRoutes(calls, limits).mount(routes);
    streams = new OpenStreams(vertx, options, shared, gate, arrivals, requests);
    streams.mount(routes, router);
    new LogLevelRoutes(vertx, gate, limits).mount(routes);
    new MetricsRoute(vertx, gate).mount(routes);
    new DocumentRoute(
            "/asyncapi.json",
            "getAsyncApi",
            "The bus, as an AsyncAPI document.",
            AsyncApiDocument::document)
        .mount(routes);
    // Last, because the document has all routes.
    new DocumentRoute(
            "/openapi.json",
            "getOpenApi",
            "This document.",
            () -> OpenApiDocument.document(routes.all()))
        .mount(routes);
    routes.mount(router);
    table = routes.all();
    router
        .route()
        .handler(
            ctx -> ProblemDocument.send(ctx.response(), 404, "no such path; see /openapi.json"));
  }

  /** Answers a request that the HTTP decoder refused: bad headers, or a line that is too long. */
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

  /** The bound port, for options with port 0. */
  public int port() {
    HttpServer running = server;
    if (running == null) {
      throw new IllegalStateException("the bridge has not started");
    }
    return running.actualPort();
  }

  /** The router of the requests; null before the start. */
  @Nullable Router router() {
    return router;
  }

  /** The routes of the router, without the paths of {@link dev.mcpbus.security.MountPath}. */
  List<Route> table() {
    return table;
  }

  /** The number of open connections of all verticles that share the port. */
  public int connections() {
    return shared.connections.open();
  }

  /** Takes no new requests, ends all streams, and waits up to 7 s for requests in flight. */
  @Override
  public Future<?> stop() {
    if (mounted != null) {
      mounted.close();
    }
    if (streams != null) {
      streams.close();
    }
    vertx.setTimer(GIVE_UP_MILLIS, late -> giveUp());
    return server == null
        ? Future.succeededFuture()
        : server.shutdown(DRAIN_SECONDS, TimeUnit.SECONDS);
  }

  /** The mounted handler first: it answers in the form of its protocol. */
  private void giveUp() {
    if (mounted != null) {
      mounted.giveUp();
    }
    if (requests != null) {
      requests.giveUp();
    }
  }
}
