package dev.mcpbus.gateway.client;

import dev.mcpbus.bus.CallDeadline;
import dev.mcpbus.bus.ClientAnswer;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.gateway.request.McpErrors;
import dev.mcpbus.protocol.Envelope;
import dev.mcpbus.protocol.MessageWriter;
import dev.mcpbus.protocol.MetaKeys;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.RawJson;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The questions of servers that one client of either era has not answered yet, each where the
 * client sees it: as a request on a stream, in the result of a call that waits for the client, or
 * nowhere yet, until the client makes a call. Confined to the host's context.
 */
final class OpenQuestions {

  private static final int MAX_ON_STREAMS = 64;
  private static final int MAX_EARLY = 16;
  private static final String ELICITATION_ID = "elicitationId";

  /** A call in whose result questions wait for the client. */
  interface QuestionHolder {

    /** Whether its client has offered with it to answer a question. */
    boolean offers(String method, RawJson params);

    /** The number of its next question, from 1 on. */
    long nextQuestion();

    /** A question has come, or was taken back. */
    void questionsChanged();
  }

  /** A question of a server, which waits for the answer. */
  static final class Question {
    private final String key;
    private final String method;
    private final RawJson params;
    private @Nullable String connection;
    private final @Nullable String call;
    private final Promise<ClientAnswer> answer = Promise.promise();

    // Where the client sees it.
    private String name = "";
    private @Nullable ResumableStream stream;
    private @Nullable QuestionHolder holder;
    private long timer = -1;

    /**
     * @param key by which the server takes it back
     * @param call that it is known to belong to; null for none
     * @param connection the private connection that asks; null for a shared one
     */
    Question(
        String key,
        String method,
        RawJson params,
        @Nullable String call,
        @Nullable String connection) {
      this.key = key;
      this.method = method;
      this.params = params;
      this.call = call;
      this.connection = connection;
    }

    String method() {
      return method;
    }

    RawJson params() {
      return params;
    }

    /** Whether it is known to belong to the call that has it. */
    boolean isOfCall() {
      return call != null;
    }

    /** Whether it is about the whole session: servers ask for roots when they start. */
    boolean isOfSession() {
      return method.equals(Methods.ROOTS_LIST);
    }

    Future<ClientAnswer> answer() {
      return answer.future();
    }

    void fail(FailureCode code, String why) {
      answer.tryFail(McpFailure.notSent(code, why));
    }
  }

  private final Vertx vertx;

  /** By their keys, in the order in which they came. */
  private final Map<String, Question> open = new LinkedHashMap<>();

  private final Runnable changed;
  private long sequence;

  /**
   * @param changed runs when the first question opens and when the last has ended
   */
  OpenQuestions(Vertx vertx, Runnable changed) {
    this.vertx = vertx;
    this.changed = changed;
  }

  boolean isEmpty() {
    return open.isEmpty();
  }

  // ---- what clients answer

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

  /** The failure of a question that the client has not offered to answer. */
  static McpFailure notOffered(String method) {
    return McpFailure.notSent(FailureCode.METHOD_NOT_FOUND, "the client does not answer " + method);
  }

  // ---- on a stream

