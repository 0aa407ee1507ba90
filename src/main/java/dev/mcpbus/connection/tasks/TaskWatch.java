package dev.mcpbus.connection.tasks;

import dev.mcpbus.bus.CallDeadline;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.connection.session.BusCall;
import dev.mcpbus.connection.session.OpenSession;
import dev.mcpbus.connection.session.PendingRequest;
import dev.mcpbus.connection.session.Session;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.ProgressToken;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.protocol.TasksExtension;
import dev.mcpbus.protocol.TraceContext;
import dev.mcpbus.transport.OutboundMessage;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A call that ends when a task does. While there is a session, the session holds the call, so its
 * deadline and its cancellation are those of any call, and {@link TaskPolling} follows the task.
 * Between two sessions the call waits in the stash: the task belongs to the server and may go on.
 * Owner: the connection's context.
 */
final class TaskWatch extends PendingRequest implements TaskPolling.TaskListener {

  private final ServerTasks tasks;
  private final BusCall origin;
  private final TaskSupport support;

  /** The task was made for this call: a call that ends early cancels it. */
  private final boolean mine;

  private @Nullable Session session;
  private @Nullable TaskPolling polling;
  private long hold = -1;
  private boolean resumed;
  private boolean over;
  private String taskId = "";
  private String status = "";

  /**
   * @param mine true where {@code origin} became the task; false where it requests the result of a
   *     task that exists already
   */
  TaskWatch(ServerTasks tasks, BusCall origin, TaskSupport support, boolean mine) {
    super(origin.method(), origin.deadline(), origin.idleMillis(), origin.hardDeadline());
    this.tasks = tasks;
    this.origin = origin;
    this.support = support;
    this.mine = mine;
  }

  String taskId() {
    return taskId;
  }

  boolean isMine() {
    return mine;
  }

  @Override
  public long number() {
    return origin.number();
  }

  @Override
  public @Nullable String callId() {
    return origin.callId();
  }

  @Override
  public boolean isCallers() {
    return true;
  }

  @Override
  public @Nullable String owner() {
    return origin.owner();
  }

  @Override
  public @Nullable String progressAddress() {
    return origin.progressAddress();
  }

  @Override
  public @Nullable TraceContext trace() {
    return origin.trace();
  }

  @Override
  public @Nullable String item() {
    return origin.item();
  }

  @Override
  public List<OutboundMessage.MessageHeader> headers() {
    return origin.headers();
  }

  // ---- start

  /** Sends the call that is to become a task; {@link #complete} takes the answer. */
  void send(Session in, RawJson params) {
    session = in;
    in.reaches(origin);
    hold = in.send(this, params);
  }

  @Override
  public void complete(RawJson result) {
    TaskState first = TaskState.of(result.member("task"));
    Session in = session;
    if (first == null || in == null) {
      if (isToolError()) {
        origin.toolFailed();
      }
      origin.complete(result); // the server made no task
      return;
    }
    tasks.made(in, origin, first.raw());
    in.hold(hold, this, this::abandoned);
    begun(in, first);
  }

  /** {@code first} is the answer to the call. */
  void begin(Session in, TaskState first) {
    in.reaches(origin);
    hold = in.hold(this, this::abandoned);
    begun(in, first);
  }

  /** The answer that creates a task carries neither its result nor its questions. */
  private void begun(Session in, TaskState first) {
    taskId = first.id();
    status = first.status();
    tasks.joined(this);
    TaskPolling follow = follow(in);
    if (status.equals(TasksExtension.WORKING)) {
      follow.again(first.pollMillis());
    } else {
      follow.poll();
    }
  }

  /** Waits for a task that an earlier call made. */
  void await(Session in, String id) {
    taskId = id;
    tasks.joined(this);
    hold = in.hold(this, this::abandoned);
    follow(in).poll();
  }

  private TaskPolling follow(Session in) {
    session = in;
    RawJson params = mine ? ServerTasks.params(taskId) : ProgressToken.removedFrom(origin.params());
    TaskPolling made =
        new TaskPolling(in, support.extension(), taskId, params, hardDeadline(), this);
    polling = made;
    return made;
  }

  // ---- news of the task

  /** A notification of the server names this status; polls unless the status is the known one. */
  void notified(String now) {
    if (!now.equals(status)) {
      pollNow();
    }
  }

  /** Requests the state without waiting for the next regular poll. */
  void pollNow() {
    if (polling != null) {
      polling.poll();
    }
  }

  @Override
  public void seen(TaskState now) {
    Session in = session;
    TaskPolling follow = polling;
    if (in == null || follow == null) {
      return;
    }
    extend(in.clock().millis());
    status = now.status();
    if (now.isOver()) {
      in.taskOver(taskId);
    }
    if (status.equals(TasksExtension.WORKING)) {
      tasks.inputs().due(taskId, origin, RawJson.EMPTY_OBJECT, this::pollNow);
    } else if (status.equals(TasksExtension.INPUT_REQUIRED) && support.extension()) {
      answer(in, follow, now);
    }
  }

