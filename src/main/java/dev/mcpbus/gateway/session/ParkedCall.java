package dev.mcpbus.gateway.session;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.CallCancellation;
import dev.mcpbus.bus.CallDeadline;
import dev.mcpbus.bus.CallHeaders;
import dev.mcpbus.bus.ClientAnswer;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.Headers;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.gateway.request.McpErrors;
import dev.mcpbus.gateway.request.SessionMessage;
import dev.mcpbus.gateway.session.PrivateConnections.Opened;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.security.Principal;
import io.vertx.core.AsyncResult;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import io.vertx.core.json.JsonObject;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A call of a {@code discover} client on a server of the {@code initialize} era that waits at a
 * session host. The server asks and reports over a session, and the client has none. So the call
 * gets a private connection, and its questions and its result wait here until the client comes for
 * them: with the same call again ({@link RetriedCall}), or with {@code tasks/*} ({@link TaskCall}).
 *
 * <table>
 *   <caption>What happens when</caption>
 *   <tr><th>event</th><th>{@link RetriedCall}</th><th>{@link TaskCall}</th></tr>
 *   <tr><td>the call begins</td><td>the client's response waits</td>
 *       <td>the response ends with the task</td></tr>
 *   <tr><td>the server asks</td>
 *       <td>after 20 ms the response ends with {@code input_required}, all open questions and a
 *           {@code requestState}</td>
 *       <td>the task has the status {@code input_required} and the question</td></tr>
 *   <tr><td>the client answers</td><td>with a retry, whose response waits in turn</td>
 *       <td>with {@code tasks/update}</td></tr>
 *   <tr><td>the server takes a question back</td><td colspan="2">the question is removed</td></tr>
 *   <tr><td>progress, log messages</td><td>go to the response that waits</td><td>are dropped</td>
 *       </tr>
 *   <tr><td>the server answers</td><td>the response gets it, now or with the retry</td>
 *       <td>the task keeps it for 10 min</td></tr>
 *   <tr><td>the client closes its response</td><td>the call is cancelled</td>
 *       <td>the call goes on; it is cancelled if the client does not have the task yet</td></tr>
 *   <tr><td>no retry for 5 min</td><td>the call is cancelled</td><td>-</td></tr>
 *   <tr><td>deadline</td><td>the connection's own</td><td>the connection's {@code maxCallDuration}, 1 h at
 *       most</td></tr>
 *   <tr><td>the bound is reached, or another client needs the connection</td>
 *       <td>a call whose client has questions is cancelled</td>
 *       <td>a task that asks is cancelled; one that is over is forgotten</td></tr>
 *   <tr><td>the call is over</td>
 *       <td colspan="2">its open questions fail; its connection waits 30 s for the next call of the
 *           same {@link ConnectionKey}</td></tr>
 * </table>
 *
 * <p>Confined to the host's context.
 */
abstract class ParkedCall implements CallRegistry.Caller {

  /**
   * What a private connection was opened for: it serves only calls with the same key.
   *
   * @param principal its name
   */
  record ConnectionKey(String server, String principal, String capabilities) {

    static ConnectionKey of(Message<?> message) {
      return new ConnectionKey(
          SessionMessage.header(message, SessionMessage.SERVER),
          Principal.nameIn(SessionMessage.header(message, SessionMessage.PRINCIPAL)),
          SessionMessage.header(message, SessionMessage.CAPABILITIES));
    }
  }

  /**
   * @param key by which the server takes the question back
   */
  private record WaitingQuestion(
      String key, String method, RawJson params, Promise<ClientAnswer> answer) {}

  final ParkedCalls home;
  final ConnectionKey key;
  private final JsonObject capabilities;
  final String callId;
  private final Map<String, WaitingQuestion> questions = new LinkedHashMap<>();
  private @Nullable Opened connection;
  private @Nullable AsyncResult<RawJson> outcome;
  private long sequence;
  private boolean over;

  ParkedCall(ParkedCalls home, ConnectionKey key) {
    this.home = home;
    this.key = key;
    this.capabilities = new JsonObject(key.capabilities());
    this.callId = home.host.registry().add(this);
  }

  /** The connection that it has for now; null before it has one. */
  @Nullable Opened connection() {
    return connection;
  }

  /** The server's answer; null before. */
  @Nullable AsyncResult<RawJson> outcome() {
    return outcome;
  }

  boolean isOver() {
    return over;
  }

  /** False while it waits for its client, or is over: then it can make room for others. */
  abstract boolean isInUse();

  /** The client's name for it: a {@code requestState} or the id of a task; null if it has none. */
  abstract @Nullable String state();

  /** A question has come, or was taken back. */
  abstract void questionsChanged();

  /** The server has answered. */
  abstract void completed();

  /** The failure of questions that are open at the end. */
  abstract String ending();

  // ---- to the server

  /**
   * Sends the call over a connection that is this call's alone for now.
   *
   * @param timeLeft milliseconds, or {@link CallDeadline#NONE}
   * @param progress whether the client wants progress
   */
  void send(Opened own, String suffix, RawJson params, long timeLeft, boolean progress) {
    connection = own;
    home.host.registry().addConnection(own.id().value(), this);
    DeliveryOptions options =
        CallHeaders.of(callId, timeLeft, CallDeadline.Layer.CALLER)
            .addHeader(Headers.INPUT, home.host.registry().inputs());
    CallHeaders.add(options, Headers.PROGRESS, progress ? home.host.registry().calling() : null);
    home.host
        .sender()
        .<Buffer>request(own.id(), Addresses.of(own.id(), suffix), params.toBuffer(), options)
        .map(reply -> RawJson.of(reply.body()))
        .onComplete(
            done -> {
              if (!over) {
                outcome = done;
                completed();
              }
            });
  }

  // ---- questions

  boolean hasQuestions() {
    return !questions.isEmpty();
  }

  /** The open questions as {@code inputRequests}, with the params as the server sent them. */
  RawJson inputRequests() {
    Map<String, RawJson> requests = new LinkedHashMap<>();
    questions.forEach(
        (name, question) -> {
          Map<String, RawJson> request = new LinkedHashMap<>();
          request.put("method", RawJson.string(question.method()));
          if (!question.params().isAbsent()) {
            request.put("params", question.params());
          }
          requests.put(name, RawJson.object(request));
        });
    return RawJson.object(requests);
  }

  /**
   * Checks answers of the client before any of them is used.
   *
   * @param answers {@code inputResponses}; null for none
   * @throws McpFailure -32602 that names the member which is no answer to an open question
   */
  void checkAnswers(@Nullable RawJson answers) {
    if (answers == null) {
      return;
    }
    if (!answers.isObject()) {
      throw McpErrors.invalidParams("\"inputResponses\" must be an object: {key: answer}");
    }
    answers
        .members()
        .forEach(
            (name, answer) -> {
              if (questions.containsKey(name) && !answer.isObject()) {
                throw McpErrors.invalidParams(
                    "\"inputResponses\": \""
                        + McpErrors.shown(name)
                        + "\" must be an object, the result of "
                        + questions.get(name).method());
              }
            });
  }

  /**
   * Passes answers of the client on, each unchanged. An answer to no open question has no effect.
   *
   * @param answers that {@link #checkAnswers} has accepted
   * @return whether there was one to an open question
   */
  boolean answer(RawJson answers) {
    boolean any = false;
    for (Map.Entry<String, RawJson> one : answers.members().entrySet()) {
      WaitingQuestion question = questions.remove(one.getKey());
      if (question != null) {
        any = true;
        question.answer().tryComplete(ClientAnswer.result(one.getValue()));
      }
    }
    return any;
  }

  @Override
  public Future<ClientAnswer> asked(
      @Nullable String call, @Nullable String at, String question, String method, RawJson params) {
    if (over || !ClientQuestions.isOffered(capabilities, method, params)) {
      return Future.failedFuture(ClientQuestions.notOffered(method));
    }
    WaitingQuestion asked =
        new WaitingQuestion(question, method, ClientQuestions.embedded(params), Promise.promise());
    questions.put("input-" + ++sequence, asked);
    questionsChanged();
    return asked.answer().future();
  }

  @Override
  public void withdrawn(String question) {
    if (questions.values().removeIf(asked -> asked.key().equals(question))) {
      questionsChanged();
    }
  }

  // ---- its end

  @Override
  public boolean giveUp(String at) {
    if (isInUse()) {
      return false;
    }
    cancel();
    return true;
  }

  /** The client does not want the answer any more, or waits too long. Idempotent. */
  void cancel() {
    if (!over && connection != null) {
      CallCancellation.publish(home.host.vertx(), connection.id(), callId);
    }
    end();
  }

  /** Idempotent. */
  void end() {
    if (over) {
      return;
    }
    over = true;
    home.host.registry().remove(callId);
    if (connection != null) {
      home.host.registry().removeConnection(connection.id().value());
    }
    McpFailure unanswered = McpFailure.notSent(FailureCode.CANCELLED, ending());
    questions.values().forEach(question -> question.answer().tryFail(unanswered));
    questions.clear();
    home.ended(this);
  }
}
