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
 * Sends the questions of a server to {@link Addresses#INPUT_ASK}, where {@code InputVerticle} finds
 * a handler or parks them. Owner: the connection's context.
 */
public final class InputRequests {

  private static final Set<String> METHODS =
      Set.of(Methods.ROOTS_LIST, Methods.SAMPLING, Methods.ELICITATION);

  /**
   * Longer than {@code InputVerticle} waits, so that its failure arrives before the bus's time-out.
   */
  private static final DeliveryOptions UNTIL_ANSWERED =
      new DeliveryOptions()
          .setLocalOnly(true)
          .setSendTimeout(Layer.CALLER.timeout(CallDeadline.QUESTION_MILLIS));

  private static final DeliveryOptions LOCAL = new DeliveryOptions().setLocalOnly(true);

  /**
   * A question that was sent.
   *
   * @param key its name for {@link #withdraw}
   * @param answer the MCP result; fails where there is no handler ({@link #isUnhandled}), or no
   *     answer
   */
  record OutgoingQuestion(String key, Future<JsonObject> answer) {}

  private final EventBus bus;
  private final ConnectionId id;
  private final SessionPreferences preferences;
  private final Set<String> open = new HashSet<>();

  public InputRequests(EventBus bus, ConnectionId id, SessionPreferences preferences) {
    this.bus = bus;
    this.id = id;
    this.preferences = preferences;
  }

  /** True for a method that a server may send to its client as a question. */
  static boolean isInput(String method) {
    return METHODS.contains(method);
  }

  /**
   * Sends a question.
   *
   * @param perRequest true for the {@code discover} era, whose requests carry the capabilities
   * @param owner the principal whose call the question belongs to, null where that is unknown
   * @param to the only address that gets the question, null for any handler
   * @param call the call id of the call that needs the answer, null where it is unknown
   */
  OutgoingQuestion ask(
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
    return new OutgoingQuestion(
        key,
        bus.<JsonObject>request(Addresses.INPUT_ASK, question, UNTIL_ANSWERED)
            .map(Message::body)
            .onComplete(ended -> open.remove(key)));
  }

  /**
   * Sends a question that stands in a result of the {@code discover} era.
   *
   * @param request {@code {method, params}}
   * @param call needs the answer; its headers say what answers questions
   * @param opened takes the key of the question
   * @return the MCP result; fails where {@code request} is malformed, or where there is no answer
   *     and none can be given in its place
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
    OutgoingQuestion sent = ask(method, params, true, call.owner(), call.input(), call.callId());
    opened.accept(sent.key());
    return sent.answer().recover(failure -> missing(method, failure));
  }

  /**
   * Decides what takes the place of a missing answer: an elicitation that reached a handler counts
   * as declined. Sampling and roots have no such answer, and a question without a handler is not
   * declined in a user's name.
   */
  private static Future<JsonObject> missing(String method, Throwable failure) {
    if (isUnfit(failure)) {
      return Future.failedFuture(
          McpFailure.maybeSent(FailureCode.PROTOCOL_ERROR, String.valueOf(failure.getMessage())));
    }
    if (method.equals(Methods.ELICITATION) && !isUnhandled(failure)) {
      return Future.succeededFuture(declined());
    }
    return Future.failedFuture(
        McpFailure.maybeSent(
            FailureCode.UNAVAILABLE,
            "the server needs " + method + " to go on, and no handler gave an answer"));
  }

  /** Takes a question back: its answer is not needed any more. */
  void withdraw(String key) {
    if (open.remove(key)) {
      bus.send(Addresses.INPUT_DROP, new JsonObject().put("question", key), LOCAL);
    }
  }

  /** Takes every open question back: the session is over. */
  void withdrawAll() {
    Set.copyOf(open).forEach(this::withdraw);
  }

  /** The answer to an elicitation that a handler got and did not answer. */
  static JsonObject declined() {
    return new JsonObject().put("action", "decline");
  }

  /** True where the question is malformed, so that no handler got it. */
  static boolean isUnfit(Throwable failure) {
    return McpFailure.of(failure).code() == FailureCode.PROTOCOL_ERROR;
  }

  /** True where there is no handler for the question. */
  static boolean isUnhandled(Throwable failure) {
    FailureCode code = McpFailure.of(failure).code();
    return code == FailureCode.METHOD_NOT_FOUND || code == FailureCode.UNKNOWN_CONNECTION;
  }
}
