package dev.mcpbus.connection;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.RawJson;
import io.vertx.core.Future;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.EventBus;
import io.vertx.core.eventbus.Message;
import io.vertx.core.eventbus.ReplyException;
import io.vertx.core.eventbus.ReplyFailure;
import io.vertx.core.json.JsonObject;
import java.util.Set;

/**
 * Asks callers what a server asks: roots, sampling, elicitation. The handler of this connection
 * ({@code mcp.<id>.input}) goes first, then the common one ({@code mcp.input}), which parks what
 * nobody answers at once.
 */
final class Inputs {

  /** How long a person may take. */
  static final long PATIENCE_MILLIS = 300_000;

  private static final Set<String> METHODS =
      Set.of(Methods.ROOTS_LIST, Methods.SAMPLING, Methods.ELICITATION);
  private static final DeliveryOptions PATIENT =
      new DeliveryOptions().setSendTimeout(PATIENCE_MILLIS);

  private final EventBus bus;
  private final ConnectionId id;

  Inputs(EventBus bus, ConnectionId id) {
    this.bus = bus;
    this.id = id;
  }

  /** True for what a server may ask its client for. */
  static boolean isInput(String method) {
    return METHODS.contains(method);
  }

  /**
   * Asks.
   *
   * @return the MCP result; fails where nobody is there, see {@link #isNobody}, or nobody answered
   */
  Future<JsonObject> ask(String method, JsonObject params) {
    JsonObject question =
        new JsonObject().put("id", id.value()).put("method", method).put("params", params);
    return bus.<JsonObject>request(Addresses.of(id, Addresses.INPUT), question, PATIENT)
        .recover(
            failure ->
                isNobody(failure)
                    ? bus.request(Addresses.ALL_INPUT, question, PATIENT)
                    : Future.failedFuture(failure))
        .map(Message::body);
  }

  Future<JsonObject> ask(String method, RawJson params) {
    return ask(method, params.toJsonObject());
  }

  static boolean isNobody(Throwable failure) {
    return failure instanceof ReplyException reply
        && reply.failureType() == ReplyFailure.NO_HANDLERS;
  }
}
