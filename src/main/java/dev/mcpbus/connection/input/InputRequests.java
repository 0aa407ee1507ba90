package dev.mcpbus.connection.input;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.CallDeadline;
import dev.mcpbus.bus.CallDeadline.Layer;
import dev.mcpbus.bus.ClientAnswer;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.QuestionMessage;
import dev.mcpbus.bus.RequestSender;
import dev.mcpbus.connection.session.PendingRequest;
import dev.mcpbus.connection.session.SessionPreferences;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.ParseLimits;
import dev.mcpbus.protocol.ProtocolException;
import dev.mcpbus.protocol.RawJson;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.json.JsonObject;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Sends the questions of a server: those to one client of the gateway to its session host, as bytes
 * ({@link QuestionMessage}); all others to {@link Addresses#INPUT_ASK}, where {@code InputVerticle}
 * finds a handler or parks them. Owner: the connection's context.
 */
public final class InputRequests {

  /**
   * Longer than {@code InputVerticle} waits, so that its failure arrives before the bus's time-out.
   */
  private static final DeliveryOptions UNTIL_ANSWERED =
      new DeliveryOptions()
          .setLocalOnly(true)
          .setSendTimeout(Layer.CALLER.timeout(CallDeadline.QUESTION_MILLIS));

  /** Of an answer; the HTTP server of the gateway has bounded its size. */
  private static final ParseLimits ANSWERS = ParseLimits.DEFAULT.withMaxBytes(Integer.MAX_VALUE);

  /** The answer to an elicitation that a handler got and did not answer: nobody has refused. */
  static final RawJson UNANSWERED = RawJson.of(new JsonObject().put("action", "cancel"));

  private static final DeliveryOptions LOCAL = new DeliveryOptions().setLocalOnly(true);

  /**
   * A question that was sent.
   *
   * @param key its name for {@link #withdraw}
   * @param direct whether it went to one client of the gateway
   * @param answer fails where there is no handler ({@link #isUnhandled}), or no answer
   */
  record OutgoingQuestion(String key, boolean direct, Future<ClientAnswer> answer) {}

  private final Vertx vertx;
  private final ConnectionId id;
  private final @Nullable String principal;
  private final SessionPreferences preferences;

  /** By the key of a question: the client of the gateway that got it, empty for any other. */
  private final Map<String, String> open = new HashMap<>();

  public InputRequests(Vertx vertx, ConnectionId id, SessionPreferences preferences) {
    this(vertx, id, null, preferences);
  }

  /**
   * @param id of the server by which those who answer know it
   * @param principal whose connection asks; null where the call decides whose a question is
   */
  public InputRequests(
      Vertx vertx, ConnectionId id, @Nullable String principal, SessionPreferences preferences) {
    this.vertx = vertx;
    this.id = id;
    this.principal = principal;
    this.preferences = preferences;
  }

  /** True for a method that a server may send to its client as a question. */
  static boolean isInput(String method) {
    return Methods.QUESTIONS.contains(method);
  }

  /** True where questions go to one client of the gateway, which gets them as bytes. */
  static boolean isDirect(@Nullable String to) {
    return to != null && Addresses.takesBytes(to);
  }

  /**
   * Sends a question. To a client of the gateway it goes at once and unchanged, and so does the
   * answer; all others go to {@code InputVerticle}, which checks both.
   *
   * @param perRequest true for the {@code discover} era, whose requests carry the capabilities
   * @param owner the principal whose call the question belongs to, null where that is unknown
   * @param to the only address that gets the question, null for any handler
   * @param call the call id of the call that needs the answer, null where it is unknown
   */
  OutgoingQuestion ask(
      String method,
      RawJson params,
      boolean perRequest,
      @Nullable String owner,
      @Nullable String to,
      @Nullable String call) {
    String key = UUID.randomUUID().toString();
    String whose = owner == null ? principal : owner;
    boolean direct = isDirect(to);
    open.put(key, to != null && direct ? to : "");
    Future<ClientAnswer> answer =
        to != null && direct
            ? new QuestionMessage(key, id.value(), call, method, params)
                .sendTo(RequestSender.of(vertx), to)
                .map(InputRequests::onOneLine)
            : vertx
                .eventBus()
                .<JsonObject>request(
                    Addresses.INPUT_ASK,
                    question(key, method, params.toJsonObject(), perRequest, whose, to, call),
                    UNTIL_ANSWERED)
                .map(reply -> ClientAnswer.result(RawJson.of(reply.body())));
    return new OutgoingQuestion(key, direct, answer.onComplete(ended -> open.remove(key)));
  }

  /** The same bytes, but for line breaks between tokens: one of them ends a message on stdio. */
  private static ClientAnswer onOneLine(ClientAnswer answer) {
    try {
      return new ClientAnswer(
          answer.isError(), RawJson.checkedResult(answer.value().toBuffer(), ANSWERS));
    } catch (ProtocolException e) {
      throw McpFailure.badRequest("the client's answer is no JSON object: " + e.getMessage());
    }
  }

  private JsonObject question(
      String key,
      String method,
      JsonObject params,
      boolean perRequest,
      @Nullable String owner,
      @Nullable String to,
      @Nullable String call) {
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
    return question;
  }

  /**
   * Sends a question that stands in a result of the {@code discover} era.
   *
   * @param request {@code {method, params}}
   * @param call needs the answer; its headers say what answers questions
   * @param opened takes the key of the question
   * @return the MCP result; fails where {@code request} is malformed, where there is no answer and
   *     none can be given in its place, and with the error that a client of the gateway answered:
   *     {@code inputResponses} has no form for an error, so the call ends with it
   */
  Future<RawJson> answer(RawJson request, PendingRequest call, Consumer<String> opened) {
    RawJson named = request.member("method");
    String method = named == null || !named.isString() ? "" : named.asString();
    if (!isInput(method) && (method.isEmpty() || !isDirect(call.input()))) {
      return Future.failedFuture(
          McpFailure.maybeSent(
              FailureCode.PROTOCOL_ERROR, "the server asks for an input that MCP does not know"));
    }
    RawJson given = request.member("params");
    RawJson params = given == null || !given.isObject() ? RawJson.EMPTY_OBJECT : given;
    OutgoingQuestion sent = ask(method, params, true, call.owner(), call.input(), call.callId());
    opened.accept(sent.key());
    return sent.answer()
        .transform(
            answer ->
                answer.failed()
                    ? missing(method, sent.direct(), answer.cause())
                    : answer.result().isError()
                        ? Future.failedFuture(answer.result().toFailure())
                        : Future.succeededFuture(answer.result().value()));
  }

  /**
   * Decides what takes the place of a missing answer: an elicitation that reached a handler counts
   * as cancelled, because no person has refused. Sampling and roots have no such answer, a question
   * without a handler is not answered in a user's name, and nothing is in the name of a client of
   * the gateway.
   */
  private static Future<RawJson> missing(String method, boolean direct, Throwable failure) {
    if (direct) {
      return Future.failedFuture(
          McpFailure.maybeSent(
              FailureCode.UNAVAILABLE,
              "the server needs " + method + " to go on: " + McpFailure.of(failure).getMessage()));
    }
    if (isUnfit(failure)) {
      return Future.failedFuture(
          McpFailure.maybeSent(FailureCode.PROTOCOL_ERROR, String.valueOf(failure.getMessage())));
    }
    if (method.equals(Methods.ELICITATION) && !isUnhandled(failure)) {
      return Future.succeededFuture(UNANSWERED);
    }
    return Future.failedFuture(
        McpFailure.maybeSent(
            FailureCode.UNAVAILABLE,
            "the server needs " + method + " to go on, and no handler gave an answer"));
  }

  /** Takes a question back: its answer is not needed any more. */
  void withdraw(String key) {
    String direct = open.remove(key);
    if (direct == null) {
      return;
    }
    if (direct.isEmpty()) {
      vertx.eventBus().send(Addresses.INPUT_DROP, new JsonObject().put("question", key), LOCAL);
    } else {
      QuestionMessage.withdraw(vertx.eventBus(), direct, key);
    }
  }

  /** Takes every open question back: the session is over. */
  void withdrawAll() {
    Set.copyOf(open.keySet()).forEach(this::withdraw);
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
