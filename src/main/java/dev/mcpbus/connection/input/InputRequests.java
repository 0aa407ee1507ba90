package dev.mcpbus.connection.input;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.CallDeadline;
import dev.mcpbus.bus.CallDeadline.Layer;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.connection.session.PendingRequest;
import dev.mcpbus.connection.session.SessionPreferences;
import dev.mcpbus.protocol.Methods;
import io.vertx.core.Future;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.EventBus;
import io.vertx.core.eventbus.Message;
import io.vertx.core.json.JsonObject;
import java.util.HashSet;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What a server asks of its client, passed on to whoever answers such questions on the bus ({@link
 * Addresses#INPUT_ASK}). Owner: the connection's context.
 */
public final class InputRequests {

  private static final Set<String> METHODS =
      Set.of(Methods.ROOTS_LIST, Methods.SAMPLING, Methods.ELICITATION);

  /** Longer than the one who answers is patient, so that its failure arrives and not the bus's. */
  private static final DeliveryOptions PATIENT =
      new DeliveryOptions()
          .setLocalOnly(true)
          .setSendTimeout(Layer.CALLER.timeout(CallDeadline.QUESTION_MILLIS));

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
  private final SessionPreferences preferences;
  private final Set<String> open = new HashSet<>();

  public InputRequests(EventBus bus, ConnectionId id, SessionPreferences preferences) {
    this.bus = bus;
    this.id = id;
    this.preferences = preferences;
  }

  /** True for what a server may ask its client for. */
  static boolean isInput(String method) {
    return METHODS.contains(method);
  }

  /**
   * Asks.
   *
   * @param perRequest true in the era whose requests each tell what we offer
   * @param owner the principal whose question it is, null where that is not known
   * @param to the one address that is asked, null for whoever answers
   * @param call the caller's name of the call that needs the answer, null where it is not known
   */
  Question ask(
      String method,
      JsonObject params,
      boolean perRequest,
      @Nullable String owner,
      @Nullable String to,
      @Nullable String call) {
    String key = UUID.randomUUID().toString();
    JsonObject question =
        new JsonObject()
            .put("question", key)
            .put("id", id.value())
            .put("method", method)
            .put("params", params)
            .put("offered", preferences.isOffered(method, params, perRequest))
            .put("configured", preferences.isConfigured(method, params));
    if (owner != null) {
      question.put("principal", owner);
    }
    if (to != null) {
      question.put("to", to).put("call", call);
    }
    open.add(key);
    return new Question(
        key,
        bus.<JsonObject>request(Addresses.INPUT_ASK, question, PATIENT)
            .map(Message::body)
            .onComplete(ended -> open.remove(key)));
  }

  /**
   * Asks what a result of the modern era asks for.
   *
   * @param request {@code {method, params}}
   * @param call that needs it, and says who is asked
   * @param opened takes the key of the question
   * @return the MCP result; fails where the request is nonsense, or nobody answers and no answer
   *     can be made up
   */
  Future<JsonObject> answer(Object request, PendingRequest call, Consumer<String> opened) {
    if (!(request instanceof JsonObject question)
        || !(question.getValue("method") instanceof String method)
        || !isInput(method)) {
      return Future.failedFuture(
          McpFailure.maybeSent(
              FailureCode.PROTOCOL_ERROR, "the server asks for an input that MCP does not know"));
    }
    JsonObject params =
        question.getValue("params") instanceof JsonObject object ? object : new JsonObject();
    Question asked = ask(method, params, true, call.owner(), call.input(), call.callId());
    opened.accept(asked.key());
    return asked.answer().recover(failure -> missing(method, failure));
  }

  /**
   * A question that was put to somebody may go without an answer; a model or a folder cannot be
   * made up, and what nobody was asked is not declined in anybody's name.
   */
  private static Future<JsonObject> missing(String method, Throwable failure) {
    if (isUnfit(failure)) {
      return Future.failedFuture(
          McpFailure.maybeSent(FailureCode.PROTOCOL_ERROR, String.valueOf(failure.getMessage())));
    }
    if (method.equals(Methods.ELICITATION) && !isNobody(failure)) {
      return Future.succeededFuture(declined());
    }
    return Future.failedFuture(
        McpFailure.maybeSent(
            FailureCode.UNAVAILABLE,
            "the server needs " + method + " to go on, and nobody answered it"));
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
