package dev.mcpbus.connection.tasks;

import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.protocol.TasksExtension;
import org.jspecify.annotations.Nullable;

/**
 * A task as its server tells it, in the words of either era.
 *
 * @param message for people, empty where there is none
 * @param pollMillis how long the server wants to be left alone, -1 where it does not say
 */
public record TaskState(String id, String status, String message, long pollMillis, RawJson raw) {

  /** Null where this is no task. */
  public static @Nullable TaskState of(@Nullable RawJson task) {
    String id = task == null ? "" : text(task, "taskId");
    String status = task == null ? "" : text(task, "status");
    if (task == null || id.isEmpty() || status.isEmpty()) {
      return null;
    }
    RawJson interval = task.member("pollIntervalMs");
    RawJson legacy = interval == null ? task.member("pollInterval") : interval;
    return new TaskState(
        id, status, text(task, "statusMessage"), legacy == null ? -1 : legacy.asLong(), task);
  }

  public boolean isOver() {
    return TasksExtension.isOver(status);
  }

  private static String text(RawJson object, String name) {
    RawJson value = object.member(name);
    return value == null || !value.isString() ? "" : value.asString();
  }
}
