package dev.mcpbus.bridge;

import dev.mcpbus.security.Action;
import io.vertx.core.Handler;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerResponse;
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
 * The table of all routes. Every request of one passes the gate with the route's action before its
 * body is read; a method that a path does not have is answered 405 with {@code Allow}.
 */
final class RouteTable {

  private record Mounted(Route route, Handler<RoutingContext> handler) {}

  private final BodyReader bodies;
  private final BiPredicate<RoutingContext, Action> gate;
  private final Map<String, List<Mounted>> paths = new LinkedHashMap<>();
  private final List<Route> elsewhere = new ArrayList<>();

  /**
   * @param gate whether a request may do this; where not, it has answered the request
   */
  RouteTable(BodyReader bodies, BiPredicate<RoutingContext, Action> gate) {
    this.bodies = bodies;
    this.gate = gate;
  }

  /** A route without a body. */
  void add(Route route, Handler<RoutingContext> handler) {
    put(route, handler);
  }

  /** A route with a body, which may be empty. */
  void add(Route route, BiConsumer<RoutingContext, Buffer> handler) {
    put(
        route,
        ctx ->
            bodies.read(
                ctx.request(),
                body -> {
                  try {
                    handler.accept(ctx, body);
                  } catch (RuntimeException e) {
                    ctx.fail(e);
                  }
                }));
  }

  /** What is answered before the router, and is not mounted. */
  void describe(List<Route> routes) {
    elsewhere.addAll(routes);
  }

  private void put(Route route, Handler<RoutingContext> handler) {
    paths.computeIfAbsent(route.path(), path -> new ArrayList<>()).add(new Mounted(route, handler));
  }

  /** In the order in which paths were first added. */
  List<Route> all() {
    Stream<Route> mounted = paths.values().stream().flatMap(List::stream).map(Mounted::route);
    return Stream.concat(elsewhere.stream(), mounted).toList();
  }

  void mount(Router router) {
    paths.forEach((path, mounted) -> mount(router, path, mounted));
  }

  private void mount(Router router, String path, List<Mounted> mounted) {
    for (Mounted one : mounted) {
      router
          .route(one.route().method(), path)
          .handler(
              ctx -> {
                PolicyGate.operation(ctx, one.route().id());
                if (gate.test(ctx, one.route().action())) {
                  QueryParameters.check(ctx, one.route());
                  one.handler().handle(ctx);
                }
              });
    }
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

  /** Ends {@code response} with JSON, unless the client has gone away. */
  static void json(HttpServerResponse response, int status, Buffer body) {
    if (!response.closed() && !response.ended()) {
      response.setStatusCode(status).putHeader("Content-Type", Route.JSON).end(body);
    }
  }
}
