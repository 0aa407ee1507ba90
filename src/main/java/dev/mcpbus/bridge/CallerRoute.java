package dev.mcpbus.bridge;

import dev.mcpbus.security.Action;
import dev.mcpbus.security.Admission;
import io.vertx.ext.web.RoutingContext;

/**
 * {@code GET /api/caller}: who the caller is, so that a page shows what he may use. It concerns
 * only what belongs to the caller, so every caller may ask. Used on the bridge's context.
 *
 * @param login whether requests without a credential are refused
 */
record CallerRoute(boolean login) {

  void mount(RouteTable routes) {
    routes.add(
        Route.get("/api/caller", Action.LIST, "getCaller", "Who the caller is.").giving("Caller"),
        this::answer);
  }

  private void answer(RoutingContext ctx) {
    Admission caller = AdmittedRequests.of(ctx);
    RouteTable.document(ctx, 200, caller.about().put("login", login));
  }
}
