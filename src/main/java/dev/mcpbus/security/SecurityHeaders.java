package dev.mcpbus.security;

import io.vertx.core.http.HttpServerResponse;

/** Puts on a response what keeps a browser from guessing, caching, framing or running it. */
public final class SecurityHeaders {

  private SecurityHeaders() {}

  /** Before the response is written; belongs on every one, refusals included. */
  public static void apply(HttpServerResponse response) {
    response
        .putHeader("X-Content-Type-Options", "nosniff")
        .putHeader("Cache-Control", "no-store")
        .putHeader("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
        .putHeader("Referrer-Policy", "no-referrer");
  }
}
