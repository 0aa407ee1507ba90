package dev.mcpbus.connection;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.Requester;
import dev.mcpbus.connection.ConnectionOperations.Operation;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.protocol.TasksExtension;
import java.util.List;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** What the addresses {@code mcp.<id>.tasks.*} do with a session that is ready. */
final class TaskOperations {

  static final List<Operation> ALL =
      List.of(
          new Operation(Addresses.TASKS_GET, Methods.TASKS_GET, TaskOperations::get),
          new Operation(Addresses.TASKS_RESULT, Methods.TASKS_RESULT, TaskOperations::result),
          new Operation(Addresses.TASKS_UPDATE, Methods.TASKS_UPDATE, TaskOperations::update),
          new Operation(Addresses.TASKS_CANCEL, Methods.TASKS_CANCEL, TaskOperations::cancel),
          new Operation(Addresses.TASKS_LIST, Methods.TASKS_LIST, TaskOperations::list));

  private TaskOperations() {}

  private static void get(ReadySession live, BusCall call) {
    call.keep(
        result -> {
          TaskState now = TaskState.of(result);
          if (now != null && now.isOver()) {
            live.wishes().tasks().remove(now.id());
          }
        });
    withTask(live, call, (session, taskId) -> session.send(call, call.params()));
  }

  private static void result(ReadySession live, BusCall call) {
    withTask(live, call, (session, taskId) -> live.tasks().result(live, call, taskId));
  }

  private static void update(ReadySession live, BusCall call) {
    if (!live.isModern()) {
      call.fail(
          lacks(
              "tasks/update is of protocol 2026-07-28; this server asks by requests of its own,"
                  + " which go to the input addresses"));
      return;
    }
    withTask(
        live,
        call,
        (session, taskId) -> {
          RawJson answers = call.params().member("inputResponses");
          if (answers == null || !answers.isObject()) {
            call.fail(badRequest("\"inputResponses\" must be an object: {key: answer}"));
          } else {
            session.send(call, call.params());
          }
        });
  }

  private static void cancel(ReadySession live, BusCall call) {
    withTask(
        live,
        call,
        (session, taskId) -> {
          if (live.taskSupport().cancel()) {
            live.wishes().tasks().remove(taskId);
            session.send(call, call.params());
          } else {
            call.fail(lacks("the server does not offer the capability 'tasks.cancel'"));
          }
        });
  }

  static void list(ReadySession live, BusCall call) {
    if (live.isModern()) {
      call.fail(
          lacks(
              "protocol 2026-07-28 has no tasks/list: keep the taskId of the answer that made the"
                  + " task"));
    } else if (!live.taskSupport().list()) {
      call.fail(lacks("the server does not offer the capability 'tasks.list'"));
    } else {
      ConnectionOperations.pages(live, call, Methods.TASKS_LIST, "tasks")
          .onComplete(
              all -> call.complete(ofCaller(all, call.requester(), live.tasks().owners())),
              failure -> call.fail(McpFailure.of(failure)));
    }
  }

  /** A server that has one client lists everybody's: a principal hears of his own. */
  private static RawJson ofCaller(RawJson result, @Nullable Requester who, TaskOwners owners) {
    RawJson tasks = result.member("tasks");
    if (who == null || who.admin() || tasks == null || !tasks.isArray()) {
      return result;
    }
    List<RawJson> own =
        tasks.elements().stream()
            .filter(
                task -> {
                  TaskState state = TaskState.of(task);
                  return state != null && Requester.sees(who, owners.of(state.id()));
                })
            .toList();
    return result.with("tasks", RawJson.array(own));
  }

  private static void withTask(ReadySession live, BusCall call, BiConsumer<Session, String> then) {
    RawJson id = call.params().member("taskId");
    if (id == null || !id.isString() || id.asString().isEmpty()) {
      call.fail(badRequest("\"taskId\" must be a string: the id of the task"));
    } else if (!live.taskSupport().offered()) {
      call.fail(
          lacks(
              "the server does not offer "
                  + (live.isModern()
                      ? "the extension '" + TasksExtension.ID + "'"
                      : "the capability 'tasks'")));
    } else {
      then.accept(live.session(), id.asString());
    }
  }

  private static McpFailure badRequest(String message) {
    return McpFailure.notSent(FailureCode.BAD_REQUEST, message);
  }

  private static McpFailure lacks(String why) {
    return McpFailure.notSent(FailureCode.METHOD_NOT_FOUND, "nothing was sent: " + why);
  }
}
