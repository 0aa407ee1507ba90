package dev.mcpbus.bridge;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.Requester;
import dev.mcpbus.bus.SealedTaskIds;
import dev.mcpbus.bus.ServerOperation;
import dev.mcpbus.bus.ServerOperation.Belonging;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.protocol.ResultType;
import dev.mcpbus.protocol.TaskId;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Replaces the task ids of servers by ids that are sealed for the principal that gets them ({@link
 * SealedTaskIds}), and back. A server's own id never reaches a caller, and is never accepted from
 * one. Nothing else of a result is changed. Used on the bridge's context.
 */
final class TaskIdSealing {

  private static final byte[] TASK_ID = "\"taskId\"".getBytes(StandardCharsets.US_ASCII);

  private final SealedTaskIds ids;

  TaskIdSealing(Vertx vertx) {
    this.ids = SealedTaskIds.of(vertx);
  }

  /** One call: its params from the caller, and its result for the caller. */
  final class SealedCall {

    private final Requester requester;
    private final String server;
    private final String method;
    private final RawJson params;

    /** The server's own id of the task in the params; empty if there is none. */
    private String own = "";

    /**
     * @param server that is called; empty if it is not known
     * @param suffix of its address
     * @throws McpFailure {@code UNKNOWN_TASK} if the caller was never given the task: the same as
     *     for a task that does not exist
     */
    SealedCall(Requester requester, String server, String suffix, RawJson given) {
      this.requester = requester;
      this.server = server;
      if (suffix.equals(Addresses.REQUEST)) {
        RawJson inner = given.member("params");
        this.method = text(given, "method");
        this.params =
            inner == null || !inner.isObject() ? given : given.with("params", opened(inner));
      } else {
        ServerOperation row = ServerOperation.of(suffix);
        this.method = row == null || !isOfTask(row) ? "" : String.valueOf(row.method);
        this.params = opened(given);
      }
    }

    /** The params for the server's connection. */
    RawJson params() {
      return params;
    }

    private RawJson opened(RawJson given) {
      String id = TaskId.of(given);
      if (!isOfTasks() || id.isEmpty()) {
        return given; // the server reports a missing id
      }
      SealedTaskIds.Named task = ids.open(requester, id);
      if (task == null || !task.connection().equals(server)) {
        throw McpFailure.notSent(
            FailureCode.UNKNOWN_TASK,
            "Task not found: this server has no task of that id for you; take the taskId of the"
                + " answer that made it");
      }
      own = task.own();
      return TaskId.with(given, own);
    }

    private boolean isOfTasks() {
      return Methods.isOfTasks(method);
    }

    /** The result or the failure for the caller. */
    Future<Buffer> sealed(Future<Buffer> answer) {
      return answer.map(this::sealed).recover(failure -> Future.failedFuture(sealed(failure)));
    }

    Buffer sealed(Buffer result) {
      RawJson raw = RawJson.of(result);
      if (!mentionsTask(raw) || !raw.isObject()) {
        return result;
      }
      if (method.equals(Methods.TASKS_LIST)) {
        RawJson tasks = raw.member("tasks");
        return tasks == null || !tasks.isArray() ? result : listed(raw, tasks).toBuffer();
      }
      boolean task = isOfTasks() || ResultType.TASK_JSON.equals(raw.member(ResultType.MEMBER));
      RawJson sealed = task ? task(raw) : TaskId.relatedRenamed(raw, this::sealed);
      RawJson made = method.equals(Methods.TOOLS_CALL) ? raw.member("task") : null;
      return (made == null || !made.isObject() ? sealed : sealed.with("task", task(made)))
          .toBuffer();
    }

    private RawJson listed(RawJson result, RawJson tasks) {
      List<RawJson> all = new ArrayList<>();
      tasks.elements().forEach(one -> all.add(one.isObject() ? task(one) : one));
      return result.with("tasks", RawJson.array(all));
    }

    /** Seals a task: its own id, and the ids in its result and in its questions. */
    private RawJson task(RawJson object) {
      return TaskId.renamed(object, this::sealed);
    }

    private String sealed(String id) {
      return seal(requester.name(), server, id);
    }

    Throwable sealed(Throwable cause) {
      if (!(cause instanceof McpFailure failure)) {
        return cause;
      }
      String of = failure.data().getValue("taskId") instanceof String named ? named : own;
      return of.isEmpty()
          ? failure
          : SealedTaskIds.renamed(failure, of, seal(requester.name(), server, of));
    }
  }

  /** The text of a member; empty if there is none. */
  private static String text(RawJson object, String member) {
    RawJson value = object.member(member);
    return value == null || !value.isString() ? "" : value.asString();
  }

  /** Most results contain no task id and are not parsed. */
  private static boolean mentionsTask(RawJson raw) {
    byte[] array = raw.array();
    int end = raw.offset() + raw.length() - TASK_ID.length;
    for (int at = raw.offset(); at <= end; at++) {
      if (array[at] == TASK_ID[0] && isThere(array, at)) {
        return true;
      }
    }
    return false;
  }

  private static boolean isThere(byte[] array, int at) {
    for (int i = 1; i < TASK_ID.length; i++) {
      if (array[at + i] != TASK_ID[i]) {
        return false;
      }
    }
    return true;
  }

  private String seal(@Nullable String owner, String server, String own) {
    return ids.seal(owner == null ? "" : owner, new SealedTaskIds.Named(server, "", own));
  }

  /** Whether a message to such an address may contain a task id, or become a task. */
  static boolean concerns(String suffix) {
    ServerOperation row = ServerOperation.of(suffix);
    return row != null && isOfTask(row);
  }

  private static boolean isOfTask(ServerOperation row) {
    return row.belonging == Belonging.TASK;
  }

  /** Seals the id in an event about a task for its owner; other events stay the same. */
  JsonObject sealed(JsonObject event) {
    if (!(event.getValue("params") instanceof JsonObject params)
        || !(params.getValue("taskId") instanceof String own)) {
      return event;
    }
    String id = seal(event.getString("principal"), event.getString("id", ""), own);
    return event.copy().put("params", params.copy().put("taskId", id));
  }
}
