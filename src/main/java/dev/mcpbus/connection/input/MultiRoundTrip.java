package dev.mcpbus.connection.input;

import dev.mcpbus.bus.CallDeadline;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.connection.session.BusCall;
import dev.mcpbus.connection.session.PendingRequest;
import dev.mcpbus.connection.session.Session;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.protocol.ResultType;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Questions in results, in the {@code discover} era: a server that needs input to finish a call
 * answers {@code input_required}. This class gets the answers and sends the call again, with the
 * server's {@code requestState} byte for byte (MCP 2026-07-28, Multi Round-Trip Requests). {@code
 * ServerMessages} calls it. Owner: the connection's context.
 */
public final class MultiRoundTrip {

  private static final int MAX_ROUNDS = 16;
  private static final int MAX_QUESTIONS = 64;

  private final InputRequests inputs;

  public MultiRoundTrip(InputRequests inputs) {
    this.inputs = inputs;
  }

  /** Takes a result that is neither complete nor a task; ends {@code call}, now or later. */
  public void take(Session session, PendingRequest call, String resultType, RawJson result) {
    if (resultType.equals(ResultType.INPUT_REQUIRED)) {
      ask(session, call, result);
    } else {
      broken(call, "its resultType is unknown");
    }
  }

  private void ask(Session session, PendingRequest call, RawJson result) {
    RawJson requests = result.member("inputRequests");
    RawJson state = result.member("requestState");
    if (!(call instanceof BusCall origin) || !Methods.MULTI_ROUND_TRIP.contains(call.method())) {
      broken(call, "it asks for input, which this method may not");
      return;
    }
    if ((requests == null && state == null) || (requests != null && !requests.isObject())) {
      broken(call, "it asks for input without saying what");
      return;
    }
    if (call.nextRound() > MAX_ROUNDS) {
      broken(call, "it asked for input " + MAX_ROUNDS + " times");
      return;
    }
    List<String> keys = new ArrayList<>();
    long hold = session.hold(call, () -> keys.forEach(inputs::withdraw));
    if (requests == null) {
      again(session, origin, hold, null, state);
      return;
    }
    call.extendBy(session.clock().millis(), CallDeadline.QUESTION_MILLIS);
    answers(call, requests.toJsonObject(), keys)
        .onComplete(
            answers -> again(session, origin, hold, answers, state),
            failure -> {
              if (session.release(hold, call)) {
                call.fail(McpFailure.of(failure));
              }
            });
  }

  /**
   * Sends every question and collects the answers.
   *
   * @param open takes the keys of the questions, to withdraw them
   */
  private Future<JsonObject> answers(PendingRequest call, JsonObject requests, List<String> open) {
    if (requests.size() > MAX_QUESTIONS) {
      return Future.failedFuture(
          McpFailure.maybeSent(
              FailureCode.LIMIT_EXCEEDED,
              "the server asks " + requests.size() + " questions at once"));
    }
    List<Future<JsonObject>> waiting = new ArrayList<>();
    List<String> keys = new ArrayList<>();
    for (Map.Entry<String, Object> request : requests) {
      keys.add(request.getKey());
      waiting.add(inputs.answer(request.getValue(), call, open::add));
    }
    return Future.all(waiting)
        .map(
            all -> {
              JsonObject answers = new JsonObject();
              for (int i = 0; i < keys.size(); i++) {
                answers.put(keys.get(i), waiting.get(i).result());
              }
              return answers;
            });
  }

  private static void again(
      Session session,
      BusCall call,
      long hold,
      @Nullable JsonObject answers,
      @Nullable RawJson state) {
    if (!session.release(hold, call)) {
      return;
    }
    RawJson params =
        call.params().without("inputResponses").without("requestState").without("task");
    if (answers != null) {
      params = params.with("inputResponses", RawJson.of(answers));
    }
    session.send(call, state == null ? params : params.with("requestState", state));
  }

  private static void broken(PendingRequest call, String what) {
    call.fail(
        McpFailure.maybeSent(
            FailureCode.PROTOCOL_ERROR, "the answer to " + call.method() + " is wrong: " + what));
  }
}
