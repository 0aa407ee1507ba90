package dev.mcpbus.connection;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.protocol.JsonRpcError;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.RawJson;
import io.vertx.core.Future;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.EventBus;
import io.vertx.core.eventbus.ReplyException;
import io.vertx.core.eventbus.ReplyFailure;
import io.vertx.core.json.JsonObject;
import java.util.Set;

/**
 * Answers what a server asks of its client. {@code ping} at once; roots, sampling and elicitation
 * go to the handler of this connection ({@code mcp.<id>.input}), else to the common one ({@code
 * mcp.input}); where nobody is registered, and for any other method, the answer is -32601.
 */
final class ServerRequests {

  private static final Set<String> INPUT =
      Set.of(Methods.ROOTS_LIST, Methods.SAMPLING, Methods.ELICITATION);

  /** How long a person may take. */
  private static final DeliveryOptions PATIENT = new DeliveryOptions().setSendTimeout(300_000);

  private final EventBus bus;
  private final ConnectionId id;

  ServerRequests(EventBus bus, ConnectionId id) {
    this.bus = bus;
    this.id = id;
  }

  void handle(Session session, RawJson requestId, String method, RawJson params) {
    if (method.equals(Methods.PING)) {
      session.answer(requestId, RawJson.EMPTY_OBJECT);
    } else if (INPUT.contains(method)) {
      JsonObject question =
          new JsonObject()
              .put("id", id.value())
              .put("method", method)
              .put("params", params.toJsonObject());
      bus.<JsonObject>request(Addresses.of(id, Addresses.INPUT), question, PATIENT)
          .recover(
              failure ->
                  nobody(failure)
                      ? bus.request(Addresses.ALL_INPUT, question, PATIENT)
                      : Future.failedFuture(failure))
          .onComplete(
              answer -> session.answer(requestId, RawJson.of(answer.body())),
              failure -> refuse(session, requestId, method, failure));
    } else {
      session.refuse(
          requestId, JsonRpcError.METHOD_NOT_FOUND, "mcpbus does not know the method " + method);
    }
  }

  private static void refuse(Session session, RawJson requestId, String method, Throwable failure) {
    if (nobody(failure)) {
      session.refuse(
          requestId, JsonRpcError.METHOD_NOT_FOUND, "nobody is there to answer " + method);
    } else {
      session.refuse(requestId, JsonRpcError.INTERNAL_ERROR, method + " was not answered");
    }
  }

  private static boolean nobody(Throwable failure) {
    return failure instanceof ReplyException reply
        && reply.failureType() == ReplyFailure.NO_HANDLERS;
  }
}
