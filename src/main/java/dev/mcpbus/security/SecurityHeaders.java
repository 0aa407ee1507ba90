package dev.mcpbus.security;

import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerResponse;

/** Adds headers to a response that forbid browsers to guess its type, cache, frame or run it. */
public final class SecurityHeaders {

  // Encoded once, as every response carries them.
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

  /** Adds the headers; call it before the response is written, refusals included. */
  public static void apply(HttpServerResponse response) {
    for (int i = 0; i < ALL.length; i += 2) {
      response.putHeader(ALL[i], ALL[i + 1]);
    }
  }
}
