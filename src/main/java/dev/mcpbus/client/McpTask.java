package dev.mcpbus.client;

import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.protocol.ResultType;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A task of a server, the same for both protocol eras.
 *
 * @param id belongs to the server: it stays valid when the connection gets a new session
 * @param message for people, empty where there is none
 * @param createdAt ISO-8601 as the server wrote it, empty where absent
 * @param lastUpdatedAt likewise
 * @param ttlMillis how long the server keeps the task from its creation, -1 for no bound
 * @param pollMillis how long the server wants to be left alone between two questions, -1 where it
 *     does not say
 * @param inputRequests what the server waits for, by key, for {@link McpServerClient#updateTask};
 *     empty where nothing, and always in 2025-11-25, which asks by requests
 * @param raw as the server sent it, every member
 */
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

    /** True for the three that stay. */
    public boolean isFinal() {
      return this == COMPLETED || this == FAILED || this == CANCELLED;
    }
  }

  /** The task in the answer to a tool call; null where the answer is the tool's result. */
  static @Nullable McpTask ofAnswer(JsonObject answer) {
    if (ResultType.TASK.equals(answer.getValue(ResultType.MEMBER))) {
      return of(answer);
    }
    // A tool's result has content, whatever else it is called.
    return answer.getValue("task") instanceof JsonObject task && !answer.containsKey("content")
        ? of(task)
        : null;
  }

  /**
   * @throws McpFailure {@code PROTOCOL_ERROR} where this is no task
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
        task.getValue("inputRequests") instanceof JsonObject asked ? asked : new JsonObject(),
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
        "the answer is not a task; ask with a JsonObject or a Buffer to get it as it is");
  }

  private static String text(JsonObject from, String name) {
    return from.getValue(name) instanceof String text ? text : "";
  }

  private static long millis(JsonObject from, String name, String legacy) {
    Object value = from.containsKey(name) ? from.getValue(name) : from.getValue(legacy);
    return value instanceof Number number ? number.longValue() : -1;
  }
}
