package dev.mcpbus.connection.tasks;

import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.connection.input.InputRequests;
import dev.mcpbus.connection.input.TaskInputs;
import dev.mcpbus.connection.session.BusCall;
import dev.mcpbus.connection.session.InternalRequest;
import dev.mcpbus.connection.session.MessageOwner;
import dev.mcpbus.connection.session.OpenSession;
import dev.mcpbus.connection.session.PendingRequest;
import dev.mcpbus.connection.session.Session;
import dev.mcpbus.connection.session.SessionPreferences;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.protocol.TasksExtension;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The tasks of one server that calls wait for. A task belongs to the server and not to a session: a
 * call that waits for one goes on in the next session. {@code ServerMessages} passes results that
 * are tasks to it. Owner: the connection's context.
 */
public final class ServerTasks {

  /** Keeps a call until the next session; may fail it meanwhile. */
  @FunctionalInterface
  public interface NextSession {
    void holdUntil(PendingRequest call, Consumer<OpenSession> then);
  }

  private static final int MAX_TO_CANCEL = 256;

  private final SessionPreferences preferences;
  private final NextSession nextSession;
  private final TaskInputs inputs;
  private final TaskOwners owners = new TaskOwners();
  private final Map<String, Set<TaskWatch>> watches = new HashMap<>();

  /** Tasks to cancel in the next session: their calls ended while there was none. */
  private final Set<String> toCancel = new LinkedHashSet<>();

  /**
   * @param inputs an instance for tasks alone, because their questions outlive a session
   */
  public ServerTasks(
      InputRequests inputs, SessionPreferences preferences, NextSession nextSession) {
    this.inputs = new TaskInputs(inputs);
    this.preferences = preferences;
    this.nextSession = nextSession;
  }

  TaskInputs inputs() {
    return inputs;
  }

  /**
   * Whose a message about the task is: the principal's whose call became the task, and about the
   * call that waits for its end.
   */
  public MessageOwner ownerOf(String taskId) {
    TaskWatch waits = null;
    for (TaskWatch watch : watches.getOrDefault(taskId, Set.of())) {
      waits = waits == null || watch.isMine() ? watch : waits;
    }
    return new MessageOwner(waits, owners.of(taskId), true, true);
  }

  /** Notes the caller of a tool call as the owner of the task, if {@code task} is one. */
  void made(Session session, BusCall call, @Nullable RawJson task) {
    TaskState state = call.method().equals(Methods.TOOLS_CALL) ? TaskState.of(task) : null;
    if (state != null) {
      owners.note(state.id(), call.owner());
      if (!state.isOver()) {
        session.becameTask(state.id(), call);
      }
    }
  }

  /**
   * Takes a result that is a task, in the {@code discover} era.
   *
   * @param in the session of the result
   * @param of the same if it is ready, else null
   * @return true where this class ends {@code call}, now or later; false where the caller gets the
   *     task itself
   */
  public boolean take(Session in, @Nullable OpenSession of, PendingRequest call, RawJson result) {
    if (Methods.isOfTasks(call.method())) {
      return false; // some servers give the state of a task this resultType
    }
    if (call instanceof BusCall origin) {
      made(in, origin, result);
      if (origin.isRequest()) {
        return false;
      }
    }
    TaskState task = TaskState.of(result);
    if (!(call instanceof BusCall origin)
        || !call.method().equals(Methods.TOOLS_CALL)
        || of == null
        || !TaskSupport.of(of).offered()
        || task == null) {
      call.fail(
          McpFailure.maybeSent(
              FailureCode.PROTOCOL_ERROR,
              "the answer to " + call.method() + " is wrong: " + whyWrong(of, call)));
    } else if (origin.wantsTask()) {
      preferences.follow(task.id());
      of.subscriptions().refresh();
      return false;
    } else {
      new TaskWatch(this, origin, TaskSupport.of(of), true).begin(of.session(), task);
    }
    return true;
  }

  private static String whyWrong(@Nullable OpenSession of, PendingRequest call) {
    if (!call.method().equals(Methods.TOOLS_CALL)) {
      return "it is a task, which this method may not become";
    }
    return of == null || !TaskSupport.of(of).offered()
        ? "it is a task, and the server does not offer '" + TasksExtension.ID + "'"
        : "it is a task without taskId or status";
  }

  /** Waits for the end of the task {@code taskId} and answers with its result. */
  public void result(OpenSession of, BusCall call, String taskId) {
    new TaskWatch(this, call, TaskSupport.of(of), false).await(of.session(), taskId);
  }

  /** A session is ready: cancels the tasks that are noted for it. */
  public void ready(OpenSession of) {
    List<String> ids = new ArrayList<>(toCancel);
    toCancel.clear();
    ids.forEach(id -> cancel(of.session(), TaskSupport.of(of), id));
  }

  /** The session is about to be replaced: the calls that wait for tasks leave it. */
  public void moveOn() {
    watches.values().stream().flatMap(Set::stream).toList().forEach(TaskWatch::moveOn);
  }

  /** The server says that a task has changed: each call that waits for it polls at once. */
  public void notified(Session session, RawJson params) {
    TaskState now = TaskState.of(params);
    if (now != null) {
      if (now.isOver()) {
        preferences.tasks().remove(now.id());
        session.taskOver(now.id());
      }
      List.copyOf(watches.getOrDefault(now.id(), Set.of()))
          .forEach(watch -> watch.notified(now.status()));
    }
  }

  void joined(TaskWatch watch) {
    watches.computeIfAbsent(watch.taskId(), id -> new LinkedHashSet<>()).add(watch);
  }

  /** {@code watch} does not wait any more. */
  void left(TaskWatch watch) {
    Set<TaskWatch> others = watches.get(watch.taskId());
    if (others != null && others.remove(watch) && others.isEmpty()) {
      watches.remove(watch.taskId());
      inputs.forget(watch.taskId());
    }
  }

  /** A question of the task has its answer: each call that waits for the task polls at once. */
  void answered(String taskId) {
    List.copyOf(watches.getOrDefault(taskId, Set.of())).forEach(TaskWatch::pollNow);
  }

  void holdUntilNextSession(TaskWatch watch, Consumer<OpenSession> then) {
    nextSession.holdUntil(watch, then);
  }

  /** Cancels the task in the next session. */
  void cancelLater(String taskId) {
    if (toCancel.size() < MAX_TO_CANCEL) {
      toCancel.add(taskId);
    }
  }

  /** Cancels the task at the server, if it offers that; the answer has no effect. */
  void cancel(Session session, TaskSupport support, String taskId) {
    preferences.tasks().remove(taskId);
    if (support.cancel() && !session.isOver()) {
      long deadline = session.clock().millis() + session.options().requestTimeout().toMillis();
      session.send(InternalRequest.extra(Methods.TASKS_CANCEL, deadline), params(taskId));
    }
  }

  static McpFailure broken(String what) {
    return McpFailure.maybeSent(FailureCode.PROTOCOL_ERROR, what);
  }

  /** The task in a message. */
  static String label(String taskId) {
    return "the task '" + taskId + "'";
  }

  /** The params of a request about the task. */
  static RawJson params(String taskId) {
    return RawJson.EMPTY_OBJECT.with("taskId", RawJson.string(taskId));
  }
}
