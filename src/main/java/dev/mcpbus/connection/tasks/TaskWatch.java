package dev.mcpbus.connection.tasks;

import dev.mcpbus.bus.CallDeadline;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.connection.session.BusCall;
import dev.mcpbus.connection.session.ConnectionFailures;
import dev.mcpbus.connection.session.InternalRequest;
import dev.mcpbus.connection.session.OpenSession;
import dev.mcpbus.connection.session.PendingRequest;
import dev.mcpbus.connection.session.Session;
import dev.mcpbus.connection.session.TaskSupport;
import dev.mcpbus.protocol.JsonRpcError;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.protocol.TasksExtension;
import dev.mcpbus.transport.OutboundMessage;
import io.vertx.core.json.JsonObject;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A call that ends when a task does. While there is a session it is held there, so that its
 * deadline and its cancellation are those of any call; between sessions it waits for the next one,
 * because the task belongs to the server. Owner: the connection's context.
 */
final class TaskWatch extends PendingRequest implements TaskPolling.Listener {

  private final ServerTasks tasks;
  private final BusCall origin;
  private final TaskSupport support;

  /** The task is the call: where the call ends early, nobody wants the task. */
  private final boolean mine;

  private @Nullable Session session;
  private @Nullable TaskPolling polling;
  private long hold = -1;
  private long fetch = -1;
  private boolean fetching;
  private boolean resumed;
  private boolean over;
  private String taskId = "";
  private String status = "";

  /**
   * @param mine true where {@code origin} became the task; false where it only asks for its result
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
  public @Nullable String traceparent() {
    return origin.traceparent();
  }

  @Override
  public List<OutboundMessage.Header> headers() {
    return origin.headers();
  }

  // ---- how it begins

  /** Sends the call that is to become a task; {@link #complete} follows. */
  void send(Session in, RawJson params) {
    session = in;
    hold = in.send(this, params);
  }

  @Override
  public void complete(RawJson result) {
    TaskState first = TaskState.of(result.member("task"));
    Session in = session;
    if (first == null || in == null) {
      origin.complete(result); // the server did not make a task of it
      return;
    }
    tasks.made(origin, first.raw());
    in.hold(hold, this, this::abandoned);
    begun(in, first);
  }

  /** {@code first} is the answer to the call. */
  void begin(Session in, TaskState first) {
    hold = in.hold(this, this::abandoned);
    begun(in, first);
  }

  /** A task that is new is told without its result and its questions. */
  private void begun(Session in, TaskState first) {
    taskId = first.id();
    status = first.status();
    tasks.joined(this);
    TaskPolling asks = polls(in);
    if (status.equals(TasksExtension.WORKING)) {
      asks.again(first.pollMillis());
    } else {
      asks.ask();
    }
  }

  /** Waits for a task that somebody knows the id of. */
  void await(Session in, String id) {
    taskId = id;
    tasks.joined(this);
    hold = in.hold(this, this::abandoned);
    polls(in).ask();
  }

  private TaskPolling polls(Session in) {
    session = in;
    TaskPolling made = new TaskPolling(in, taskId, hardDeadline(), this);
    polling = made;
    return made;
  }

  // ---- what it hears

  /** The task has changed; nothing to do where that is known. */
  void heard(String now) {
    if (!now.equals(status)) {
      pollNow();
    }
  }

  /** There is a reason to look now. */
  void pollNow() {
    if (polling != null) {
      polling.ask();
    }
  }

  @Override
  public void seen(TaskState now) {
    Session in = session;
    TaskPolling asks = polling;
    if (in == null || asks == null) {
      return;
    }
    extend(in.clock().millis());
    status = now.status();
    switch (status) {
      case TasksExtension.WORKING -> {
        tasks.inputs().due(taskId, origin, new JsonObject(), this::pollNow);
        asks.again(now.pollMillis());
      }
      case TasksExtension.INPUT_REQUIRED -> {
        if (support.modern()) {
          answer(in, asks, now);
        } else {
          fetch(in, asks); // that is where the server asks
        }
        asks.again(now.pollMillis());
      }
      case TasksExtension.CANCELLED -> end(cancelled(now));
      case TasksExtension.COMPLETED, TasksExtension.FAILED -> {
        if (support.modern()) {
          finish(now);
        } else {
          fetch(in, asks);
        }
      }
      default -> giveUp(ServerTasks.broken(named() + " has the unknown status '" + status + "'"));
    }
  }

  @Override
  public void lost(McpFailure failure) {
    if (resumed && TaskPolling.isUnknownTask(failure)) {
      end(unknown("the server came back without " + named() + ": " + failure.getMessage()));
    } else {
      giveUp(failure);
    }
  }

  private String named() {
    return "the task '" + taskId + "'";
  }

  private static McpFailure unknown(String why) {
    return McpFailure.maybeSent(FailureCode.OUTCOME_UNKNOWN, why);
  }

