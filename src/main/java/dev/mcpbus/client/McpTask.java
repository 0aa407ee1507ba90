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
 * A task of a server, in the same form for both eras: a view on what the server sent. Immutable.
 */
@PublicApi
public final class McpTask {

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

  private final JsonObject task;
  private final Status status;

  private McpTask(JsonObject task, Status status) {
    this.task = task;
    this.status = status;
  }

  /** The server's task id; it stays valid when the connection starts a new session. */
  public String id() {
    return text(task, "taskId");
  }

  public Status status() {
    return status;
  }

  /** For people, empty if there is none. */
  public String message() {
    return text(task, "statusMessage");
  }

  /** ISO-8601 as the server wrote it, empty if absent. */
  public String createdAt() {
    return text(task, "createdAt");
  }

  /** ISO-8601 as the server wrote it, empty if absent. */
  public String lastUpdatedAt() {
    return text(task, "lastUpdatedAt");
  }

  /** How long the server keeps the task from its creation, -1 for no bound. */
  public long ttlMillis() {
    return millis(task, "ttlMs", "ttl");
  }

  /** The least pause between two polls that the server wishes, -1 if absent. */
  public long pollMillis() {
    return millis(task, "pollIntervalMs", "pollInterval");
  }

  /**
   * The questions that wait for {@link McpServerClient#updateTask}, by key; empty if there are
   * none, and always for 2025-11-25, where the server asks by requests. A copy.
   */
  public JsonObject inputRequests() {
    return task.getValue("inputRequests") instanceof JsonObject questions
        ? questions.copy()
        : new JsonObject();
  }

  /** The task as the server sent it, with every member; a copy. */
  public JsonObject raw() {
    return task.copy();
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
    if (text(task, "taskId").isEmpty()) {
      throw noTask();
    }
    return new McpTask(task.copy(), status(text(task, "status")));
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
