package dev.mcpbus.bridge;

import dev.mcpbus.bus.MetricsPage;
import dev.mcpbus.security.Action;
import dev.mcpbus.security.Operation;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.RoutingContext;

/**
 * {@code GET /metrics}, as Prometheus reads it. The page names every server and its tools, so a
 * caller with policies needs one that names the action {@code metrics}. Principals are named to
 * administrators alone. Used on the bridge's context.
 */
final class MetricsRoute {

  private static final Operation READ = Operation.of(Action.METRICS, "", "");

  private final PolicyGate gate;
  private final MetricsPage page;

  MetricsRoute(Vertx vertx, PolicyGate gate) {
    this.gate = gate;
    this.page = MetricsPage.of(vertx);
  }

  void mount(RouteTable routes) {
    routes.add(
        Route.get("/metrics", Action.METRICS, "getMetrics", "Metrics for Prometheus.")
            .giving("Text")
            .typed(Route.PLAIN_TEXT),
        this::write);
  }

  private void write(RoutingContext ctx) {
    String accept = ctx.request().getHeader("Accept");
    gate.call(ctx, READ, () -> page.write(accept, gate.maySeePrincipals(ctx)))
        .onSuccess(text -> end(ctx.response(), text))
        .onFailure(ctx::fail);
  }

  private static void end(HttpServerResponse response, MetricsPage.MetricsText text) {
    if (!response.closed() && !response.ended()) {
      response.putHeader("Content-Type", text.type()).end(text.text());
    }
  }
}
