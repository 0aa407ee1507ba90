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
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Questions in results, in the {@code discover} era: a server that needs input to finish a call
 * answers {@code input_required}. This class gets the answers and sends the call again, with the
 * server's {@code requestState} byte for byte (MCP 2026-07-28, Multi Round-Trip Requests). {@code
 * ServerMessages} calls it. Owner: the connection's context.
 */
public record MultiRoundTrip(InputRequests inputs) {

  private static final int MAX_ROUNDS = 16;
  private static final int MAX_QUESTIONS = 64;

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
    session.reaches(call);
    List<String> keys = new ArrayList<>();
    long hold = session.hold(call, () -> keys.forEach(inputs::withdraw));
    if (requests == null) {
      again(session, origin, hold, null, state);
      return;
    }
    call.extendBy(session.clock().millis(), CallDeadline.QUESTION_MILLIS);
    answers(call, requests.members(), keys)
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
  private Future<RawJson> answers(
      PendingRequest call, Map<String, RawJson> requests, List<String> open) {
    if (requests.size() > MAX_QUESTIONS) {
      return Future.failedFuture(
          McpFailure.maybeSent(
              FailureCode.LIMIT_EXCEEDED,
              "the server asks " + requests.size() + " questions at once"));
    }
    Map<String, Future<RawJson>> waiting = new LinkedHashMap<>();
    requests.forEach((key, request) -> waiting.put(key, inputs.answer(request, call, open::add)));
    return Future.all(List.copyOf(waiting.values()))
        .map(
            all -> {
              Map<String, RawJson> answers = new LinkedHashMap<>();
              waiting.forEach((key, answer) -> answers.put(key, answer.result()));
              return RawJson.object(answers);
            });
  }

  private static void again(
      Session session,
      BusCall call,
      long hold,
      @Nullable RawJson answers,
      @Nullable RawJson state) {
    if (!session.release(hold, call)) {
      return;
    }
    RawJson params =
        call.params().without("inputResponses").without("requestState").without("task");
    if (answers != null) {
      params = params.with("inputResponses", answers);
    }
    session.send(call, state == null ? params : params.with("requestState", state));
  }

  private static void broken(PendingRequest call, String what) {
    call.fail(
        McpFailure.maybeSent(
            FailureCode.PROTOCOL_ERROR, "the answer to " + call.method() + " is wrong: " + what));
  }
}
