package dev.mcpbus.security;

import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.json.JsonObject;

/** Refusals before routing, as problem documents (RFC 9457). Stateless. */
final class RefusalResponse {

  private RefusalResponse() {}

  static void send(
      HttpServerRequest request, int status, RefusalCode code, String title, String detail) {
    end(request, status, document(status, code, title, detail));
  }

  /** Refuses with 429 and {@code Retry-After}. */
  static void later(HttpServerRequest request, long retryMillis) {
    long seconds = Math.max(1, (retryMillis + 999) / 1_000);
    request.response().putHeader("Retry-After", Long.toString(seconds));
    JsonObject body =
        document(
            429, RefusalCode.RATE_LIMITED, "Too many calls.", "more requests than you are allowed");
    end(request, 429, body.put("retryAfter", retryMillis));
  }

  private static JsonObject document(int status, RefusalCode code, String title, String detail) {
    return new JsonObject()
        .put("type", code.type())
        .put("title", title)
        .put("status", status)
        .put("detail", detail)
        .put("code", code.name())
        .put("sent", "no");
  }

  private static void end(HttpServerRequest request, int status, JsonObject body) {
    HttpServerResponse response = request.response();
    if (response.ended() || response.closed()) {
      return;
    }
    if (request.version() != HttpVersion.HTTP_2 && hasBody(request)) {
      response.putHeader("Connection", "close"); // the body of a refused request is not read
    }
    response
        .setStatusCode(status)
        .putHeader("Content-Type", "application/problem+json")
        .end(body.toBuffer().appendString("\n"));
  }

  private static boolean hasBody(HttpServerRequest request) {
    String length = request.getHeader("Content-Length");
    return request.headers().contains("Transfer-Encoding")
        || (length != null && !length.equals("0"));
  }
}