  private McpFailure cancelled(TaskState now) {
    String why = now.message().isEmpty() ? "" : ": " + now.message();
    return McpFailure.maybeSent(FailureCode.CANCELLED, named() + " was cancelled" + why);
  }

  private void finish(TaskState now) {
    boolean done = now.status().equals(TasksExtension.COMPLETED);
    RawJson ending = now.raw().member(done ? "result" : "error");
    if (ending == null || !ending.isObject()) {
      end(ServerTasks.broken(named() + " is " + now.status() + " without saying how"));
    } else if (done) {
      end(ending);
    } else {
      Session in = session;
      JsonRpcError error = JsonRpcError.of(ending);
      end(McpFailure.upstream(in == null ? error : error.redacted(in.redactor())));
    }
  }

  private void answer(Session in, TaskPolling asks, TaskState now) {
    RawJson requests = now.raw().member("inputRequests");
    if (requests == null || !requests.isObject()) {
      giveUp(ServerTasks.broken(named() + " asks for input without saying what"));
      return;
    }
    JsonObject answers;
    try {
      answers =
          tasks.inputs().due(taskId, origin, requests.toJsonObject(), () -> tasks.answered(taskId));
    } catch (McpFailure unanswerable) {
      giveUp(unanswerable);
      return;
    }
    if (tasks.inputs().isAsking(taskId)) {
      extendBy(in.clock().millis(), CallDeadline.QUESTION_MILLIS);
    }
    if (!answers.isEmpty()) {
      RawJson params = ServerTasks.named(taskId).with("inputResponses", RawJson.of(answers));
      asks.request(Methods.TASKS_UPDATE, params)
          .onFailure(lost -> tasks.inputs().notSent(taskId, answers));
    }
  }

  /** 2025-11-25: the result is fetched; the server answers when the task is over. */
  private void fetch(Session in, TaskPolling asks) {
    if (fetching) {
      return;
    }
    fetching = true;
    InternalRequest call = InternalRequest.extra(Methods.TASKS_RESULT, hardDeadline());
    fetch = in.send(call, ServerTasks.named(taskId));
    call.future()
        .onComplete(
            answer -> {
              if (over || session != in || in.isOver()) {
                return;
              }
              fetching = false;
              if (answer.succeeded()) {
                end(answer.result());
              } else if (ConnectionFailures.upstreamError(answer.cause()) != null) {
                end(McpFailure.of(answer.cause()));
              } else {
                asks.unanswered(McpFailure.of(answer.cause()));
              }
            });
  }

  // ---- how it ends

  private void end(RawJson result) {
    if (leave()) {
      origin.complete(result);
    }
  }

  private void end(McpFailure failure) {
    if (leave()) {
      origin.fail(failure);
    }
  }

  /** Ends although the task may go on: it is cancelled where it was only there for this call. */
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
    if (polling != null) {
      polling.stop();
    }
    tasks.left(this);
    if (fetching && session != null) {
      session.abandon(fetch, "nobody waits for the result");
    }
  }

  /** The session ends this call while it is held: deadline, cancellation, or its own end. */
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
  public void fail(McpFailure failure) {
    Session in = session;
    if (taskId.isEmpty()) {
      origin.fail(failure);
    } else if (in == null) {
      stop();
      if (mine) {
        tasks.unwanted(taskId);
      }
      origin.fail(away(failure));
    } else if (in.isOver() && !over) {
      suspend();
    } else if (mine || failure.code() != FailureCode.CALL_TIMEOUT) {
      origin.fail(failure);
    } else {
      origin.fail(
          McpFailure.maybeSent(
              FailureCode.CALL_TIMEOUT, named() + " is not over yet; ask again, or cancel it"));
    }
  }

  /** The session is about to be replaced; nothing is gained by its waiting for this task. */
  void moveOn() {
    Session in = session;
    if (in != null && !over && in.release(hold, this)) {
      boolean left = fetching;
      suspend();
      if (left) {
        in.abandon(fetch, "the connection is restarted");
      }
    }
  }

  private void suspend() {
    if (polling != null) {
      polling.stop();
    }
    polling = null;
    session = null;
    fetching = false;
    tasks.park(this, this::resume);
  }

  private void resume(OpenSession open) {
    TaskSupport now = open.taskSupport();
    if (!now.offered() || now.modern() != support.modern()) {
      stop();
      origin.fail(unknown("the server came back without tasks, so " + named() + " is lost"));
      return;
    }
    resumed = true;
    hold = open.session().hold(this, this::abandoned);
    polls(open.session()).ask();
  }

  /** Ended between two sessions: the call was sent, whatever is said of waiting ones. */
  private McpFailure away(McpFailure failure) {
    return new McpFailure(
        failure.code(),
        McpFailure.Sent.MAYBE,
        failure.code() == FailureCode.CANCELLED
            ? "cancelled by the caller"
            : "the connection was lost while " + named() + " ran at the server",
        failure.retryAfterMillis(),
        failure.data().copy().put("taskId", taskId));
  }
}
