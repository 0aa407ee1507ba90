package dev.mcpbus.connection;

import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.Requester;
import dev.mcpbus.bus.ServerOperation;
import dev.mcpbus.connection.ConnectionOperations.AddressOperation;
import dev.mcpbus.connection.session.BusCall;
import dev.mcpbus.connection.session.Session;
import dev.mcpbus.connection.tasks.ServerTasks;
import dev.mcpbus.connection.tasks.TaskState;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.protocol.TasksExtension;
import java.util.List;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The operations of the addresses {@code mcp.<id>.tasks.*}. {@link Mailbox} runs them. Owner: the
 * connection's context.
 */
final class TaskOperations {

  static final List<AddressOperation> ALL =
      List.of(
          new AddressOperation(ServerOperation.TASKS_GET, TaskOperations::get),
          new AddressOperation(ServerOperation.TASKS_RESULT, TaskOperations::result),
          new AddressOperation(ServerOperation.TASKS_UPDATE, TaskOperations::update),
          new AddressOperation(ServerOperation.TASKS_CANCEL, TaskOperations::cancel),
          new AddressOperation(ServerOperation.TASKS_LIST, TaskOperations::list));

  private TaskOperations() {}

  private static void get(ReadySession ready, BusCall call) {
    call.onResult(
        result -> {
          TaskState now = TaskState.of(result);
          if (now != null && now.isOver()) {
            ready.preferences().tasks().remove(now.id());
            ready.session().taskOver(now.id());
          }
        });
    withTask(ready, call, (session, taskId) -> session.send(call, call.params()));
  }

  private static void result(ReadySession ready, BusCall call) {
    withTask(ready, call, (session, taskId) -> ready.tasks().result(ready.open(), call, taskId));
  }

  private static void update(ReadySession ready, BusCall call) {
    if (!ready.isDiscoverEra()) {
      call.fail(
          lacks(
              "tasks/update is of protocol 2026-07-28; this server asks by requests of its own,"
                  + " which go to the input addresses"));
      return;
    }
    withTask(
        ready,
        call,
        (session, taskId) -> {
          RawJson answers = call.params().member("inputResponses");
          if (answers == null || !answers.isObject()) {
            call.fail(McpFailure.badRequest("\"inputResponses\" must be an object: {key: answer}"));
          } else {
            session.send(call, call.params());
          }
        });
  }

  private static void cancel(ReadySession ready, BusCall call) {
    withTask(
        ready,
        call,
        (session, taskId) -> {
          if (ready.taskSupport().cancel()) {
            ready.preferences().tasks().remove(taskId);
            session.send(call, call.params());
          } else {
            call.fail(lacks("the server does not offer the capability 'tasks.cancel'"));
          }
        });
  }

  static void list(ReadySession ready, BusCall call) {
    if (ready.isDiscoverEra()) {
      call.fail(
          lacks(
              "protocol 2026-07-28 has no tasks/list: keep the taskId of the answer that made the"
                  + " task"));
    } else if (!ready.taskSupport().list()) {
      call.fail(lacks("the server does not offer the capability 'tasks.list'"));
    } else {
      ConnectionOperations.pages(ready, call, Methods.TASKS_LIST, "tasks")
          .onComplete(
              all -> call.complete(ofCaller(all, call.requester(), ready.tasks())),
              failure -> call.fail(McpFailure.of(failure)));
    }
  }

  /**
   * The tasks of the caller. The server knows one client, this connection, and lists the tasks of
   * all callers: a principal gets its own, an admin and a program on the bus get all.
   */
  private static RawJson ofCaller(
      RawJson result, @Nullable Requester requester, ServerTasks known) {
    RawJson tasks = result.member("tasks");
    if (requester == null || requester.admin() || tasks == null || !tasks.isArray()) {
      return result;
    }
    List<RawJson> own =
        tasks.elements().stream()
            .filter(
                task -> {
                  TaskState state = TaskState.of(task);
                  return state != null
                      && Requester.sees(requester, known.ownerOf(state.id()).owner());
                })
            .toList();
    return result.with("tasks", RawJson.array(own));
  }

  private static void withTask(ReadySession ready, BusCall call, BiConsumer<Session, String> then) {
    RawJson id = call.params().member("taskId");
    if (id == null || !id.isString() || id.asString().isEmpty()) {
      call.fail(McpFailure.badRequest("\"taskId\" must be a string: the id of the task"));
    } else if (!ready.taskSupport().offered()) {
      call.fail(
          lacks(
              "the server does not offer "
                  + (ready.isDiscoverEra()
                      ? "the extension '" + TasksExtension.ID + "'"
                      : "the capability 'tasks'")));
    } else {
      then.accept(ready.session(), id.asString());
    }
  }

  private static McpFailure lacks(String why) {
    return McpFailure.notSent(FailureCode.METHOD_NOT_FOUND, "nothing was sent: " + why);
  }
}
