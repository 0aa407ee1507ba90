package dev.mcpbus.bridge;

import dev.mcpbus.security.Admission;
import io.vertx.core.Handler;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Who sent the request of a context, and what he may do. Stands before every route of one router.
 * Used on the bridge's context.
 */
final class RequestCaller implements Handler<RoutingContext> {

  private static final String KEY = "mcpbus.caller";

  private final Router router;
  private @Nullable Admission entering;

  /**
   * @param router that has no route yet
   */
  RequestCaller(Router router) {
    this.router = router;
    router.route().handler(this);
  }

  static Admission of(RoutingContext ctx) {
    Admission caller = ctx.get(KEY);
    if (caller == null) {
      throw new IllegalStateException("a route without a caller");
    }
    return caller;
  }

  /**
   * Routes a request. The router makes its context, and runs its first handler, this one, before it
   * gives back control.
   */
  void route(HttpServerRequest request, Admission caller) {
    entering = caller;
    router.handle(request);
  }

  @Override
  public void handle(RoutingContext ctx) {
    ctx.put(KEY, Objects.requireNonNull(entering, "a request without a caller"));
    entering = null;
    ctx.next();
  }
}
