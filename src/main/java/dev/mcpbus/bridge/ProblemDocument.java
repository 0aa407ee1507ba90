package dev.mcpbus.bridge;

import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.internals.HttpConnections;
import dev.mcpbus.protocol.ProtocolException;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import java.util.Locale;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes failures as {@code application/problem+json} (RFC 9457). Stateless. */
final class ProblemDocument {

  private static final Logger LOG = LoggerFactory.getLogger(ProblemDocument.class);

  private ProblemDocument() {}

  /** The failure handler of the router: answers each failure with one problem document. */
  static void handle(RoutingContext ctx) {
    Throwable failure = ctx.failure();
    if (failure instanceof McpFailure mine) {
      send(ctx.response(), mine);
    } else if (HttpConnections.isBadHandshake(failure)) {
      // Vert.x has answered, and reports the failure here as well.
      send(ctx.response(), 400, "the WebSocket handshake is not well-formed");
    } else if (ctx.statusCode() >= 400 && ctx.statusCode() < 500) {
      // A refusal by the router itself.
      send(ctx.response(), ctx.statusCode(), "the request cannot be read");
    } else {
      send(ctx.response(), defect(ctx.request().method() + " " + ctx.request().path(), failure));
    }
  }

  /** Logs the stack of a defect without its message, which may contain a caller's data. */
  static McpFailure defect(String place, Throwable failure) {
    Throwable bare = new Throwable(failure == null ? "unknown" : failure.getClass().getName());
    if (failure != null) {
      bare.setStackTrace(failure.getStackTrace());
    }
    LOG.error("bridge: {} failed", oneLine(place), bare);
    return McpFailure.maybeSent(FailureCode.INTERNAL, "unexpected failure; see the service's log");
  }

  private static String oneLine(String text) {
    String cut = text.length() > 200 ? text.substring(0, 200) : text;
    return cut.replaceAll("[^\\x20-\\x7E]", "?");
  }

  /** The failure for a body that is not strict JSON, or not JSON-RPC. */
  static McpFailure of(ProtocolException problem) {
    FailureCode code = problem.isLimit() ? FailureCode.LIMIT_EXCEEDED : FailureCode.BAD_REQUEST;
    JsonObject data =
        new JsonObject().put("reason", problem.reason().name()).put("position", problem.position());
    return new McpFailure(code, McpFailure.Sent.NO, "body: " + problem.getMessage(), -1, data);
  }

  /** Answers with a failure; does nothing if the response has begun. */
  static void send(HttpServerResponse response, McpFailure failure) {
    FailureCode code = failure.code();
    JsonObject body =
        failure
            .data()
            .copy()
            .put("type", "urn:mcpbus:" + code.name().toLowerCase(Locale.ROOT).replace('_', '-'))
            .put("title", code.title())
            .put("status", code.httpStatus())
            .put("detail", failure.getMessage())
            .put("code", code.name())
            .put("sent", failure.sent() == McpFailure.Sent.NO ? "no" : "maybe");
    body.remove("retryAfter");
    if (failure.retryAfterMillis() >= 0) {
      body.put("retryAfter", failure.retryAfterMillis());
      long seconds = (failure.retryAfterMillis() + 999) / 1000;
      if (!response.ended() && !response.headWritten()) {
        response.putHeader("Retry-After", Long.toString(seconds));
      }
    }
    write(response, code.httpStatus(), body);
  }

  /** Answers a fault of HTTP alone, which has no failure code of its own: {@code BAD_REQUEST}. */
  static void send(HttpServerResponse response, int status, String detail) {
    write(
        response,
        status,
        new JsonObject()
            .put("type", "about:blank")
            .put("title", HttpConnections.reason(status))
            .put("status", status)
            .put("detail", detail)
            .put("code", FailureCode.BAD_REQUEST.name())
            .put("sent", "no"));
  }

  private static void write(HttpServerResponse response, int status, JsonObject body) {
    if (response.ended() || response.closed() || response.headWritten()) {
      return;
    }
    response
        .setStatusCode(status)
        .putHeader("Content-Type", "application/problem+json")
        .end(body.toBuffer().appendByte(RouteTable.LINE_BREAK));
  }
}
