package dev.mcpbus.connection.input;

import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.Headers;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.connection.session.PendingRequest;
import dev.mcpbus.protocol.RawJson;
import io.vertx.core.Future;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The questions of tasks in the {@code discover} era ({@code inputRequests}). Each question is sent
 * once, although every poll of every waiting call sees it, also across sessions (Tasks extension,
 * Task Update Requests). {@code TaskWatch} calls it. Owner: the connection's context.
 */
public final class TaskInputs {

  /** The most questions of one task. */
  private static final int MAX_QUESTIONS = 256;

  private static final class SentQuestion {
    private String key = "";
    private boolean over;
    private boolean delivered;
    private @Nullable RawJson answer;
    private @Nullable McpFailure failure;
  }

  private final InputRequests inputs;
  private final Map<String, Map<String, SentQuestion>> byTask = new HashMap<>();

  public TaskInputs(InputRequests inputs) {
    this.inputs = inputs;
  }

  /**
   * Sends the questions that are new, and takes back those that the server has dropped.
   *
   * @param call waits for the task; its headers say what answers questions
   * @param requests all open questions of the server
   * @param ready runs when an answer has come, or cannot come
   * @return the answers that the server does not have yet; empty where there are none
   * @throws McpFailure where a question cannot be answered, or there are too many
   */
  public Map<String, RawJson> due(
      String taskId, PendingRequest call, RawJson requests, Runnable ready) {
    Map<String, RawJson> asked = requests.members();
    Map<String, SentQuestion> known = byTask.computeIfAbsent(taskId, id -> new LinkedHashMap<>());
    known.entrySet().removeIf(old -> !asked.containsKey(old.getKey()) && withdraw(old.getValue()));
    Map<String, RawJson> answers = new LinkedHashMap<>();
    for (Map.Entry<String, RawJson> request : asked.entrySet()) {
      SentQuestion sent = known.get(request.getKey());
      if (sent == null) {
        if (known.size() >= MAX_QUESTIONS) {
          throw McpFailure.maybeSent(
              FailureCode.LIMIT_EXCEEDED,
              "task '" + taskId + "' asked more than " + MAX_QUESTIONS + " questions");
        }
        sent = new SentQuestion();
        known.put(request.getKey(), sent);
        ask(sent, call, request.getValue(), ready);
      }
      if (sent.failure != null) {
        throw sent.failure;
      }
      if (sent.answer != null && !sent.delivered) {
        answers.put(request.getKey(), sent.answer);
        sent.delivered = true;
      }
    }
    return answers;
  }

  private void ask(SentQuestion sent, PendingRequest call, RawJson request, Runnable ready) {
    put(sent, call, request)
        .onComplete(
            result -> {
              if (!sent.over) {
                sent.over = true;
                sent.answer = result.result();
                sent.failure = result.failed() ? McpFailure.of(result.cause()) : null;
                ready.run();
              }
            });
  }

  /**
   * Sends one question. It fails for a caller who answers questions by calling again: a task has no
   * second call, and no other handler may answer for that caller.
   */
  private Future<RawJson> put(SentQuestion sent, PendingRequest call, RawJson request) {
    if (Headers.PASS.equals(call.input())) {
      return Future.failedFuture(
          McpFailure.maybeSent(
              FailureCode.UNAVAILABLE,
              "the call has become a task that asks for input, which its caller cannot answer"));
    }
    return inputs.answer(request, call, key -> sent.key = key);
  }

  /** The request with these answers failed: they are due again. */
  public void notSent(String taskId, Map<String, RawJson> answers) {
    byTask
        .getOrDefault(taskId, Map.of())
        .forEach((key, sent) -> sent.delivered &= !answers.containsKey(key));
  }

  /** True where a question of the task waits for its answer. */
  public boolean isAsking(String taskId) {
    return byTask.getOrDefault(taskId, Map.of()).values().stream().anyMatch(each -> !each.over);
  }

  /** No call waits for the task any more: takes its questions back. */
  public void forget(String taskId) {
    Map<String, SentQuestion> known = byTask.remove(taskId);
    if (known != null) {
      known.values().forEach(this::withdraw);
    }
  }

  /** Takes a question back; false where it has its answer already. */
  private boolean withdraw(SentQuestion sent) {
    if (sent.over) {
      return false;
    }
    sent.over = true;
    inputs.withdraw(sent.key);
    return true;
  }
}
