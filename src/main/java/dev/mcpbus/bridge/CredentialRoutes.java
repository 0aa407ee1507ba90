package dev.mcpbus.bridge;

import dev.mcpbus.bus.HttpQuery;
import dev.mcpbus.bus.ServiceOperation;
import dev.mcpbus.protocol.ParseLimits;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;

/**
 * {@code /api/credentials}: what the caller has stored at mcpbus for servers. Every caller may use
 * it, for what is its own; no answer has a value. Used on the bridge's context.
 */
record CredentialRoutes(BridgeCalls calls, ParseLimits limits) {

  void mount(RouteTable routes) {
    look(routes, ServiceOperation.CREDENTIALS_LIST, 0);
    routes.add(
        ServiceRoutes.route(ServiceOperation.CREDENTIALS_SET, 0),
        (ctx, body) ->
            ask(
                ctx,
                ServiceOperation.CREDENTIALS_SET,
                id(ctx).put("secret", OperationRoutes.read(body, limits).getValue("secret"))));
    look(routes, ServiceOperation.CREDENTIALS_REMOVE, 0);
    look(routes, ServiceOperation.CREDENTIALS_REMOVE, 1);
  }

  private void look(RouteTable routes, ServiceOperation row, int path) {
    routes.add(
        ServiceRoutes.route(row, path),
        ctx -> {
          JsonObject body = ctx.pathParam("id") == null ? new JsonObject() : id(ctx);
          String principal = QueryParameters.get(ctx, HttpQuery.PRINCIPAL.word);
          ask(ctx, row, principal == null ? body : body.put("principal", principal));
        });
  }

  private static JsonObject id(RoutingContext ctx) {
    return new JsonObject().put("id", OperationRoutes.id(ctx).value());
  }

  private void ask(RoutingContext ctx, ServiceOperation row, JsonObject body) {
    OperationRoutes.document(ctx, calls.ask(ctx, row.address, body));
  }
}
