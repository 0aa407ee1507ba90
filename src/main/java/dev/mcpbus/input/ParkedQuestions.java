package dev.mcpbus.input;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.Events;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.Requester;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Questions that wait for {@code mcp.input.respond}, in the order of arrival. Each ends once:
 * answered, declined, expired or withdrawn. Confined to the context of the {@link InputVerticle}.
 */
final class ParkedQuestions {

  private record Waiting(
      InputQuestion question,
      Promise<JsonObject> answer,
      long timer,
      Instant since,
      Instant expires) {}

  private final Vertx vertx;
  private final int max;
  private final int share;
  private final Map<String, Waiting> questions = new LinkedHashMap<>();

  /**
   * @param max number of all questions
   * @param share number of questions of one principal
   */
  ParkedQuestions(Vertx vertx, int max, int share) {
    this.vertx = vertx;
    this.max = max;
    this.share = share;
  }

  /** Parks a question for at most {@code patience}. */
  Future<JsonObject> add(InputQuestion question, Duration patience) {
    String owner = question.owner();
    boolean full = questions.size() >= max;
    if (full || count(owner) >= maxOf(owner)) {
      return Future.failedFuture(
          McpFailure.notSent(
              FailureCode.OVERLOADED,
              (full ? max : maxOf(owner)) + " questions wait for an answer already"));
    }
    long timer =
        vertx.setTimer(
            Math.max(1, patience.toMillis()),
            late ->
                end(
                    question.key(),
                    "expired",
                    McpFailure.notSent(
                        FailureCode.CALL_TIMEOUT,
                        "no answer to the question arrived within "
                            + patience.toSeconds()
                            + " s")));
    Instant now = Instant.now();
    Waiting waiting = new Waiting(question, Promise.promise(), timer, now, now.plus(patience));
    questions.put(question.key(), waiting);
    JsonObject params = question.params();
    publish(
        question,
        Events.INPUT_REQUESTED,
        new JsonObject()
            .put("question", question.key())
            .put("method", question.method())
            .put("message", params.getValue("message"))
            .put("mode", params.getValue("mode")));
    return waiting.answer().future();
  }

  /** Questions without a known owner leave at least one principal's share free. */
  private int maxOf(@Nullable String owner) {
    return owner == null ? Math.max(share, max - share) : share;
  }

  private long count(@Nullable String owner) {
    return questions.values().stream()
        .filter(one -> Objects.equals(owner, one.question().owner()))
        .count();
  }

  /**
   * The questions that {@code requester} may see.
   *
   * @param requester null for a program on the bus
   * @param server null for all servers
   */
  JsonArray list(@Nullable Requester requester, @Nullable String server) {
    JsonArray list = new JsonArray();
    for (Waiting waiting : questions.values()) {
      if (waiting.question().isOf(server)
          && Requester.sees(requester, waiting.question().owner())) {
        list.add(
            waiting
                .question()
                .toJson()
                .put("since", waiting.since().toString())
                .put("expires", waiting.expires().toString()));
      }
    }
    return list;
  }

  boolean holds(@Nullable Requester requester, String key) {
    Waiting waiting = questions.get(key);
    return waiting != null && Requester.sees(requester, waiting.question().owner());
  }

  /**
   * Answers a question; if the answer does not fit, the question goes on waiting.
   *
   * @param requester may answer only questions that it may see; null for a program on the bus
   * @throws McpFailure {@code BAD_REQUEST} if no such question waits, {@code INVALID_ARGUMENTS} if
   *     the answer does not fit
   */
  void respond(@Nullable Requester requester, String key, JsonObject answer) {
    Waiting waiting = waiting(requester, key);
    JsonObject fitting = waiting.question().accept(answer);
    close(waiting, "answered");
    waiting.answer().complete(fitting);
  }

  /**
   * Declines a question: its server gets what MCP has for that, the answer {@code decline} or an
   * error.
   *
   * @param requester as in {@link #respond}
   * @throws McpFailure {@code BAD_REQUEST} if no such question waits
   */
  void decline(@Nullable Requester requester, String key) {
    Waiting waiting = waiting(requester, key);
    close(waiting, "declined");
    waiting.question().declined().onComplete(waiting.answer());
  }

  private Waiting waiting(@Nullable Requester requester, String key) {
    Waiting waiting = questions.get(key);
    if (waiting == null || !holds(requester, key)) {
      throw McpFailure.badRequest(
          "no such question waits; " + Addresses.INPUT_PENDING + " lists those that do");
    }
    return waiting;
  }

  void withdraw(String key) {
    end(key, "withdrawn", McpFailure.notSent(FailureCode.CANCELLED, "the question was withdrawn"));
  }

  private void end(String key, String outcome, McpFailure why) {
    Waiting waiting = questions.get(key);
    if (waiting != null) {
      close(waiting, outcome);
      waiting.answer().fail(why);
    }
  }

  private void close(Waiting waiting, String outcome) {
    questions.remove(waiting.question().key());
    vertx.cancelTimer(waiting.timer());
    publish(
        waiting.question(),
        Events.INPUT_RESOLVED,
        new JsonObject().put("question", waiting.question().key()).put("outcome", outcome));
  }

  private void publish(InputQuestion question, String type, JsonObject more) {
    JsonObject event =
        new JsonObject()
            .put("type", type)
            .put("id", question.server().value())
            .put("time", Instant.now().toString())
            .mergeIn(more);
    if (question.owner() != null) {
      event.put("principal", question.owner());
    }
    vertx.eventBus().publish(Addresses.of(question.server(), Addresses.EVENTS), event);
    vertx.eventBus().publish(Addresses.ALL_EVENTS, event);
  }
}
