package dev.mcpbus.gateway;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.protocol.MetaKeys;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.protocol.ResultType;
import dev.mcpbus.protocol.TasksExtension;
import org.jspecify.annotations.Nullable;

/**
 * Tasks as either era writes them: in 2025-11-25 {@code ttl}, {@code pollInterval} and a result of
 * its own request; in the extension of 2026-07-28 {@code ttlMs}, {@code pollIntervalMs}, and
 * questions and ending in the task itself. What neither knows passes as it is.
 */
final class TaskForms {

  private TaskForms() {}

  /** True for the answer to a call that became a task, as 2026-07-28 writes it. */
  static boolean isTask(RawJson result) {
    return ResultType.TASK_JSON.equals(result.member(ResultType.MEMBER));
  }

  static boolean isOver(RawJson task) {
    RawJson status = task.member("status");
    return status != null && status.isString() && TasksExtension.isOver(status.asString());
  }

  /** The id of a task, empty where it has none. */
  static String id(@Nullable RawJson task) {
    RawJson id = task == null ? null : task.member("taskId");
    return id == null || !id.isString() ? "" : id.asString();
  }

  static RawJson named(RawJson task, String id) {
    return task.with("taskId", RawJson.string(id));
  }

  /** A task of either era for a client of 2025-11-25. */
  static RawJson older(RawJson task, String id) {
    RawJson plain =
        task.without(ResultType.MEMBER).without("result").without("error").without("inputRequests");
    return named(moved(moved(plain, "ttlMs", "ttl"), "pollIntervalMs", "pollInterval"), id);
  }

  private static RawJson moved(RawJson object, String from, String to) {
    RawJson value = object.member(from);
    return value == null ? object : object.without(from).with(to, value);
  }

  /** Anything that belongs to a task says so to a client of 2025-11-25. */
  static RawJson related(RawJson message, String id) {
    RawJson meta = message.member("_meta");
    RawJson base = meta == null || !meta.isObject() ? RawJson.EMPTY_OBJECT : meta;
    return message.with(
        "_meta",
        base.with(MetaKeys.RELATED_TASK, RawJson.EMPTY_OBJECT.with("taskId", RawJson.string(id))));
  }

  /** Which task of its server a message belongs to, empty where it does not say. */
  static String relatedTo(RawJson message) {
    RawJson meta = message.member("_meta");
    return id(meta == null ? null : meta.member(MetaKeys.RELATED_TASK));
  }

  /** True where a client of 2026-07-28 says with its request that it knows tasks. */
  static boolean isOffered(@Nullable RawJson capabilities) {
    RawJson extensions = capabilities == null ? null : capabilities.member("extensions");
    return extensions != null && extensions.member(TasksExtension.ID) != null;
  }

  /** What a client says of itself, and that it knows tasks. */
  static RawJson offering(RawJson capabilities) {
    RawJson extensions = capabilities.member("extensions");
    return capabilities.with(
        "extensions",
        (extensions == null || !extensions.isObject() ? RawJson.EMPTY_OBJECT : extensions)
            .with(TasksExtension.ID, RawJson.EMPTY_OBJECT));
  }

  /** True where a tool of 2025-11-25 may be called as a task. */
  static boolean takesTask(RawJson tool) {
    RawJson execution = tool.member("execution");
    RawJson takes = execution == null ? null : execution.member("taskSupport");
    return takes != null
        && takes.isString()
        && (takes.asString().equals("optional") || takes.asString().equals("required"));
  }

  /** The same for a task that is not there and for one of somebody else. */
  static McpFailure absent() {
    return McpErrors.invalidParams("Task not found");
  }

  /** Suffix of the address that does it. */
  static String suffix(String method) {
    return switch (method) {
      case Methods.TASKS_GET -> Addresses.TASKS_GET;
      case Methods.TASKS_UPDATE -> Addresses.TASKS_UPDATE;
      case Methods.TASKS_CANCEL -> Addresses.TASKS_CANCEL;
      case Methods.TASKS_RESULT -> Addresses.TASKS_RESULT;
      default -> throw McpErrors.methodNotFound(method);
    };
  }
}
