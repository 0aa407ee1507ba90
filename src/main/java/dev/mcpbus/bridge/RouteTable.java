package dev.mcpbus.bridge;

import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.internals.ByteBudget;
import dev.mcpbus.security.Action;
import io.vertx.core.Handler;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.BiPredicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The table of all routes. Each request passes the gate with the action of its route before its
 * body is read; a method that a path does not have is answered 405 with {@code Allow}. Used on the
 * bridge's context.
 */
final class RouteTable {

  static final byte LINE_BREAK = '\n';

  private static final Buffer NO_BODY = Buffer.buffer(0);
  private static final Buffer LINE_END = Buffer.buffer(new byte[] {LINE_BREAK});

  /**
   * @param hasBody whether the handler gets the body of the request; an empty one if not
   */
  private record Mounted(
      Route route, boolean hasBody, BiConsumer<RoutingContext, Buffer> handler) {}

  private final BodyReader bodies;
  private final BiPredicate<RoutingContext, Action> gate;
  private final Map<String, List<Mounted>> paths = new LinkedHashMap<>();
  private final List<Route> elsewhere = new ArrayList<>();

  /**
   * @param gate whether a request may use a route with that action; if not, it answers the request
   */
  RouteTable(BodyReader bodies, BiPredicate<RoutingContext, Action> gate) {
    this.bodies = bodies;
    this.gate = gate;
  }

  /** Adds a route without a body. */
  void add(Route route, Handler<RoutingContext> handler) {
    put(new Mounted(route, false, (ctx, none) -> handler.handle(ctx)));
  }

  /** Adds a route with a body, which may be empty. */
  void add(Route route, BiConsumer<RoutingContext, Buffer> handler) {
    put(new Mounted(route, true, handler));
  }

  /** Adds routes that are answered before the router, for the description only. */
  void describe(List<Route> routes) {
    elsewhere.addAll(routes);
  }

  private void put(Mounted mounted) {
    paths.computeIfAbsent(mounted.route().path(), path -> new ArrayList<>()).add(mounted);
  }

  /** All routes, in the order in which paths were first added. */
  List<Route> all() {
    Stream<Route> mounted = paths.values().stream().flatMap(List::stream).map(Mounted::route);
    return Stream.concat(elsewhere.stream(), mounted).toList();
  }

  /**
   * Mounts all routes, and then what answers other methods: a server may have the id {@code
   * preview}, and {@code GET /api/servers/preview} is that server.
   */
  void mount(Router router) {
    paths.forEach(
        (path, mounted) ->
            mounted.forEach(
                one -> router.route(one.route().method(), path).handler(ctx -> serve(ctx, one))));
    paths.forEach((path, mounted) -> refuseOthers(router, path, mounted));
  }

  private static void refuseOthers(Router router, String path, List<Mounted> mounted) {
    String allow =
        mounted.stream()
            .map(one -> one.route().method().name())
            .sorted()
            .collect(Collectors.joining(", "));
    router
        .route(path)
        .handler(
            ctx -> {
              ctx.response().putHeader("Allow", allow);
              ProblemDocument.send(ctx.response(), 405, "use " + allow.replace(", ", " or "));
            });
  }

  private void serve(RoutingContext ctx, Mounted mounted) {
    Route route = mounted.route();
    PolicyGate.operation(ctx, route.id());
    if (!gate.test(ctx, route.action())) {
      return;
    }
    QueryParameters.check(ctx, route);
    if (!mounted.hasBody()) {
      mounted.handler().accept(ctx, NO_BODY);
      return;
    }
    bodies.read(
        ctx.request(),
        AdmittedRequests.of(ctx),
        body -> {
          try {
            mounted.handler().accept(ctx, body);
          } catch (RuntimeException e) {
            ctx.fail(e);
          }
        });
  }

  /**
   * Answers with a document of mcpbus, and a line break for people who use {@code curl}, unless the
   * client has disconnected.
   */
  static void document(RoutingContext ctx, int status, JsonObject document) {
    json(ctx, status, document.toBuffer().appendByte(LINE_BREAK));
  }

  /** The same, for a document that is encoded already; does not copy it. */
  static void document(RoutingContext ctx, int status, Buffer document) {
    answer(ctx, status, document, LINE_END);
  }

  /** Answers with JSON as it is, unless the client has disconnected. */
  static void json(RoutingContext ctx, int status, Buffer body) {
    answer(ctx, status, body, NO_BODY);
  }

  /** The caller pays for the answer until its client has taken it; else the answer is a 503. */
  private static void answer(RoutingContext ctx, int status, Buffer body, Buffer rest) {
    HttpServerResponse response = ctx.response();
    if (response.closed() || response.ended()) {
      return;
    }
    String caller = AdmittedRequests.of(ctx).principal().name();
    ByteBudget.ByteAccount unread =
        ByteBudget.of(ctx.vertx()).account(ByteBudget.ByteUse.ANSWERS, caller);
    if (unread.take(body.length())) {
      int length = body.length() + rest.length();
      response
          .setStatusCode(status)
          .putHeader("Content-Type", Route.JSON)
          .putHeader("Content-Length", Integer.toString(length));
      if (rest.length() > 0) {
        response.write(body);
      }
      unread.closeAfter(response.end(rest.length() > 0 ? rest : body));
    } else {
      ProblemDocument.send(
          response, McpFailure.unpaid(McpFailure.Sent.MAYBE, unread.refusal(body.length())));
    }
  }
}
