package dev.mcpbus.bridge;

import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.internals.ByteBudget;
import dev.mcpbus.internals.ByteBudget.ByteAccount;
import dev.mcpbus.internals.ByteBudget.ByteUse;
import dev.mcpbus.internals.HeldBytes;
import dev.mcpbus.security.Admission;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import java.util.function.Consumer;

/**
 * Reads a whole request body. Its caller pays for it until the response has ended: a body of an
 * announced length at once, another as it comes. A larger body than the cap is answered 413, one
 * that the caller cannot pay 503; either stays unread. The end of the body ends the client's time
 * to send. Used on the bridge's context.
 *
 * @param receive closes the connection of a client that does not send its body
 */
record BodyReader(int maxBytes, ReceiveDeadline receive, ByteBudget budget) {

  /** Calls {@code next} with the whole body, unless it is refused or never arrives. */
  void read(HttpServerRequest request, Admission caller, Consumer<Buffer> next) {
    HttpServerResponse response = request.response();
    ByteAccount account = budget.account(ByteUse.REQUESTS, caller.principal().name());
    caller.onEnd(account::close);
    HeldBytes body = new HeldBytes(maxBytes, 0, account);
    HeldBytes.Fit announced = body.announce(announced(request));
    if (announced != HeldBytes.Fit.HELD) {
      refuse(request, announced, body);
      return;
    }
    if ("100-continue".equalsIgnoreCase(request.getHeader(HttpHeaders.EXPECT))) {
      response.writeContinue();
    }
    request.handler(
        chunk -> {
          if (response.ended()) {
            return;
          }
          HeldBytes.Fit fit = body.add(chunk);
          if (fit != HeldBytes.Fit.HELD) {
            refuse(request, fit, body);
          }
        });
    request.endHandler(
        end -> {
          if (!response.ended()) {
            receive.received(request);
            next.accept(body.buffer());
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

  private void refuse(HttpServerRequest request, HeldBytes.Fit why, HeldBytes body) {
    request.pause();
    if (request.version() != HttpVersion.HTTP_2) {
      request.response().putHeader("Connection", "close");
    }
    ProblemDocument.send(
        request.response(),
        why == HeldBytes.Fit.UNPAID
            ? McpFailure.unpaid(McpFailure.Sent.NO, body.refusal())
            : McpFailure.notSent(
                FailureCode.LIMIT_EXCEEDED, "body: more than " + maxBytes + " bytes; send less"));
  }
}
