package dev.mcpbus.bridge;

import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import io.vertx.core.Handler;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import io.vertx.ext.web.RoutingContext;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/** Reads a whole request body, but never more than the cap: then 413, and the rest stays unread. */
final class BodyReader implements Handler<RoutingContext> {

  private final int maxBytes;
  private final BiConsumer<RoutingContext, Buffer> next;

  BodyReader(int maxBytes, BiConsumer<RoutingContext, Buffer> next) {
    this.maxBytes = maxBytes;
    this.next = next;
  }

  @Override
  public void handle(RoutingContext ctx) {
    read(ctx.request(), maxBytes, body -> accept(ctx, body));
  }

  /** Calls {@code next} with the whole body, unless that is refused or never comes. */
  static void read(HttpServerRequest request, int maxBytes, Consumer<Buffer> next) {
    HttpServerResponse response = request.response();
    if (announced(request) > maxBytes) {
      refuse(request, maxBytes);
      return;
    }
    if ("100-continue".equalsIgnoreCase(request.getHeader(HttpHeaders.EXPECT))) {
      response.writeContinue();
    }
    Buffer body = Buffer.buffer();
    request.handler(
        chunk -> {
          if (response.ended()) {
            return;
          }
          if (body.length() + chunk.length() > maxBytes) {
            refuse(request, maxBytes);
          } else {
            body.appendBuffer(chunk);
          }
        });
    request.endHandler(
        end -> {
          if (!response.ended()) {
            next.accept(body);
          }
        });
  }

  private void accept(RoutingContext ctx, Buffer body) {
    try {
      next.accept(ctx, body);
    } catch (RuntimeException e) {
      ctx.fail(e);
    }
  }

  private static long announced(HttpServerRequest request) {
    String length = request.getHeader(HttpHeaders.CONTENT_LENGTH);
    try {
      return length == null ? 0 : Long.parseLong(length);
    } catch (NumberFormatException e) {
      return Long.MAX_VALUE;
    }
  }

  private static void refuse(HttpServerRequest request, int maxBytes) {
    request.pause();
    if (request.version() != HttpVersion.HTTP_2) {
      request.response().putHeader("Connection", "close");
    }
    ProblemDocument.send(
        request.response(),
        McpFailure.notSent(
            FailureCode.LIMIT_EXCEEDED, "body: more than " + maxBytes + " bytes; send less"));
  }
}
