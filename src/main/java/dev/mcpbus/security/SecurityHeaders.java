package dev.mcpbus.security;

import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerResponse;

/** Puts on a response what keeps a browser from guessing, caching, framing or running it. */
public final class SecurityHeaders {

  // Encoded once: they are on every response.
  private static final CharSequence[] ALL = {
    HttpHeaders.createOptimized("X-Content-Type-Options"),
    HttpHeaders.createOptimized("nosniff"),
    HttpHeaders.CACHE_CONTROL,
    HttpHeaders.createOptimized("no-store"),
    HttpHeaders.createOptimized("Content-Security-Policy"),
    HttpHeaders.createOptimized("default-src 'none'; frame-ancestors 'none'"),
    HttpHeaders.createOptimized("Referrer-Policy"),
    HttpHeaders.createOptimized("no-referrer")
  };

  private SecurityHeaders() {}

  /** Before the response is written; belongs on every one, refusals included. */
  public static void apply(HttpServerResponse response) {
    for (int i = 0; i < ALL.length; i += 2) {
      response.putHeader(ALL[i], ALL[i + 1]);
    }
  }
}
