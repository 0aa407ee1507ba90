package dev.mcpbus.gateway.dialect;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.gateway.request.McpErrors;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.protocol.ResultType;
import dev.mcpbus.protocol.TaskId;
import dev.mcpbus.protocol.TasksExtension;
import org.jspecify.annotations.Nullable;

/**
 * The two forms of a task. MCP 2025-11-25 has {@code ttl}, {@code pollInterval} and a request of
 * its own for the result. The extension of 2026-07-28 has {@code ttlMs}, {@code pollIntervalMs},
 * and questions and result in the task itself. Unknown members pass unchanged. Stateless.
 */
public final class TaskForms {

  private TaskForms() {}

  /** True for the answer to a call that became a task, as 2026-07-28 writes it. */
  public static boolean isTask(RawJson result) {
    return ResultType.TASK_JSON.equals(result.member(ResultType.MEMBER));
  }

  public static boolean isOver(RawJson task) {
    RawJson status = task.member("status");
    return status != null && status.isString() && TasksExtension.isOver(status.asString());
  }

  /** A task of either era for a client of 2025-11-25. */
  public static RawJson forInitialize(RawJson task, String id) {
    RawJson plain =
        task.without(ResultType.MEMBER).without("result").without("error").without("inputRequests");
    RawJson moved = moved(moved(plain, "ttlMs", "ttl"), "pollIntervalMs", "pollInterval");
    return TaskId.with(TaskId.relatedRenamed(moved, own -> id), id);
  }

  private static RawJson moved(RawJson object, String from, String to) {
    RawJson value = object.member(from);
    return value == null ? object : object.without(from).with(to, value);
  }

  /** Whether a client of 2026-07-28 states in its request that it knows tasks. */
  public static boolean isOffered(@Nullable RawJson capabilities) {
    RawJson extensions = capabilities == null ? null : capabilities.member("extensions");
    return extensions != null && extensions.member(TasksExtension.ID) != null;
  }

  /** The capabilities of a client with the statement that it knows tasks. */
  public static RawJson offering(RawJson capabilities) {
    RawJson extensions = capabilities.member("extensions");
    return capabilities.with(
        "extensions",
        (extensions == null || !extensions.isObject() ? RawJson.EMPTY_OBJECT : extensions)
            .with(TasksExtension.ID, RawJson.EMPTY_OBJECT));
  }

  /** Whether a tool of 2025-11-25 can be called as a task. */
  public static boolean takesTask(RawJson tool) {
    RawJson execution = tool.member("execution");
    RawJson takes = execution == null ? null : execution.member("taskSupport");
    return takes != null
        && takes.isString()
        && (takes.asString().equals("optional") || takes.asString().equals("required"));
  }

  /** The suffix of the address for a method. */
  public static String suffix(String method) {
    return switch (method) {
      case Methods.TASKS_GET -> Addresses.TASKS_GET;
      case Methods.TASKS_UPDATE -> Addresses.TASKS_UPDATE;
      case Methods.TASKS_CANCEL -> Addresses.TASKS_CANCEL;
      case Methods.TASKS_RESULT -> Addresses.TASKS_RESULT;
      default -> throw McpErrors.methodNotFound(method);
    };
  }
}
