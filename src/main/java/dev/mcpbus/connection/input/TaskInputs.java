package dev.mcpbus.connection.input;

import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.Headers;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.connection.session.PendingRequest;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What tasks of the {@code server/discover} era ask ({@code inputRequests}), each question put once
 * however often and by however many waiters it is seen, also across sessions (Tasks extension, Task
 * Update Requests). Owner: the connection's context.
 */
public final class TaskInputs {

  /** Over the life of one task. */
  private static final int MAX_QUESTIONS = 256;

  private static final class Asked {
    private String question = "";
    private boolean over;
    private boolean sent;
    private @Nullable JsonObject answer;
    private @Nullable McpFailure failure;
  }

  private final InputRequests inputs;
  private final Map<String, Map<String, Asked>> byTask = new HashMap<>();

  public TaskInputs(InputRequests inputs) {
    this.inputs = inputs;
  }

  /**
   * Puts what was not asked before, and takes back what the server does not want to know any more.
   *
   * @param call waits for the task, and says who is asked
   * @param requests all that the server wants to know now
   * @param ready runs whenever an answer has come, or will not come
   * @return the answers that the server does not have yet; empty where there are none
   * @throws McpFailure where a question cannot be answered, or the server asks without an end
   */
  public JsonObject due(String taskId, PendingRequest call, JsonObject requests, Runnable ready) {
    Map<String, Asked> known = byTask.computeIfAbsent(taskId, id -> new LinkedHashMap<>());
    known
        .entrySet()
        .removeIf(old -> !requests.containsKey(old.getKey()) && withdraw(old.getValue()));
    JsonObject answers = new JsonObject();
    for (Map.Entry<String, Object> request : requests) {
      Asked asked = known.get(request.getKey());
      if (asked == null) {
        if (known.size() >= MAX_QUESTIONS) {
          throw McpFailure.maybeSent(
              FailureCode.LIMIT_EXCEEDED,
              "task '" + taskId + "' asked more than " + MAX_QUESTIONS + " questions");
        }
        asked = new Asked();
        known.put(request.getKey(), asked);
        ask(asked, call, request.getValue(), ready);
      }
      if (asked.failure != null) {
        throw asked.failure;
      }
      if (asked.answer != null && !asked.sent) {
        answers.put(request.getKey(), asked.answer);
        asked.sent = true;
      }
    }
    return answers;
  }

  private void ask(Asked asked, PendingRequest call, Object request, Runnable ready) {
    put(asked, call, request)
        .onComplete(
            result -> {
              if (!asked.over) {
                asked.over = true;
                asked.answer = result.result();
                asked.failure = result.failed() ? McpFailure.of(result.cause()) : null;
                ready.run();
              }
            });
  }

  /** A caller who answers by calling again cannot answer a task; nobody else is asked for him. */
  private Future<JsonObject> put(Asked asked, PendingRequest call, Object request) {
    if (Headers.PASS.equals(call.input())) {
      return Future.failedFuture(
          McpFailure.maybeSent(
              FailureCode.UNAVAILABLE,
              "the call has become a task that asks for input, which its caller cannot be asked"));
    }
    return inputs.answer(request, call, key -> asked.question = key);
  }

  /** These answers did not arrive: they are due again. */
  public void notSent(String taskId, JsonObject answers) {
    byTask
        .getOrDefault(taskId, Map.of())
        .forEach((key, asked) -> asked.sent &= !answers.containsKey(key));
  }

  /** True where a question of the task waits for its answer. */
  public boolean isAsking(String taskId) {
    return byTask.getOrDefault(taskId, Map.of()).values().stream().anyMatch(each -> !each.over);
  }

  /** Nobody waits for the task any more. */
  public void forget(String taskId) {
    Map<String, Asked> known = byTask.remove(taskId);
    if (known != null) {
      known.values().forEach(this::withdraw);
    }
  }

  /** False where it had its answer already. */
  private boolean withdraw(Asked asked) {
    if (asked.over) {
      return false;
    }
    asked.over = true;
    inputs.withdraw(asked.question);
    return true;
  }
}
