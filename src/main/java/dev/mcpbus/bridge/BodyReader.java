package dev.mcpbus.bridge;

import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import java.util.function.Consumer;

/**
 * Reads a whole request body up to a cap; a larger body is answered 413 and stays unread. The end
 * of the body ends the client's time to send. Used on the bridge's context.
 */
final class BodyReader {

  private final int maxBytes;
  private final ReceiveDeadline receive;

  /**
   * @param receive closes the connection of a client that does not send its body
   */
  BodyReader(int maxBytes, ReceiveDeadline receive) {
    this.maxBytes = maxBytes;
    this.receive = receive;
  }

  /** Calls {@code next} with the whole body, unless it is refused or never arrives. */
  void read(HttpServerRequest request, Consumer<Buffer> next) {
    HttpServerResponse response = request.response();
    if (announced(request) > maxBytes) {
      refuse(request);
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
            refuse(request);
          } else {
            body.appendBuffer(chunk);
          }
        });
    request.endHandler(
        end -> {
          if (!response.ended()) {
            receive.received(request);
            next.accept(body);
          }
        });
  }

  private static long announced(HttpServerRequest request) {
    String length = request.getHeader(HttpHeaders.CONTENT_LENGTH);
    try {
      return length == null ? 0 : Long.parseLong(length);
    } catch (NumberFormatException e) {
      return Long.MAX_VALUE;
    }
  }

  private void refuse(HttpServerRequest request) {
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
