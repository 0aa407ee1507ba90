package dev.mcpbus.bridge;

import dev.mcpbus.protocol.ParseLimits;
import dev.mcpbus.security.Entrance;
import dev.mcpbus.security.OriginGuard;
import dev.mcpbus.security.Principal;
import dev.mcpbus.security.SecurityHeaders;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.Router;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * HTTP in: REST under {@code /api}, JSON-RPC at {@code /rpc}, health under {@code /health}. Holds
 * no state of any connection; everything goes over the bus. Failures are problem documents.
 */
public final class BridgeVerticle extends VerticleBase {

  private static final Logger LOG = LoggerFactory.getLogger(BridgeVerticle.class);

  /** Longer than connections drain by default, so that their own failure still gets through. */
  private static final int DRAIN_SECONDS = 7;

  private final BridgeOptions options;
  private final Supplier<String> callIds;
  private final @Nullable Entrance entrance;
  private @Nullable HttpServer server;
  private @Nullable OriginGuard guard;

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
   * @param entrance for the paths that it owns, null for none
   */
  public BridgeVerticle(
      BridgeOptions options, Supplier<String> callIds, @Nullable Entrance entrance) {
    this.options = options;
    this.callIds = callIds;
    this.entrance = entrance;
  }

  @Override
  public Future<?> start() {
    ReceiveDeadline receive = new ReceiveDeadline(vertx, options.receiveTimeout());
    // HTTP/1.1 alone: one Host header, and no second form of the authority beside it.
    HttpServerOptions http =
        new HttpServerOptions()
            .setHost(options.host())
            .setPort(options.port())
            .setHttp2ClearTextEnabled(false)
            .setCompressionSupported(false);
    Router router = Router.router(vertx);
    mount(router, receive);
    HttpServer created = vertx.createHttpServer(http);
    server = created;
    created
        .connectionHandler(receive::connected)
        .invalidRequestHandler(BridgeVerticle::invalid)
        .requestHandler(
            request -> {
              receive.requested(request);
              SecurityHeaders.apply(request.response());
              if (!guard(request).admits(request)) {
                return;
              }
              Entrance other = entrance;
              if (other != null && other.owns(String.valueOf(request.path()))) {
                enter(other, request, receive);
              } else if (isDecodable(request.uri())) {
                router.handle(request);
              } else {
                Problem.send(request.response(), 400, "path or query: a % wants two hex digits");
              }
            });
    return (entrance == null ? Future.<Void>succeededFuture() : entrance.open())
        .compose(open -> created.listen())
        .onSuccess(
            listening ->
                LOG.info("bridge listens on http://{}:{}", options.host(), listening.actualPort()));
  }

  private void enter(Entrance other, HttpServerRequest request, ReceiveDeadline receive) {
    BodyReader.read(
        request,
        options.maxBodyBytes(),
        body -> {
          receive.received(request);
          other.handle(request, Principal.LOCAL, body);
        });
  }

  private void mount(Router router, ReceiveDeadline receive) {
    BusCalls calls = new BusCalls(vertx, callIds);
    ParseLimits limits = ParseLimits.DEFAULT.withMaxBytes(options.maxBodyBytes());
    router.route().failureHandler(Problem::handle);
    Routes routes = new Routes(router, options.maxBodyBytes(), receive);
    new HealthRoutes(calls).mount(routes);
    new RestRoutes(calls, limits).mount(routes);
    new RpcRoute(calls, limits).mount(routes);
    router
        .route()
        .handler(ctx -> Problem.send(ctx.response(), 404, "no such path; see /api/servers, /rpc"));
  }

  /** The guard is made with the first request: where port 0 was asked for, it is known by then. */
  private OriginGuard guard(HttpServerRequest request) {
    OriginGuard made = guard;
    if (made == null) {
      int port = request.localAddress().port();
      made = new OriginGuard(port, options.allowedHosts(), options.allowedOrigins());
      guard = made;
    }
    return made;
  }

  /** The router answers a bad escape with a bare 400 or 500, before any failure handler. */
  private static boolean isDecodable(String uri) {
    try {
      URLDecoder.decode(uri, StandardCharsets.UTF_8);
      return true;
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  /** Requests that the HTTP decoder refused: bad headers, a line too long. */
  private static void invalid(HttpServerRequest request) {
    HttpServerResponse response = request.response();
    SecurityHeaders.apply(response);
    response.putHeader("Connection", "close");
    Throwable cause = request.decoderResult().cause();
    String what = cause == null ? "" : cause.getClass().getSimpleName();
    int status =
        switch (what) {
          case "TooLongHttpLineException" -> 414;
          case "TooLongHttpHeaderException" -> 431;
          default -> 400;
        };
    Problem.send(response, status, "the request is not well-formed HTTP/1.1");
  }

  /** The bound port; for where options ask for any free one. */
  public int port() {
    HttpServer running = server;
    if (running == null) {
      throw new IllegalStateException("the bridge has not started");
    }
    return running.actualPort();
  }

  /** Takes no new requests and gives those in flight a few seconds. */
  @Override
  public Future<?> stop() {
    if (entrance != null) {
      entrance.close();
    }
    return server == null
        ? Future.succeededFuture()
        : server.shutdown(DRAIN_SECONDS, TimeUnit.SECONDS);
  }
}
