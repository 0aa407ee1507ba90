package dev.mcpbus.gateway.client;

import dev.mcpbus.bus.CallerLogins;
import dev.mcpbus.bus.ClientAnswer;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.gateway.client.OpenQuestions.Question;
import dev.mcpbus.gateway.request.McpErrors;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.RawJson;
import io.vertx.core.CompositeFuture;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The URLs that one call of a {@code discover} client needs opened first. A server of 2025-11-25
 * answers such a call with the error -32042, which the client's version does not know: so the URLs
 * become questions of the call. When the client has accepted all of them, the call is sent again as
 * soon as the server reports that they are completed, which it need not do, or {@value
 * #COMPLETION_MILLIS} ms later. Confined to the host's context.
 */
final class UrlElicitations {

  /** By which a server of 2025-11-25 reports that the user is done at a URL. */
  static final String COMPLETE = CallerLogins.COMPLETE;

  /** How long a user may need at a URL before the call is sent without a report of the server. */
  static final long COMPLETION_MILLIS = 20_000;

  /** What a client must offer. */
  static final RawJson MODE = RawJson.of("{\"mode\":\"url\"}");

  private static final String ID = "elicitationId";
  private static final int MAX_ROUNDS = 16;
  private static final int MAX_URLS = 64;

  private final Vertx vertx;
  private final String callId;

  /** The ids of the present round that the server has not reported as completed. */
  private final Set<String> open = new HashSet<>();

  private Promise<Void> completed = Promise.promise();
  private int rounds;

  UrlElicitations(Vertx vertx, String callId) {
    this.vertx = vertx;
    this.callId = callId;
  }

  /**
   * The questions for the error of a server; none if the call has asked {@value #MAX_ROUNDS} times
   * already.
   */
  List<Question> questions(McpFailure failure) {
    List<Question> questions = new ArrayList<>();
    if (rounds == MAX_ROUNDS) {
      return questions;
    }
    RawJson data = McpErrors.raw(failure).member("data");
    RawJson urls = data == null ? null : data.member("elicitations");
    rounds++;
    open.clear();
    completed = Promise.promise();
    for (RawJson url : urls == null ? List.<RawJson>of() : urls.elements()) {
      if (url.isObject() && questions.size() < MAX_URLS) {
        String key = callId + "-url-" + rounds + "-" + questions.size();
        questions.add(new Question(key, Methods.ELICITATION, url, callId, null));
        String id = id(url);
        if (id != null) {
          open.add(id);
        }
      }
    }
    return questions;
  }

  private static @Nullable String id(RawJson params) {
    RawJson id = params.member(ID);
    return id == null || !id.isString() ? null : id.asString();
  }

  /** The server reports that the user is done at one URL. */
  void completed(RawJson params) {
    String id = id(params);
    if (id != null && open.remove(id) && open.isEmpty()) {
      completed.tryComplete();
    }
  }

  /**
   * Completes when the call may be sent again.
   *
   * @return fails with {@code CANCELLED} if the client does not accept a URL
   */
  Future<Void> accepted(List<Question> questions) {
    return Future.all(questions.stream().map(one -> one.answer()).toList()).compose(this::sendable);
  }

  private Future<Void> sendable(CompositeFuture answers) {
    for (ClientAnswer answer : answers.<ClientAnswer>list()) {
      RawJson action = answer.value().member("action");
      String said = action == null || !action.isString() ? "" : action.asString();
      if (!said.equals("accept")) {
        return Future.failedFuture(
            McpFailure.notSent(
                FailureCode.CANCELLED,
                "the server needs a URL opened first; the client answered \""
                    + McpErrors.shown(said)
                    + "\""));
      }
    }
    Promise<Void> now = completed;
    long timer = vertx.setTimer(COMPLETION_MILLIS, late -> now.tryComplete());
    return now.future().onComplete(done -> vertx.cancelTimer(timer));
  }
}
