package dev.mcpbus.connection.tasks;

import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.connection.input.InputRequests;
import dev.mcpbus.connection.input.TaskInputs;
import dev.mcpbus.connection.session.BusCall;
import dev.mcpbus.connection.session.InternalRequest;
import dev.mcpbus.connection.session.OpenSession;
import dev.mcpbus.connection.session.PendingRequest;
import dev.mcpbus.connection.session.Session;
import dev.mcpbus.connection.session.SessionPreferences;
import dev.mcpbus.connection.session.TaskOwners;
import dev.mcpbus.connection.session.TaskSupport;
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
 * The tasks of one server that somebody waits for. A task belongs to the server and not to a
 * session: whoever waits for one goes on with the next session. Owner: the connection's context.
 */
public final class ServerTasks {

  /** Where a call waits for the next session; it may be failed from there. */
  @FunctionalInterface
  public interface Parking {
    void park(PendingRequest call, Consumer<OpenSession> then);
  }

  private static final int MAX_UNWANTED = 256;

  private final SessionPreferences preferences;
  private final Parking parking;
  private final TaskInputs inputs;
  private final TaskOwners owners = new TaskOwners();
  private final Map<String, Set<TaskWatch>> watches = new HashMap<>();

  /** Nobody waits for these any more, and there was no session to say so. */
  private final Set<String> unwanted = new LinkedHashSet<>();

  /**
   * @param inputs for tasks alone: their questions outlive a session
   */
  public ServerTasks(InputRequests inputs, SessionPreferences preferences, Parking parking) {
    this.inputs = new TaskInputs(inputs);
    this.preferences = preferences;
    this.parking = parking;
  }

  TaskInputs inputs() {
    return inputs;
  }

  public TaskOwners owners() {
    return owners;
  }

  /** The answer to a tool call may be a task, which is its caller's then. */
  void made(BusCall call, @Nullable RawJson task) {
    TaskState state = call.method().equals(Methods.TOOLS_CALL) ? TaskState.of(task) : null;
    if (state != null) {
      owners.note(state.id(), call.owner());
    }
  }

  /**
   * Takes a result that is a task, in the {@code server/discover} era.
   *
   * @return true where {@code call} ends later, or has been ended here; false where the caller gets
   *     the task itself
   */
  public boolean take(@Nullable OpenSession of, PendingRequest call, RawJson result) {
    if (Methods.isOfTasks(call.method())) {
      return false; // some servers mark the state of a task so
    }
    if (call instanceof BusCall origin) {
      made(origin, result);
      if (origin.isRequest()) {
        return false;
      }
    }
    TaskState task = TaskState.of(result);
    if (!(call instanceof BusCall origin)
        || !call.method().equals(Methods.TOOLS_CALL)
        || of == null
        || !of.taskSupport().offered()
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
      new TaskWatch(this, origin, of.taskSupport(), true).begin(of.session(), task);
    }
    return true;
  }

  private static String whyWrong(@Nullable OpenSession of, PendingRequest call) {
    if (!call.method().equals(Methods.TOOLS_CALL)) {
      return "it is a task, which this method may not become";
    }
    return of == null || !of.taskSupport().offered()
        ? "it is a task, and the server does not offer '" + TasksExtension.ID + "'"
        : "it is a task without taskId or status";
  }

  /** Waits for the task of {@code taskId} and answers with what its request would have given. */
  public void result(OpenSession of, BusCall call, String taskId) {
    new TaskWatch(this, call, of.taskSupport(), false).await(of.session(), taskId);
  }

  /** A session is ready. */
  public void ready(OpenSession of) {
    List<String> ids = new ArrayList<>(unwanted);
    unwanted.clear();
    ids.forEach(id -> cancel(of.session(), of.taskSupport(), id));
  }

  /** The session is about to be replaced by another. */
  public void moveOn() {
    watches.values().stream().flatMap(Set::stream).toList().forEach(TaskWatch::moveOn);
  }

  /** The server says that a task has changed: whoever waits for it looks at once. */
  public void heard(RawJson params) {
    TaskState now = TaskState.of(params);
    if (now != null) {
      if (now.isOver()) {
        preferences.tasks().remove(now.id());
      }
      List.copyOf(watches.getOrDefault(now.id(), Set.of()))
          .forEach(watch -> watch.heard(now.status()));
    }
  }

  void joined(TaskWatch watch) {
    watches.computeIfAbsent(watch.taskId(), id -> new LinkedHashSet<>()).add(watch);
  }

  /** {@code watch} waits no more, for whatever reason. */
  void left(TaskWatch watch) {
    Set<TaskWatch> others = watches.get(watch.taskId());
    if (others != null && others.remove(watch) && others.isEmpty()) {
      watches.remove(watch.taskId());
      inputs.forget(watch.taskId());
    }
  }

  /** An answer to a question of the task is there. */
  void answered(String taskId) {
    List.copyOf(watches.getOrDefault(taskId, Set.of())).forEach(TaskWatch::pollNow);
  }

  void park(TaskWatch watch, Consumer<OpenSession> then) {
    parking.park(watch, then);
  }

  /** To be cancelled as soon as there is a session. */
  void unwanted(String taskId) {
    if (unwanted.size() < MAX_UNWANTED) {
      unwanted.add(taskId);
    }
  }

  /** Tells the server that nobody wants the task any more; what it answers changes nothing. */
  void cancel(Session session, TaskSupport support, String taskId) {
    preferences.tasks().remove(taskId);
    if (support.cancel() && !session.isOver()) {
      long deadline = session.clock().millis() + session.options().requestTimeout().toMillis();
      session.send(InternalRequest.extra(Methods.TASKS_CANCEL, deadline), named(taskId));
    }
  }

  static McpFailure broken(String what) {
    return McpFailure.maybeSent(FailureCode.PROTOCOL_ERROR, what);
  }

  static RawJson named(String taskId) {
    return RawJson.EMPTY_OBJECT.with("taskId", RawJson.string(taskId));
  }
}
