package dev.mcpbus.connection.tasks;

import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.protocol.TasksExtension;
import org.jspecify.annotations.Nullable;

/**
 * The state of a task as its server describes it, in either era.
 *
 * @param message for people, empty where there is none
 * @param pollMillis the pause between two polls that the server wants, -1 where it names none
 */
public record TaskState(String id, String status, String message, long pollMillis, RawJson raw) {

  /** The state in {@code task}; null where it is no task. */
  public static @Nullable TaskState of(@Nullable RawJson task) {
    String id = task == null ? "" : text(task, "taskId");
    String status = task == null ? "" : text(task, "status");
    if (task == null || id.isEmpty() || status.isEmpty()) {
      return null;
    }
    RawJson interval = task.member("pollIntervalMs");
    RawJson pause = interval == null ? task.member("pollInterval") : interval;
    return new TaskState(
        id, status, text(task, "statusMessage"), pause == null ? -1 : pause.asLong(), task);
  }

  public boolean isOver() {
    return TasksExtension.isOver(status);
  }

  private static String text(RawJson object, String name) {
    RawJson value = object.member(name);
    return value == null || !value.isString() ? "" : value.asString();
  }
}
