package dev.mcpbus.bridge;

import dev.mcpbus.security.Principal;
import dev.mcpbus.security.Rights;
import io.vertx.ext.web.RoutingContext;

/** Who sent a request, and what he may do. */
record Caller(Principal principal, Rights rights) {

  private static final String KEY = "mcpbus.caller";

  /** Set before every route. */
  static Caller of(RoutingContext ctx) {
    Caller caller = ctx.get(KEY);
    if (caller == null) {
      throw new IllegalStateException("a route without a caller");
    }
    return caller;
  }

  void enter(RoutingContext ctx) {
    ctx.put(KEY, this);
  }
}