  /**
   * Sends a question to the client.
   *
   * @return the client's answer, unchanged; fails with {@code OVERLOADED} at {@value
   *     #MAX_ON_STREAMS} open questions, {@code CALL_TIMEOUT} after 5 min, {@code CANCELLED}
   */
  Future<ClientAnswer> ask(ResumableStream stream, Question question) {
    if (open.size() >= MAX_ON_STREAMS) {
      question.fail(FailureCode.OVERLOADED, MAX_ON_STREAMS + " questions are open already");
      return question.answer();
    }
    question.name = "mcpbus-" + ++sequence;
    question.stream = stream;
    question.timer =
        vertx.setTimer(
            CallDeadline.QUESTION_MILLIS,
            late -> {
              takeBack(question, "no server waits for the answer any longer");
              question.fail(FailureCode.CALL_TIMEOUT, "the client did not answer");
            });
    add(question);
    RawJson params = question.params;
    String scope = question.call == null ? question.key : question.call;
    stream.send(
        MessageWriter.request(
            RawJson.string(question.name),
            question.method,
            params.isAbsent() ? null : named(params, scope)));
    return question.answer();
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

  /**
   * The private connection that waits for progress of its question with this token; null if there
   * is none.
   */
  @Nullable String asking(@Nullable RawJson token) {
    for (Question question : open.values()) {
      RawJson meta = question.params.member("_meta");
      if (token != null && meta != null && token.equals(meta.member(MetaKeys.PROGRESS_TOKEN))) {
        return question.connection;
      }
    }
    return null;
  }

  /**
   * Takes a response of the client; drops one to no open question.
   *
   * @throws McpFailure {@code BAD_REQUEST} for a result that is no object; the server gets an error
   */
  void answered(Envelope response) {
    RawJson id = response.id();
    String name = id == null || !id.isString() ? "" : id.asString();
    for (Question question : which(one -> one.stream != null && one.name.equals(name))) {
      remove(question);
      boolean isError = response.kind() == Envelope.Kind.ERROR;
      if (!isError && !response.payload().isObject()) {
        McpFailure refused = McpFailure.badRequest("\"result\" must be an object");
        question.answer.tryFail(refused);
        throw refused;
      }
      question.answer.tryComplete(new ClientAnswer(isError, response.payload()));
    }
  }

  /** A call has ended: takes back the questions that belong to it. */
  void callEnded(String call) {
    if (!open.isEmpty()) {
      which(one -> call.equals(one.call)).forEach(one -> withdraw(one, "the call is over"));
    }
  }

  // ---- before a call

  /**
   * Keeps a question for the next call of the client over that connection. It fails with {@code
   * OVERLOADED} if {@value #MAX_EARLY} wait already, and with {@code CALL_TIMEOUT} after 5 min.
   */
  void early(String connection, Question question) {
    if (which(OpenQuestions::isEarly).size() >= MAX_EARLY) {
      question.fail(FailureCode.OVERLOADED, MAX_EARLY + " questions wait for the client");
      return;
    }
    question.timer =
        vertx.setTimer(
            CallDeadline.QUESTION_MILLIS,
            late -> {
              remove(question);
              question.fail(
                  FailureCode.CALL_TIMEOUT, "the client has made no call by which it could answer");
            });
    question.connection = connection;
    add(question);
  }

  private static boolean isEarly(Question question) {
    return question.stream == null && question.holder == null;
  }

  /** Gives a call the early questions that came over a connection and that it offers to answer. */
  List<Question> takeEarly(String connection, QuestionHolder call) {
    List<Question> taken =
        which(
            one ->
                isEarly(one)
                    && connection.equals(one.connection)
                    && call.offers(one.method, one.params));
    taken.forEach(one -> put(call, one));
    return taken;
  }

  // ---- in a call

  /** The question waits in the result of that call from now on. */
  void put(QuestionHolder call, Question question) {
    remove(question);
    question.name = "input-" + call.nextQuestion();
    question.holder = call;
    add(question);
    call.questionsChanged();
  }

  /** Those that wait in the result of a call. */
  List<Question> of(QuestionHolder call) {
    return which(one -> call.equals(one.holder));
  }

  /** The same as {@code inputRequests}, with the params as the server sent them. */
  RawJson requests(QuestionHolder call) {
    Map<String, RawJson> requests = new LinkedHashMap<>();
    for (Question question : of(call)) {
      Map<String, RawJson> request = new LinkedHashMap<>();
      request.put("method", RawJson.string(question.method));
      if (!question.params.isAbsent()) {
        request.put("params", question.params);
      }
      requests.put(question.name, RawJson.object(request));
    }
    return RawJson.object(requests);
  }

  /**
   * Checks answers of the client before any of them is used.
   *
   * @param answers {@code inputResponses}; null for none
   * @throws McpFailure -32602 that names the member which is no answer to an open question
   */
  void check(QuestionHolder call, @Nullable RawJson answers) {
    if (answers == null) {
      return;
    }
    if (!answers.isObject()) {
      throw McpErrors.invalidParams("\"inputResponses\" must be an object: {key: answer}");
    }
    for (Question question : of(call)) {
      RawJson answer = answers.member(question.name);
      if (answer != null && !answer.isObject()) {
        throw McpErrors.invalidParams(
            "\"inputResponses\": \""
                + McpErrors.shown(question.name)
                + "\" must be an object, the result of "
                + question.method);
      }
    }
  }

  /**
   * Passes answers of the client on, each unchanged. An answer to no open question has no effect.
   *
   * @param answers that {@link #check} has accepted
   * @return whether there was one to an open question
   */
  boolean answer(QuestionHolder call, RawJson answers) {
    boolean any = false;
    for (Question question : of(call)) {
      RawJson answer = answers.member(question.name);
      if (answer != null) {
        any = true;
        remove(question);
        question.answer.tryComplete(ClientAnswer.result(answer));
      }
    }
    return any;
  }

  /** Takes a call's questions out of it. */
  List<Question> taken(QuestionHolder call) {
    List<Question> all = of(call);
    all.forEach(this::remove);
    return all;
  }

  // ---- ends

  /** The server takes a question back. */
  void withdrawn(String key) {
    Question question = open.get(key);
    if (question != null) {
      withdraw(question, "the server does not ask any more");
    }
  }

  private void withdraw(Question question, String why) {
    QuestionHolder holder = question.holder;
    takeBack(question, why);
    question.fail(FailureCode.CANCELLED, why);
    if (holder != null) {
      holder.questionsChanged();
    }
  }

  /** Tells a client that was asked on a stream that it need not answer. */
  private void takeBack(Question question, String why) {
    ResumableStream stream = question.stream;
    if (remove(question) && stream != null) {
      stream.send(
          MessageWriter.notification(
              Methods.CANCELLED,
              RawJson.of(new JsonObject().put("requestId", question.name).put("reason", why))));
    }
  }

  private List<Question> which(Predicate<Question> test) {
    return open.isEmpty() ? List.of() : open.values().stream().filter(test).toList();
  }

  private void add(Question question) {
    open.put(question.key, question);
    if (open.size() == 1) {
      changed.run();
    }
  }

  private boolean remove(Question question) {
    vertx.cancelTimer(question.timer);
    question.holder = null;
    boolean removed = open.remove(question.key, question);
    if (removed && open.isEmpty()) {
      changed.run();
    }
    return removed;
  }

  /** The client is gone: all open questions fail. */
  void close(String why) {
    for (Question question : List.copyOf(open.values())) {
      remove(question);
      question.fail(FailureCode.CANCELLED, why);
    }
  }
}
