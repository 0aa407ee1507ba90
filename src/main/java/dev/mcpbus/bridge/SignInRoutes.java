package dev.mcpbus.bridge;

import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.security.signin.SignInHandler;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;

/**
 * Hands requests for the authorization server to the {@link SignInHandler}, with their bodies,
 * before the admission: who asks there has no credential yet. Used on the bridge's context.
 *
 * @param receive closes the connection of a client that does not send its body
 */
record SignInRoutes(SignInHandler handler, ReceiveDeadline receive) {

  /** Answers a request for the authorization server; false, without an answer, for others. */
  boolean answers(HttpServerRequest request) {
    if (!handler.owns(String.valueOf(request.path()))) {
      return false;
    }
    Buffer body = Buffer.buffer();
    request.handler(
        chunk -> {
          if (request.response().ended()) {
            return;
          }
          if (body.length() + chunk.length() > SignInHandler.MAX_BODY) {
            refuse(request);
          } else {
            body.appendBuffer(chunk);
          }
        });
    request.endHandler(
        end -> {
          if (!request.response().ended()) {
            receive.received(request);
            handler.handle(request, body);
          }
        });
    return true;
  }

  private static void refuse(HttpServerRequest request) {
    request.pause();
    if (request.version() != HttpVersion.HTTP_2) {
      request.response().putHeader("Connection", "close");
    }
    ProblemDocument.send(
        request.response(),
        McpFailure.notSent(
            FailureCode.LIMIT_EXCEEDED,
            "body: more than " + SignInHandler.MAX_BODY + " bytes; send less"));
  }
}
