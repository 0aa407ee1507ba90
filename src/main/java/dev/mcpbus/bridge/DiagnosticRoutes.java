package dev.mcpbus.bridge;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.ServiceOperation;
import dev.mcpbus.policy.PolicyFilter;
import dev.mcpbus.protocol.ParseLimits;
import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.Function;

/**
 * What an operator asks about a server: endings, output, calls and activity. All but the activity,
 * which is numbers, needs the admin right, because output is of the server's process. Used on the
 * bridge's context.
 */
record DiagnosticRoutes(BridgeCalls calls, ParseLimits limits) {

  /** More than an examination on another node takes. */
  private static final Duration EXAMINATION = Duration.ofSeconds(40);

  void mount(RouteTable routes) {
    document(routes, ServiceOperation.CALLS, 0, ctx -> ask(ctx, ServiceOperation.CALLS, id(ctx)));
    routes.add(
        ServiceRoutes.route(ServiceOperation.EXAMINE, 0),
        (ctx, body) ->
            OperationRoutes.document(
                ctx, calls.ask(ctx, Addresses.SERVERS_EXAMINE, id(ctx), EXAMINATION)));
    document(
        routes,
        ServiceOperation.CONFIG,
        0,
        ctx -> ask(ctx, ServiceOperation.CONFIG, new JsonObject()));
    answer(
        routes,
        ServiceOperation.CALLS,
        1,
        ctx ->
            ask(ctx, ServiceOperation.CALLS, new JsonObject())
                .map(all -> PolicyFilter.calls(all, AdmittedRequests.of(ctx).rights())));
    document(
        routes,
        ServiceOperation.ACTIVITY,
        0,
        ctx ->
            ask(ctx, ServiceOperation.ACTIVITY, id(ctx))
                .map(reply -> only(reply, OperationRoutes.id(ctx))));
    document(routes, ServiceOperation.ACTIVITY, 1, this::activity);
    routes.add(
        ServiceRoutes.route(ServiceOperation.RPCLOG, 0),
        (ctx, body) ->
            OperationRoutes.document(
                ctx,
                ask(
                    ctx,
                    ServiceOperation.RPCLOG,
                    OperationRoutes.read(body, limits).mergeIn(id(ctx)))));
    answer(
        routes,
        ServiceOperation.LOGINS,
        0,
        ctx -> ask(ctx, ServiceOperation.LOGINS, new JsonObject()));
    answer(
        routes,
        ServiceOperation.LEASES,
        0,
        ctx -> ask(ctx, ServiceOperation.LEASES, new JsonObject()));
    answer(
        routes,
        ServiceOperation.RELEASE,
        0,
        ctx ->
            ask(
                ctx,
                ServiceOperation.RELEASE,
                new JsonObject().put("lease", ctx.pathParam("lease")).put("tell", true)));
  }

  private Future<JsonObject> activity(RoutingContext ctx) {
    Set<String> servers = StreamRoutes.servers(ctx);
    JsonObject body = new JsonObject();
    return ask(
            ctx,
            ServiceOperation.ACTIVITY,
            servers.isEmpty() ? body : body.put("servers", new JsonArray(List.copyOf(servers))))
        .map(all -> PolicyFilter.activity(all, AdmittedRequests.of(ctx).rights()));
  }

  private Future<JsonObject> ask(RoutingContext ctx, ServiceOperation row, JsonObject body) {
    return calls.ask(ctx, row.address, body);
  }

  private static void document(
      RouteTable routes,
      ServiceOperation row,
      int path,
      Function<RoutingContext, Future<JsonObject>> reply) {
    routes.add(
        ServiceRoutes.route(row, path), ctx -> OperationRoutes.document(ctx, reply.apply(ctx)));
  }

  private static void answer(
      RouteTable routes,
      ServiceOperation row,
      int path,
      Function<RoutingContext, Future<JsonObject>> reply) {
    routes.add(
        ServiceRoutes.route(row, path),
        ctx -> OperationRoutes.answer(ctx, reply.apply(ctx).map(JsonObject::toBuffer)));
  }

  private static JsonObject id(RoutingContext ctx) {
    return new JsonObject().put("id", OperationRoutes.id(ctx).value());
  }

  /** The activity of the only server that was asked for. */
  private static JsonObject only(JsonObject reply, ConnectionId id) {
    if (reply.getJsonObject("servers").getValue(id.value()) instanceof JsonObject activity) {
      return activity;
    }
    throw McpFailure.notSent(
        FailureCode.UNAVAILABLE, "the connection of '" + id + "' did not answer; try again");
  }
}
