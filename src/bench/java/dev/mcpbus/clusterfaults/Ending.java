package dev.mcpbus.clusterfaults;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.ConnectException;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;

/**
 * How a call ended for its caller.
 *
 * @param code {@code OK}, a failure code, or a word of the caller's own where HTTP itself failed
 * @param sent "maybe", or "no" where it certainly did not reach its server
 * @param text of the result
 * @param retryAfter milliseconds, -1 where none is said
 * @param at nanoseconds
 */
record Ending(String code, String sent, String text, long retryAfter, long at) {

  boolean isOk() {
    return code.equals("OK");
  }

  static Ending of(HttpResponse<String> response, Throwable failure) {
    long now = System.nanoTime();
    if (failure != null) {
      return of(failure, now);
    }
    try {
      JsonObject body = json(response.body());
      if (body.containsKey("jsonrpc")) {
        return rpc(body, now);
      }
      if (response.statusCode() == 200 && !body.getBoolean("isError", false)) {
        JsonArray content = body.getJsonArray("content");
        return new Ending("OK", "maybe", content.getJsonObject(0).getString("text"), -1, now);
      }
      return new Ending(
          body.getString("code", "HTTP_" + response.statusCode()),
          body.getString("sent", "maybe"),
          body.getString("detail", ""),
          body.getLong("retryAfter", -1L),
          now);
    } catch (RuntimeException e) {
      return new Ending("HTTP_" + response.statusCode(), "maybe", response.body(), -1, now);
    }
  }

  /** The body, or the last event of a stream. */
  private static JsonObject json(String body) {
    int data = body.lastIndexOf("data: ");
    return new JsonObject(data < 0 ? body : body.substring(data + "data: ".length()).strip());
  }

  private static Ending rpc(JsonObject answer, long now) {
    JsonObject result = answer.getJsonObject("result");
    if (result != null) {
      JsonArray content = result.getJsonArray("content");
      return new Ending("OK", "maybe", content.getJsonObject(0).getString("text"), -1, now);
    }
    JsonObject error = answer.getJsonObject("error");
    JsonObject data = error.getJsonObject("data", new JsonObject());
    return new Ending(
        data.getString("code", "RPC_" + error.getInteger("code")),
        data.getString("sent", "maybe"),
        error.getString("message", ""),
        -1,
        now);
  }

  private static Ending of(Throwable failure, long now) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof ConnectException) {
        return new Ending("REFUSED", "no", "", 0, now);
      }
      if (cause instanceof HttpTimeoutException) {
        return new Ending("CALLER_TIMEOUT", "maybe", "", -1, now);
      }
    }
    return new Ending("RESET", "maybe", String.valueOf(failure.getMessage()), 0, now);
  }
}
