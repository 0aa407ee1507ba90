package dev.mcpbus.bridge;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.ServiceOperation;
import dev.mcpbus.protocol.ParseLimits;
import dev.mcpbus.security.Action;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * {@code /api}: servers and their states, nodes, and the questions of servers. Used on the bridge's
 * context.
 */
record ServiceRoutes(BridgeCalls calls, ParseLimits limits) {

  void mount(RouteTable routes) {
    look(routes, ServiceOperation.LIST, ctx -> new JsonObject());
    routes.add(route(ServiceOperation.ADD, 0), this::add);
    post(routes, ServiceOperation.PREVIEW, (ctx, body) -> body);
    look(routes, ServiceOperation.GET, ServiceRoutes::id);
    look(routes, ServiceOperation.REMOVE, ServiceRoutes::id);
    look(routes, ServiceOperation.NODES, ctx -> new JsonObject());
    routes.add(
        route(ServiceOperation.NODES_DRAIN, 0),
        (ctx, body) -> {
          OperationRoutes.object(body, limits);
          ask(ctx, ServiceOperation.NODES_DRAIN, named(ctx, "node"));
        });
    look(
        routes,
        ServiceOperation.INPUT_PENDING,
        ctx -> {
          JsonObject body = new JsonObject();
          String server = QueryParameters.get(ctx, "server");
          return server == null ? body : body.put("id", OperationRoutes.named(server));
        });
    post(
        routes,
        ServiceOperation.INPUT_RESPOND,
        (ctx, body) -> named(ctx, "question").put("result", body));
    routes.add(
        route(ServiceOperation.INPUT_RESPOND, 1),
        ctx ->
            ask(ctx, ServiceOperation.INPUT_RESPOND, named(ctx, "question").put("decline", true)));
    post(routes, ServiceOperation.INPUT_OFFER, (ctx, body) -> body);
    look(routes, ServiceOperation.INPUT_WITHDRAW, ctx -> named(ctx, "offer"));
  }

  /**
   * The route of a row.
   *
   * @param path which of its paths
   */
  static Route route(ServiceOperation row, int path) {
    Action action =
        switch (row.subject) {
          case FILTERED, LIST_OF_SERVER, LIST_OF_NODE, OWN -> Action.LIST;
          case ADMIN_OF_SERVER, ADMIN_OF_NAME, ADMIN_OF_NODE, ADMIN_OF_SERVER_OR_SOME ->
              Action.ADMIN;
          case METRICS_OF_SERVER_OR_SOME -> Action.METRICS;
          case CALL_OF_SERVER_OR_ALL, OWN_QUESTIONS -> Action.CALL;
        };
    return Route.of(row.paths.get(path), action);
  }

  /** The member of the body that the path names. */
  private static JsonObject named(RoutingContext ctx, String member) {
    return new JsonObject().put(member, ctx.pathParam(member));
  }

  private void look(
      RouteTable routes, ServiceOperation row, Function<RoutingContext, JsonObject> request) {
    routes.add(route(row, 0), ctx -> ask(ctx, row, request.apply(ctx)));
  }

  private void post(
      RouteTable routes,
      ServiceOperation row,
      BiFunction<RoutingContext, JsonObject, JsonObject> request) {
    routes.add(
        route(row, 0),
        (ctx, body) ->
            ask(ctx, row, request.apply(ctx, OperationRoutes.object(body, limits).toJsonObject())));
  }

  private void add(RoutingContext ctx, Buffer body) {
    JsonObject entry = OperationRoutes.read(body, limits);
    calls
        .ask(ctx, Addresses.SERVERS_ADD, entry)
        .onSuccess(
            added -> {
              String id = URLEncoder.encode(added.getString("id", ""), StandardCharsets.UTF_8);
              if (!ctx.response().headWritten()) {
                ctx.response().putHeader("Location", "/api/servers/" + id);
              }
              RouteTable.document(ctx, 201, added);
            })
        .onFailure(ctx::fail);
  }

  private void ask(RoutingContext ctx, ServiceOperation row, JsonObject body) {
    OperationRoutes.document(ctx, calls.ask(ctx, row.address, body));
  }

  private static JsonObject id(RoutingContext ctx) {
    return new JsonObject().put("id", OperationRoutes.id(ctx).value());
  }
}
