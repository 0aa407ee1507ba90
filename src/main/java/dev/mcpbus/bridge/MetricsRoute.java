package dev.mcpbus.bridge;

import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.MetricsPage;
import dev.mcpbus.bus.Telemetry;
import dev.mcpbus.security.Action;
import dev.mcpbus.security.Operation;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.RoutingContext;
import org.jspecify.annotations.Nullable;

/**
 * {@code GET /metrics}, as Prometheus reads it. The page names every server and its tools, so a
 * caller with policies needs one that names the action {@code metrics}. Used on the bridge's
 * context.
 */
final class MetricsRoute {

  private static final Operation READ = Operation.of(Action.METRICS, "", "");

  private final PolicyGate gate;
  private final @Nullable MetricsPage page;

  MetricsRoute(Vertx vertx, PolicyGate gate) {
    Telemetry telemetry = Telemetry.of(vertx);
    this.gate = gate;
    this.page = telemetry == null ? null : telemetry.page();
  }

  void mount(RouteTable routes) {
    routes.add(
        Route.get("/metrics", Action.METRICS, "getMetrics", "Metrics for Prometheus.")
            .giving("Text")
            .typed(Route.PLAIN_TEXT),
        this::write);
  }

  private void write(RoutingContext ctx) {
    gate.call(ctx, READ, () -> text(ctx))
        .onSuccess(text -> end(ctx.response(), text))
        .onFailure(ctx::fail);
  }

  private Future<MetricsPage.MetricsText> text(RoutingContext ctx) {
    return page == null
        ? Future.failedFuture(
            McpFailure.notSent(
                FailureCode.METHOD_NOT_FOUND,
                "there are no metrics; \"metrics\": {\"enabled\": true} in the configuration"
                    + " switches them on"))
        : page.write(ctx.request().getHeader("Accept"));
  }

  private static void end(HttpServerResponse response, MetricsPage.MetricsText text) {
    if (!response.closed() && !response.ended()) {
      response.putHeader("Content-Type", text.type()).end(text.text());
    }
  }
}
