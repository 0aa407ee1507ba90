package dev.mcpbus.gateway.client;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.CallCancellation;
import dev.mcpbus.bus.CallDeadline;
import dev.mcpbus.bus.CallHeaders;
import dev.mcpbus.bus.CallOrigin;
import dev.mcpbus.bus.ClientAnswer;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.Headers;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.Requester;
import dev.mcpbus.gateway.client.ClientConnections.Opened;
import dev.mcpbus.gateway.client.OpenQuestions.Question;
import dev.mcpbus.gateway.client.OpenQuestions.QuestionHolder;
import dev.mcpbus.gateway.dialect.Discover;
import dev.mcpbus.internals.ByteBudget;
import dev.mcpbus.protocol.JsonRpcError;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.RawJson;
import io.vertx.core.AsyncResult;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.DeliveryOptions;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A call of a {@code discover} client on a server of the {@code initialize} era that waits at a
 * session host. The server asks and reports over the session that it has with the client's private
 * connection ({@link GatewayClient}). The questions and the result of the call wait here until the
 * client comes for them: with the same call again ({@link RetriedCall}), or with {@code tasks/*}
 * ({@link TaskCall}).
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
 *   <tr><td>no answer for 5 min</td><td>the call is cancelled</td>
 *       <td>a task that was not sent yet fails</td></tr>
 *   <tr><td>deadline</td><td>the connection's own</td><td>the connection's {@code maxCallDuration}, 1 h at
 *       most</td></tr>
 *   <tr><td>the bound is reached, or another client needs the connection</td>
 *       <td>a call whose client has questions is cancelled</td>
 *       <td>a task that asks is cancelled; one that is over is forgotten</td></tr>
 *   <tr><td>the call is over</td>
 *       <td colspan="2">its open questions fail</td></tr>
 * </table>
 *
 * <p>Confined to the host's context.
 */
abstract class ParkedCall implements HeldCall, QuestionHolder {

  /** The parked calls of a host, as one of them sees them. */
  interface CallKeeper {

    HostParts host();

    InstantSource clock();

    /** How long a call waits for answers to what its server asked before it, milliseconds. */
    long questionMillis();

    /** A response waits for the call. */
    void waits(String response, ParkedCall call);

    /** No call has that response any more. */
    void answered(String response);

    /** Params that name requests of the client by their responses, by the ids of their calls. */
    RawJson toServer(RawJson params);

    /** Whether a call is in use has changed, or its client has shown that it still wants it. */
    void noteUse(ParkedCall call);

    /** A call is over: a task keeps its result for a while. */
    void ended(ParkedCall call);

    /** Ends a call in place of which there is another. Any thread may call. */
    void makeRoom(ParkedCall call);
  }

  final CallKeeper home;
  final GatewayClient client;
  final String server;
  private final ClientStatement statement;
  private final String callId;

  /** Pays for what waits for the client: the call's params and its result. */
  private final ByteBudget.ByteAccount kept;

  private @Nullable UrlElicitations urls;
  private @Nullable Opened connection;
  private @Nullable AsyncResult<RawJson> outcome;
  private boolean toolError;
  private long asked;
  private boolean over;

  /**
   * @param statement what the client states with this call
   */
  ParkedCall(CallKeeper home, GatewayClient client, String server, ClientStatement statement) {
    this.home = home;
    this.client = client;
    this.server = server;
    this.statement = statement;
    this.kept = ByteBudget.of(home.host().vertx()).account(ByteBudget.ByteUse.KEPT, client.owner);
    this.callId = home.host().registry().add(client);
  }

  /** Completes with the connection of its client; fails where there is none. */
  Future<Opened> connect() {
    return client.connection(server, statement);
  }

  /** It is about to be sent to that connection. */
  void goesTo(Opened own) {
    connection = own;
  }

  /** The connection that it goes to; null before that is known. */
  @Nullable Opened connection() {
    return connection;
  }

  @Override
  public String callId() {
    return callId;
  }

  @Override
  public boolean isAt(String which) {
    return connection != null && connection.id().value().equals(which);
  }

  @Override
  public boolean offers(String method, RawJson params) {
    return !over && OpenQuestions.isOffered(statement.capabilities(), method, params);
  }

  @Override
  public boolean isAskable(String method, RawJson params) {
    return outcome == null && offers(method, params);
  }

  /** The server's answer; null before. */
  @Nullable AsyncResult<RawJson> outcome() {
    return outcome;
  }

  /** Whether the server's answer reports an error of the tool. */
  boolean isToolError() {
    return toolError;
  }

  boolean isOver() {
    return over;
  }

  /** The client's name for it: a {@code requestState} or the id of a task; null if it has none. */
  abstract @Nullable String state();

  /** The server has answered. */
  abstract void completed();

  /** The failure of questions that are open at the end. */
  abstract String ending();

  // ---- to the server

  /** When the request that sends it arrived, and where its client waits. */
  abstract CallOrigin origin();

  /**
   * Sends the call over the connection of its client. Questions that its server has asked before
   * come first, because their answers may decide what the call finds: roots above all. If they are
   * not answered in time, the call fails with {@code CALL_TIMEOUT} and is not sent.
   *
   * @param timeLeft milliseconds, or {@link CallDeadline#NONE}
   * @param progress whether the client wants progress
   * @param asIs whether the client wants the server's own refusal ({@link Headers#AS_IS})
   */
  void send(
      Opened own, String suffix, RawJson params, long timeLeft, boolean progress, boolean asIs) {
    goesTo(own);
    List<Future<ClientAnswer>> before =
        client.questions.takeEarly(own.id().value(), this).stream().map(Question::answer).toList();
    if (before.isEmpty()) {
      dispatch(own, suffix, params, timeLeft, progress, asIs);
    } else {
      Future<?> answers = Future.join(before);
      answers
          .timeout(home.questionMillis(), TimeUnit.MILLISECONDS)
          .onComplete(
              waited -> {
                if (!over && answers.isComplete()) {
                  dispatch(own, suffix, params, timeLeft, progress, asIs);
                } else if (!over) {
                  complete(
                      Future.failedFuture(
                          McpFailure.notSent(
                              FailureCode.CALL_TIMEOUT,
                              "the client did not answer what the server asked before the call")));
                }
              });
    }
  }

  private void dispatch(
      Opened own, String suffix, RawJson params, long timeLeft, boolean progress, boolean asIs) {
    DeliveryOptions options =
        CallHeaders.of(callId, timeLeft, CallDeadline.Layer.CALLER)
            .addHeader(Headers.INPUT, home.host().registry().inputs());
    origin().addTo(options);
    if (own.shared()) {
      new Requester(client.owner, false).addTo(options); // others call there, too
    }
    CallHeaders.add(options, Headers.PROGRESS, progress ? home.host().registry().calling() : null);
    CallHeaders.add(options, Headers.AS_IS, asIs ? "true" : null);
    home.host()
        .sender()
        .<Buffer>request(own.id(), Addresses.of(own.id(), suffix), params.toBuffer(), options)
        .map(
            reply -> {
              toolError = reply.headers().contains(Headers.TOOL_ERROR);
              return RawJson.of(reply.body());
            })
        .onComplete(
            done -> {
              if (!over
                  && !asksForUrls(
                      done, () -> dispatch(own, suffix, params, timeLeft, progress, asIs))) {
                complete(done);
              }
            });
  }

  private void complete(AsyncResult<RawJson> answer) {
    boolean fits = answer.failed() || state() == null || kept.take(answer.result().length());
    outcome =
        answer.succeeded()
            ? fits ? answer : Future.failedFuture(unpaid(answer.result().length()))
            : Future.failedFuture(
                Discover.failure(
                    McpFailure.of(answer.cause()), RawJson.of(statement.capabilities())));
    completed();
  }

  /**
   * Asks the client to open URLs, if the server has refused the call until then and the client
   * offers it.
   *
   * @param again sends the call again
   */
  private boolean asksForUrls(AsyncResult<RawJson> answer, Runnable again) {
    McpFailure failure = answer.failed() ? McpFailure.of(answer.cause()) : null;
    if (failure == null
        || !failure.isUpstream(JsonRpcError.URL_ELICITATION_REQUIRED)
        || !offers(Methods.ELICITATION, UrlElicitations.MODE)) {
      return false;
    }
    UrlElicitations known = urls;
    UrlElicitations opening =
        known == null ? new UrlElicitations(home.host().vertx(), callId) : known;
    urls = opening;
    List<Question> asked = opening.questions(failure);
    asked.forEach(question -> client.questions.put(this, question));
    if (!asked.isEmpty()) {
      opening
          .accepted(asked)
          .onComplete(
              opened -> {
                if (!over) {
                  again.run();
                }
              },
              refused -> {
                if (!over) {
                  complete(Future.failedFuture(refused));
                }
              });
    }
    return !asked.isEmpty();
  }

  @Override
  public void opened(RawJson params) {
    if (urls != null) {
      urls.completed(params);
    }
  }

  // ---- questions

  @Override
  public int questions() {
    return client.questions.of(this).size();
  }

  boolean hasQuestions() {
    return questions() > 0;
  }

  @Override
  public long nextQuestion() {
    return ++asked;
  }

  @Override
  public Future<ClientAnswer> ask(Question question) {
    if (!offers(question.method(), question.params())) {
      return Future.failedFuture(OpenQuestions.notOffered(question.method()));
    }
    client.questions.put(this, question);
    return question.answer();
  }

  // ---- what waits for the client

  /**
   * The client's response ends before the call: its owner pays for the params from now on.
   *
   * @throws McpFailure {@code OVERLOADED} where the owner cannot
   */
  void park(int bytes) {
    if (!kept.take(bytes)) {
      throw unpaid(bytes);
    }
  }

  private McpFailure unpaid(int bytes) {
    return McpFailure.unpaid(McpFailure.Sent.MAYBE, kept.refusal(bytes));
  }

  /** Nothing of it waits any more. */
  void forgotten() {
    kept.close();
  }

  // ---- its end

  /** The session host ends, and the call with it. */
  void hostEnds() {
    cancel();
  }

  @Override
  public void clientEnds() {
    cancel();
  }

  /** The client does not want the answer any more, or waits too long. Idempotent. */
  @Override
  public void cancel() {
    if (!over && connection != null) {
      CallCancellation.publish(home.host().vertx(), connection.id(), callId);
    }
    end();
  }

  /** Idempotent. */
  void end() {
    if (over) {
      return;
    }
    over = true;
    for (Question question : client.questions.taken(this)) {
      if (connection == null || question.isOfCall() || !client.keep(connection, question)) {
        question.fail(FailureCode.CANCELLED, ending());
      }
    }
    home.ended(this);
  }
}
