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
 * Questions that wait for {@code mcp.input.respond}, in the order in which they came. Each ends
 * once: answered, expired, or withdrawn. Owner: the context of the {@link InputVerticle}.
 */
final class ParkedQuestions {

  private record Place(
      InputQuestion question,
      Promise<JsonObject> answer,
      long timer,
      Instant since,
      Instant expires) {}

  private final Vertx vertx;
  private final int max;
  private final int share;
  private final Map<String, Place> places = new LinkedHashMap<>();

  /**
   * @param max in all
   * @param share of one principal at most
   */
  ParkedQuestions(Vertx vertx, int max, int share) {
    this.vertx = vertx;
    this.max = max;
    this.share = share;
  }

  /** Parks a question for at most {@code patience}. */
  Future<JsonObject> add(InputQuestion question, Duration patience) {
    String owner = question.owner();
    boolean full = places.size() >= max;
    if (full || count(owner) >= mostOf(owner)) {
      return Future.failedFuture(
          McpFailure.notSent(
              FailureCode.OVERLOADED,
              (full ? max : mostOf(owner)) + " questions wait for an answer already"));
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
                        "nobody answered the question within " + patience.toSeconds() + " s")));
    Instant now = Instant.now();
    Place place = new Place(question, Promise.promise(), timer, now, now.plus(patience));
    places.put(question.key(), place);
    JsonObject params = question.params();
    publish(
        question,
        Events.INPUT_REQUESTED,
        new JsonObject()
            .put("question", question.key())
            .put("method", question.method())
            .put("message", params.getValue("message"))
            .put("mode", params.getValue("mode")));
    return place.answer().future();
  }

  /** Those of nobody known leave as much as one principal gets. */
  private int mostOf(@Nullable String owner) {
    return owner == null ? Math.max(share, max - share) : share;
  }

  private long count(@Nullable String owner) {
    return places.values().stream()
        .filter(one -> Objects.equals(owner, one.question().owner()))
        .count();
  }

  /**
   * Those that may be seen.
   *
   * @param who null for a program on the bus
   * @param server null for all
   */
  JsonArray list(@Nullable Requester who, @Nullable String server) {
    JsonArray list = new JsonArray();
    for (Place place : places.values()) {
      if (place.question().isOf(server) && Requester.sees(who, place.question().owner())) {
        list.add(
            place
                .question()
                .toJson()
                .put("since", place.since().toString())
                .put("expires", place.expires().toString()));
      }
    }
    return list;
  }

  boolean holds(@Nullable Requester who, String key) {
    Place place = places.get(key);
    return place != null && Requester.sees(who, place.question().owner());
  }

  /**
   * Answers a question; one whose answer does not fit goes on waiting.
   *
   * @param who for whom there are his own questions alone; null for a program on the bus
   * @throws McpFailure {@code BAD_REQUEST} where no such question waits, {@code INVALID_ARGUMENTS}
   *     where the answer does not fit
   */
  void respond(@Nullable Requester who, String key, JsonObject answer) {
    Place place = places.get(key);
    if (place == null || !holds(who, key)) {
      throw McpFailure.notSent(
          FailureCode.BAD_REQUEST,
          "no such question waits; " + Addresses.INPUT_PENDING + " lists those that do");
    }
    JsonObject fitting = place.question().accept(answer);
    close(place, "answered");
    place.answer().complete(fitting);
  }

  void withdraw(String key) {
    end(key, "withdrawn", McpFailure.notSent(FailureCode.CANCELLED, "the question was withdrawn"));
  }

  private void end(String key, String outcome, McpFailure why) {
    Place place = places.get(key);
    if (place != null) {
      close(place, outcome);
      place.answer().fail(why);
    }
  }

  private void close(Place place, String outcome) {
    places.remove(place.question().key());
    vertx.cancelTimer(place.timer());
    publish(
        place.question(),
        Events.INPUT_RESOLVED,
        new JsonObject().put("question", place.question().key()).put("outcome", outcome));
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
