package dev.mcpbus.bridge;

import dev.mcpbus.security.Admission;
import io.vertx.ext.web.RoutingContext;

/** Who sent the request of a context, and what he may do. */
final class RequestCaller {

  private static final String KEY = "mcpbus.caller";

  private RequestCaller() {}

  /** Set before every route. */
  static Admission of(RoutingContext ctx) {
    Admission caller = ctx.get(KEY);
    if (caller == null) {
      throw new IllegalStateException("a route without a caller");
    }
    return caller;
  }

  static void enter(RoutingContext ctx, Admission caller) {
    ctx.put(KEY, caller);
  }
}
