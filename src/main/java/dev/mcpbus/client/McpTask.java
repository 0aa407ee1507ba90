package dev.mcpbus.client;

import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.protocol.PublicApi;
import dev.mcpbus.protocol.ResultType;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A task of a server, in the same form for both eras. Immutable.
 *
 * @param id the server's task id; it stays valid when the connection starts a new session
 * @param message for people, empty if there is none
 * @param createdAt ISO-8601 as the server wrote it, empty if absent
 * @param lastUpdatedAt ISO-8601 as the server wrote it, empty if absent
 * @param ttlMillis how long the server keeps the task from its creation, -1 for no bound
 * @param pollMillis the least pause between two polls that the server wishes, -1 if absent
 * @param inputRequests the questions that wait for {@link McpServerClient#updateTask}, by key;
 *     empty if there are none, and always for 2025-11-25, where the server asks by requests
 * @param raw the task as the server sent it, with every member
 */
@PublicApi
public record McpTask(
    String id,
    Status status,
    String message,
    String createdAt,
    String lastUpdatedAt,
    long ttlMillis,
    long pollMillis,
    JsonObject inputRequests,
    JsonObject raw) {

  public enum Status {
    WORKING,
    INPUT_REQUIRED,
    COMPLETED,
    FAILED,
    CANCELLED;

    /** True if the status cannot change any more. */
    public boolean isFinal() {
      return this == COMPLETED || this == FAILED || this == CANCELLED;
    }
  }

  /** The task in the reply to a tool call; null if the reply is the tool's result. */
  static @Nullable McpTask ofAnswer(JsonObject answer) {
    if (ResultType.TASK.equals(answer.getValue(ResultType.MEMBER))) {
      return of(answer);
    }
    // A reply with content is the tool's result, also if it has a member "task".
    return answer.getValue("task") instanceof JsonObject task && !answer.containsKey("content")
        ? of(task)
        : null;
  }

  /**
   * @throws McpFailure {@code PROTOCOL_ERROR} if {@code task} is not a task
   */
  static McpTask of(JsonObject task) {
    String id = text(task, "taskId");
    if (id.isEmpty()) {
      throw noTask();
    }
    return new McpTask(
        id,
        status(text(task, "status")),
        text(task, "statusMessage"),
        text(task, "createdAt"),
        text(task, "lastUpdatedAt"),
        millis(task, "ttlMs", "ttl"),
        millis(task, "pollIntervalMs", "pollInterval"),
        task.getValue("inputRequests") instanceof JsonObject questions
            ? questions
            : new JsonObject(),
        task);
  }

  static JsonObject named(String id) {
    return new JsonObject().put("taskId", id);
  }

  static List<McpTask> list(JsonObject result) {
    List<McpTask> tasks = new ArrayList<>();
    for (Object each : result.getJsonArray("tasks", new JsonArray())) {
      tasks.add(of(each instanceof JsonObject task ? task : new JsonObject()));
    }
    return tasks;
  }

  private static Status status(String word) {
    try {
      return Status.valueOf(word.toUpperCase(Locale.ROOT));
    } catch (IllegalArgumentException unknown) {
      throw noTask();
    }
  }

  private static McpFailure noTask() {
    return McpFailure.maybeSent(
        FailureCode.PROTOCOL_ERROR,
        "the answer is not a task; call with a JsonObject or a Buffer to receive it unchanged");
  }

  private static String text(JsonObject from, String name) {
    return from.getValue(name) instanceof String text ? text : "";
  }

  private static long millis(JsonObject from, String name, String earlierName) {
    Object value = from.containsKey(name) ? from.getValue(name) : from.getValue(earlierName);
    return value instanceof Number number ? number.longValue() : -1;
  }
}
