package dev.mcpbus.gateway.session;

import dev.mcpbus.bus.CallDeadline;
import dev.mcpbus.bus.ClientAnswer;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.protocol.Envelope;
import dev.mcpbus.protocol.MessageWriter;
import dev.mcpbus.protocol.MetaKeys;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.ProgressToken;
import dev.mcpbus.protocol.RawJson;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The questions of servers that the client of one session has not answered yet. Passes on only
 * questions that the client has stated that it answers. Confined to the session's host.
 */
final class ClientQuestions {

  private static final int MAX_OPEN = 64;
  private static final String ELICITATION_ID = "elicitationId";

  /**
   * An open question.
   *
   * @param key by which the server takes it back
   * @param call that it belongs to; null if not known
   * @param connection the private connection that asks; null for a shared one
   * @param token by which the server gets the client's progress; null for none
   */
  private record OpenQuestion(
      String key,
      @Nullable String call,
      @Nullable String connection,
      @Nullable RawJson token,
      ResumableStream stream,
      Promise<ClientAnswer> answer,
      long timer) {}

  private final Vertx vertx;
  private final JsonObject capabilities;
  private final Map<String, OpenQuestion> open = new HashMap<>();
  private long sequence;

  /**
   * @param capabilities as the client stated them
   */
  ClientQuestions(Vertx vertx, JsonObject capabilities) {
    this.vertx = vertx;
    this.capabilities = capabilities;
  }

  /**
   * Sends a question to the client.
   *
   * @param key by which the server takes it back
   * @param call that it belongs to; null if not known
   * @param connection the private connection that asks; null for a shared one
   * @return the client's answer, unchanged; fails with {@code METHOD_NOT_FOUND}, {@code OVERLOADED}
   *     at {@value #MAX_OPEN} open questions, {@code CALL_TIMEOUT} after 5 min, {@code CANCELLED}
   */
  Future<ClientAnswer> ask(
      ResumableStream stream,
      String key,
      @Nullable String call,
      @Nullable String connection,
      String method,
      RawJson params) {
    return isOffered(capabilities, method, params)
        ? pass(stream, key, call, connection, method, params)
        : Future.failedFuture(notOffered(method));
  }

  /**
   * As {@link #ask}, for a request that MCP does not define: no capability says whether the client
   * answers it, so the client does.
   */
  Future<ClientAnswer> pass(
      ResumableStream stream,
      String key,
      @Nullable String call,
      @Nullable String connection,
      String method,
      RawJson params) {
    if (open.size() >= MAX_OPEN) {
      return Future.failedFuture(
          McpFailure.notSent(FailureCode.OVERLOADED, MAX_OPEN + " questions are open already"));
    }
    String id = "mcpbus-" + ++sequence;
    Promise<ClientAnswer> answer = Promise.promise();
    long timer =
        vertx.setTimer(
            CallDeadline.QUESTION_MILLIS,
            late -> {
              takeBack(id, "no server waits for the answer any longer");
              answer.tryFail(
                  McpFailure.notSent(FailureCode.CALL_TIMEOUT, "the client did not answer"));
            });
    open.put(id, new OpenQuestion(key, call, connection, token(params), stream, answer, timer));
    stream.send(
        MessageWriter.request(
            RawJson.string(id),
            method,
            params.isAbsent() ? null : named(params, call == null ? key : call)));
    return answer.future();
  }

  private static @Nullable RawJson token(RawJson params) {
    RawJson meta = params.member("_meta");
    return meta == null ? null : meta.member(MetaKeys.PROGRESS_TOKEN);
  }

  /**
   * The private connection that waits for progress of its question with this token; null if there
   * is none.
   */
  @Nullable String asking(@Nullable RawJson token) {
    for (OpenQuestion question : open.values()) {
      if (token != null && token.equals(question.token())) {
        return question.connection();
      }
    }
    return null;
  }

  /** The server takes a question back. */
  void withdraw(String key) {
    withdrawAll(question -> question.key().equals(key), "the server does not ask any more");
  }

  /** A call has ended: takes back the questions that belong to it. */
  void callEnded(String call) {
    if (!open.isEmpty()) {
      withdrawAll(question -> call.equals(question.call()), "the call is over");
    }
  }

  private void withdrawAll(Predicate<OpenQuestion> which, String why) {
    for (Map.Entry<String, OpenQuestion> one : List.copyOf(open.entrySet())) {
      if (which.test(one.getValue())) {
        takeBack(one.getKey(), why);
        one.getValue().answer().tryFail(McpFailure.notSent(FailureCode.CANCELLED, why));
      }
    }
  }

  /** Tells the client that it need not answer. */
  private void takeBack(String id, String why) {
    OpenQuestion question = open.remove(id);
    if (question != null) {
      vertx.cancelTimer(question.timer());
      question.stream()
          .send(
              MessageWriter.notification(
                  Methods.CANCELLED,
                  RawJson.of(new JsonObject().put("requestId", id).put("reason", why))));
    }
  }

  /** Whether a client with these capabilities answers a question. */
  static boolean isOffered(JsonObject capabilities, String method, RawJson params) {
    int slash = method.indexOf('/');
    if (slash < 0
        || !(capabilities.getValue(method.substring(0, slash)) instanceof JsonObject settings)) {
      return false;
    }
    return !isUrl(params) || settings.getValue("url") != null;
  }

  private static boolean isUrl(RawJson params) {
    RawJson mode = params.member("mode");
    return mode != null && mode.isString() && mode.asString().equals("url");
  }

  /**
   * The params with the id that a client of 2025-11-25 requires where it shall open a URL, and that
   * a server of the {@code discover} era does not send. It is the same for the same question in a
   * later round of the same call.
   *
   * @param scope the call that the question belongs to, or the question's key
   */
  private static RawJson named(RawJson params, String scope) {
    return !isUrl(params) || params.member(ELICITATION_ID) != null
        ? params
        : params.withNew(
            ELICITATION_ID,
            RawJson.string(
                UUID.nameUUIDFromBytes((scope + " " + params).getBytes(StandardCharsets.UTF_8))
                    .toString()));
  }

  /** The failure of a question that the client has not offered to answer. */
  static McpFailure notOffered(String method) {
    return McpFailure.notSent(FailureCode.METHOD_NOT_FOUND, "the client does not answer " + method);
  }

  /** The params without a progress token: what is a question in a result has no progress. */
  static RawJson embedded(RawJson params) {
    return ProgressToken.removedFrom(params);
  }

  /**
   * Takes a response of the client; drops one to no open question.
   *
   * @throws McpFailure {@code BAD_REQUEST} for a result that is no object; the server gets an error
   */
  void answered(Envelope response) {
    RawJson id = response.id();
    OpenQuestion question = id == null || !id.isString() ? null : open.remove(id.asString());
    if (question == null) {
      return;
    }
    vertx.cancelTimer(question.timer());
    boolean isError = response.kind() == Envelope.Kind.ERROR;
    if (!isError && !response.payload().isObject()) {
      McpFailure refused = McpFailure.badRequest("\"result\" must be an object");
      question.answer().tryFail(refused);
      throw refused;
    }
    question.answer().tryComplete(new ClientAnswer(isError, response.payload()));
  }

  /** The session ends: all open questions fail. */
  void close() {
    for (OpenQuestion question : List.copyOf(open.values())) {
      vertx.cancelTimer(question.timer());
      question
          .answer()
          .tryFail(McpFailure.notSent(FailureCode.CANCELLED, "the client's session has ended"));
    }
    open.clear();
  }
}
