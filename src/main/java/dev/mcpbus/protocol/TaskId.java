package dev.mcpbus.protocol;

import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The id of a task, in the task and in messages that belong to it: {@code taskId}, and in {@code
 * _meta} the mark {@link MetaKeys#RELATED_TASK} (MCP 2025-11-25, Tasks). Other members pass
 * unchanged. Stateless.
 */
public final class TaskId {

  private static final String MEMBER = "taskId";

  private TaskId() {}

  /** The id of a task, or in the params of a request about one; empty if there is none. */
  public static String of(@Nullable RawJson task) {
    RawJson id = task == null ? null : task.member(MEMBER);
    return id == null || !id.isString() ? "" : id.asString();
  }

  /** The task with this id in place of its own. */
  public static RawJson with(RawJson task, String id) {
    return task.with(MEMBER, RawJson.string(id));
  }

  /** The id of the task that a message belongs to; empty if it belongs to none. */
  public static String related(RawJson message) {
    RawJson meta = message.member("_meta");
    return of(meta == null ? null : meta.member(MetaKeys.RELATED_TASK));
  }

  /** The message with the mark that it belongs to the task with this id. */
  public static RawJson withRelated(RawJson message, String id) {
    RawJson meta = object(message.member("_meta"));
    RawJson mark = object(meta.member(MetaKeys.RELATED_TASK));
    return message.with("_meta", meta.with(MetaKeys.RELATED_TASK, with(mark, id)));
  }

  /** The message with another name for the task that it belongs to. */
  public static RawJson relatedRenamed(RawJson message, UnaryOperator<String> name) {
    String id = related(message);
    return id.isEmpty() ? message : withRelated(message, name.apply(id));
  }

  /** The task with other names for all that it names: itself, in its result and its questions. */
  public static RawJson renamed(RawJson task, UnaryOperator<String> name) {
    String own = of(task);
    RawJson all = relatedRenamed(own.isEmpty() ? task : with(task, name.apply(own)), name);
    RawJson result = task.member("result");
    if (result != null && result.isObject()) {
      all = all.with("result", relatedRenamed(result, name));
    }
    RawJson requests = task.member("inputRequests");
    return requests == null || !requests.isObject()
        ? all
        : all.with("inputRequests", requestsRenamed(requests, name));
  }

  private static RawJson requestsRenamed(RawJson requests, UnaryOperator<String> name) {
    RawJson all = requests;
    for (Map.Entry<String, RawJson> one : requests.members().entrySet()) {
      RawJson params = one.getValue().isObject() ? one.getValue().member("params") : null;
      if (params != null && params.isObject()) {
        all = all.with(one.getKey(), one.getValue().with("params", relatedRenamed(params, name)));
      }
    }
    return all;
  }

  private static RawJson object(@Nullable RawJson value) {
    return value == null || !value.isObject() ? RawJson.EMPTY_OBJECT : value;
  }
}
