package dev.mcpbus.connection;

import dev.mcpbus.protocol.JsonRpcError;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.RawJson;

/**
 * Answers what a server of the {@code initialize} era asks of its client. {@code ping} at once;
 * roots, sampling and elicitation are asked of callers ({@link Inputs}); where nobody is there, and
 * for any other method, the answer is -32601.
 */
final class ServerRequests {

  private final Inputs inputs;

  ServerRequests(Inputs inputs) {
    this.inputs = inputs;
  }

  void handle(Session session, RawJson requestId, String method, RawJson params) {
    if (method.equals(Methods.PING)) {
      session.answer(requestId, RawJson.EMPTY_OBJECT);
    } else if (Inputs.isInput(method)) {
      inputs
          .ask(method, params)
          .onComplete(
              answer -> session.answer(requestId, RawJson.of(answer)),
              failure -> refuse(session, requestId, method, failure));
    } else {
      session.refuse(
          requestId, JsonRpcError.METHOD_NOT_FOUND, "mcpbus does not know the method " + method);
    }
  }

  private static void refuse(Session session, RawJson requestId, String method, Throwable failure) {
    if (Inputs.isNobody(failure)) {
      session.refuse(
          requestId, JsonRpcError.METHOD_NOT_FOUND, "nobody is there to answer " + method);
    } else {
      session.refuse(requestId, JsonRpcError.INTERNAL_ERROR, method + " was not answered");
    }
  }
}
