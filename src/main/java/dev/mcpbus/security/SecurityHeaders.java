package dev.mcpbus.security;

import io.vertx.core.Handler;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.RoutingContext;

/** Puts on every response what keeps a browser from guessing, caching, framing or running it. */
public final class SecurityHeaders implements Handler<RoutingContext> {

  @Override
  public void handle(RoutingContext ctx) {
    apply(ctx.response());
    ctx.next();
  }

  /** For responses that are written before any route. */
  public static void apply(HttpServerResponse response) {
    response
        .putHeader("X-Content-Type-Options", "nosniff")
        .putHeader("Cache-Control", "no-store")
        .putHeader("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
        .putHeader("Referrer-Policy", "no-referrer");
  }
}
