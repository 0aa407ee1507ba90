package dev.mcpbus.connection;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.protocol.Methods;
import io.vertx.core.Future;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.EventBus;
import io.vertx.core.eventbus.Message;
import io.vertx.core.json.JsonObject;
import java.util.HashSet;
import java.util.Set;
import java.util.UUID;

/**
 * What a server asks of its client, passed on to whoever answers such questions on the bus ({@link
 * Addresses#INPUT_ASK}). Owner: the connection's context.
 */
final class Inputs {

  /** How long a call waits for a person. */
  static final long PATIENCE_MILLIS = 300_000;

  private static final Set<String> METHODS =
      Set.of(Methods.ROOTS_LIST, Methods.SAMPLING, Methods.ELICITATION);

  /** Longer than the one who answers is patient, so that its failure arrives and not the bus's. */
  private static final DeliveryOptions PATIENT =
      new DeliveryOptions().setLocalOnly(true).setSendTimeout(PATIENCE_MILLIS + 5_000);

  private static final DeliveryOptions LOCAL = new DeliveryOptions().setLocalOnly(true);

  /**
   * A question on its way.
   *
   * @param key names it for {@link #withdraw}
   * @param answer the MCP result; fails where nobody is there ({@link #isNobody}) or answered
   */
  record Question(String key, Future<JsonObject> answer) {}

  private final EventBus bus;
  private final ConnectionId id;
  private final Wishes wishes;
  private final Set<String> open = new HashSet<>();

  Inputs(EventBus bus, ConnectionId id, Wishes wishes) {
    this.bus = bus;
    this.id = id;
    this.wishes = wishes;
  }

  /** True for what a server may ask its client for. */
  static boolean isInput(String method) {
    return METHODS.contains(method);
  }

  /**
   * Asks.
   *
   * @param perRequest true in the era whose requests each tell what we offer
   */
  Question ask(String method, JsonObject params, boolean perRequest) {
    String key = UUID.randomUUID().toString();
    JsonObject question =
        new JsonObject()
            .put("question", key)
            .put("id", id.value())
            .put("method", method)
            .put("params", params)
            .put("offered", wishes.isOffered(method, params, perRequest));
    open.add(key);
    return new Question(
        key,
        bus.<JsonObject>request(Addresses.INPUT_ASK, question, PATIENT)
            .map(Message::body)
            .onComplete(ended -> open.remove(key)));
  }

  /** Nobody wants the answer any more. */
  void withdraw(String key) {
    if (open.remove(key)) {
      bus.send(Addresses.INPUT_DROP, new JsonObject().put("question", key), LOCAL);
    }
  }

  /** The session that asked is over. */
  void withdrawAll() {
    Set.copyOf(open).forEach(this::withdraw);
  }

  /** What a server gets whose question was put to somebody who never answered. */
  static JsonObject declined() {
    return new JsonObject().put("action", "decline");
  }

  /** True where the question is none that anybody should see. */
  static boolean isUnfit(Throwable failure) {
    return McpFailure.of(failure).code() == FailureCode.PROTOCOL_ERROR;
  }

  static boolean isNobody(Throwable failure) {
    FailureCode code = McpFailure.of(failure).code();
    return code == FailureCode.METHOD_NOT_FOUND || code == FailureCode.UNKNOWN_CONNECTION;
  }
}