  /** Tasks extension: passes the server's questions on, and sends it the answers that are there. */
  private void answer(Session in, TaskPolling follow, TaskState now) {
    RawJson requests = now.raw().member("inputRequests");
    if (requests == null || !requests.isObject()) {
      giveUp(ServerTasks.broken(label() + " asks for input without saying what"));
      return;
    }
    Map<String, RawJson> answers;
    try {
      answers = tasks.inputs().due(taskId, origin, requests, () -> tasks.answered(taskId));
    } catch (McpFailure unanswerable) {
      giveUp(unanswerable);
      return;
    }
    if (tasks.inputs().isAsking(taskId)) {
      extendBy(in.clock().millis(), CallDeadline.QUESTION_MILLIS);
    }
    if (!answers.isEmpty()) {
      RawJson params = ServerTasks.params(taskId).with("inputResponses", RawJson.object(answers));
      follow
          .request(Methods.TASKS_UPDATE, params)
          .onFailure(lost -> tasks.inputs().notSent(taskId, answers));
    }
  }

  private String label() {
    return ServerTasks.label(taskId);
  }

  // ---- end

  @Override
  public void ended(RawJson result) {
    Session in = session;
    if (leave() && in != null) {
      in.taskOver(taskId);
      RawJson error = result.member("isError");
      if (error != null && error.toString().equals("true")) {
        origin.toolFailed();
      }
      origin.complete(result);
    }
  }

  @Override
  public void ended(McpFailure failure) {
    if (leave()) {
      origin.fail(failure);
    }
  }

  @Override
  public void lost(McpFailure failure) {
    if (resumed && TaskPolling.isUnknownTask(failure)) {
      ended(unknown("the server came back without " + label() + ": " + failure.getMessage()));
    } else {
      giveUp(failure);
    }
  }

  private static McpFailure unknown(String why) {
    return McpFailure.maybeSent(FailureCode.OUTCOME_UNKNOWN, why);
  }

  /**
   * Ends the call although the task may go on, and cancels the task if it was made for the call.
   */
  private void giveUp(McpFailure failure) {
    Session in = session;
    if (leave()) {
      if (mine && in != null) {
        tasks.cancel(in, support, taskId);
      }
      origin.fail(failure);
    }
  }

  private boolean leave() {
    Session in = session;
    boolean first = !over && in != null && in.release(hold, this);
    stop();
    return first;
  }

  private void stop() {
    over = true;
    tasks.left(this);
    if (polling != null) {
      polling.stop("no caller waits for the result");
    }
  }

  /** The session ends this call while it holds it: deadline, cancellation, or its own end. */
  private void abandoned() {
    Session in = session;
    if (in != null && !in.isOver()) {
      stop();
      if (mine) {
        tasks.cancel(in, support, taskId);
      }
    }
  }

  @Override
  protected void failed(McpFailure failure) {
    Session in = session;
    if (taskId.isEmpty()) {
      origin.fail(failure);
    } else if (in == null) {
      stop();
      if (mine) {
        tasks.cancelLater(taskId);
      }
      origin.fail(betweenSessions(failure));
    } else if (in.isOver() && !over) {
      suspend("the session is over");
    } else if (mine || failure.code() != FailureCode.CALL_TIMEOUT) {
      origin.fail(failure);
    } else {
      origin.fail(
          McpFailure.maybeSent(
              FailureCode.CALL_TIMEOUT, label() + " is not over yet; ask again, or cancel it"));
    }
  }

  // ---- from one session to the next

  /** The session is about to be replaced, and need not wait for this call to end. */
  void moveOn() {
    Session in = session;
    if (in != null && !over && in.release(hold, this)) {
      suspend("the connection is restarted");
    }
  }

  private void suspend(String why) {
    if (polling != null) {
      polling.stop(why);
    }
    polling = null;
    session = null;
    tasks.holdUntilNextSession(this, this::resume);
  }

  private void resume(OpenSession open) {
    TaskSupport now = TaskSupport.of(open);
    if (!now.offered() || now.extension() != support.extension()) {
      stop();
      origin.fail(unknown("the server came back without tasks, so " + label() + " is lost"));
      return;
    }
    resumed = true;
    hold = open.session().hold(this, this::abandoned);
    follow(open.session()).poll();
  }

  /** The call ended between two sessions. Unlike other calls in the stash it was sent. */
  private McpFailure betweenSessions(McpFailure failure) {
    return new McpFailure(
        failure.code(),
        McpFailure.Sent.MAYBE,
        failure.code() == FailureCode.CANCELLED
            ? "cancelled by the caller"
            : "the connection was lost while " + label() + " ran at the server",
        failure.retryAfterMillis(),
        failure.data().copy().put("taskId", taskId));
  }
}
