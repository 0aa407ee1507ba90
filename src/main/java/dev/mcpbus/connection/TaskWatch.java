package dev.mcpbus.connection;

import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.protocol.JsonRpcError;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.transport.Outbound;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A call that ends when a task does. It asks the server how the task is, no more often than the
 * server wants, and answers what the task asks. While there is a session it is held there, so that
 * its deadline and its cancellation are those of any call; between sessions it waits for the next
 * one. Owner: the connection's context.
 */
final class TaskWatch extends Pending {

  private static final long POLL_MILLIS = 1_000;
  private static final long LEAST_MILLIS = 50;
  private static final long MOST_MILLIS = 60_000;

  /** Errors in a row that may pass; the server's words for those are its own. */
  private static final int MOST_ERRORS = 5;

  private static final Set<Integer> FINAL =
      Set.of(
          JsonRpcError.INVALID_PARAMS,
          JsonRpcError.METHOD_NOT_FOUND,
          JsonRpcError.INVALID_REQUEST,
          JsonRpcError.MISSING_CLIENT_CAPABILITY);

  private final Tasks tasks;
  private final BusCall origin;
  private final TaskSupport support;

  /** The task is the call: where the call ends early, nobody wants the task. */
  private final boolean mine;

  private @Nullable Session session;
  private long hold = -1;
  private long timer = -1;
  private boolean polling;
  private boolean fetching;
  private long fetch = -1;
  private boolean resumed;
  private int errors;
  private boolean over;
  private String taskId = "";
  private String status = "";

  /**
   * @param mine true where {@code origin} became the task; false where it only asks for its result
   */
  TaskWatch(Tasks tasks, BusCall origin, TaskSupport support, boolean mine) {
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
  @Nullable String callId() {
    return origin.callId();
  }

  @Override
  @Nullable String progressAddress() {
    return origin.progressAddress();
  }

  @Override
  @Nullable String traceparent() {
    return origin.traceparent();
  }

  @Override
  List<Outbound.Header> headers() {
    return origin.headers();
  }

  // ---- how it begins

  /** Sends the call that is to become a task; {@link #complete} follows. */
  void send(Session in, RawJson params) {
    session = in;
    hold = in.send(this, params);
  }

  @Override
  void complete(RawJson result) {
    TaskState first = TaskState.of(result.member("task"));
    Session in = session;
    if (first == null || in == null) {
      origin.complete(result); // the server did not make a task of it
      return;
    }
    taskId = first.id();
    tasks.joined(this);
    in.hold(hold, this, this::abandoned);
    begun(first);
  }

  /** {@code first} is the answer to the call. */
  void begin(Session in, TaskState first) {
    taskId = first.id();
    tasks.joined(this);
    attach(in);
    begun(first);
  }

  /** A task that is new is told without its result and its questions. */
  private void begun(TaskState first) {
    status = first.status();
    if (status.equals(TaskState.WORKING)) {
      again(first.pollMillis());
    } else {
      poll();
    }
  }

  /** Waits for a task that somebody knows the id of. */
  void await(Session in, String id) {
    taskId = id;
    tasks.joined(this);
    attach(in);
    poll();
  }

  private void attach(Session in) {
    session = in;
    hold = in.hold(this, this::abandoned);
  }

  // ---- how it waits

  /** The task has changed; nothing to do where that is known. */
  void heard(String now) {
    if (!now.equals(status)) {
      hurry();
    }
  }

  /** There is a reason to look now. */
  void hurry() {
    if (session != null && !over) {
      cancelTimer();
      poll();
    }
  }

  private void again(long wish) {
    Session in = session;
    if (in != null && !over && timer < 0) {
      long millis = wish < 0 ? POLL_MILLIS : Math.min(MOST_MILLIS, Math.max(LEAST_MILLIS, wish));
      timer =
          in.vertx()
              .setTimer(
                  millis,
                  now -> {
                    timer = -1;
                    poll();
                  });
    }
  }

  private void cancelTimer() {
    if (timer >= 0 && session != null) {
      session.vertx().cancelTimer(timer);
    }
    timer = -1;
  }

  private void poll() {
    Session in = session;
    if (in == null || over || polling) {
      return;
    }
    polling = true;
    in.request(Methods.TASKS_GET, Tasks.named(taskId), patience(in))
        .onComplete(
            answer -> {
              if (session != in || over || in.isOver()) {
                return;
              }
              polling = false;
              if (answer.failed()) {
                unanswered(McpFailure.of(answer.cause()));
                return;
              }
              TaskState now = TaskState.of(answer.result());
              if (now == null || !now.id().equals(taskId)) {
                broken("the answer to tasks/get is not the task '" + taskId + "'");
              } else {
                errors = 0;
                extend(in.clock().millis());
                attempt(() -> observe(now));
              }
            });
  }

  private Duration patience(Session in) {
    long left = Math.max(1, hardDeadline() - in.clock().millis());
    return Duration.ofMillis(Math.min(left, in.options().requestTimeout().toMillis()));
  }

  /** The server is still there, as far as we know: what may pass is tried again. */
  private void unanswered(McpFailure failure) {
    JsonObject error = Failures.upstreamError(failure);
    int code = error == null ? 0 : error.getInteger("code", 0);
    if (resumed && code == JsonRpcError.INVALID_PARAMS) {
      end(
          McpFailure.maybeSent(
              FailureCode.OUTCOME_UNKNOWN,
              "the server came back without the task '" + taskId + "': " + failure.getMessage()));
    } else if (isFinal(failure, code)) {
      end(failure);
    } else {
      again(failure.retryAfterMillis());
    }
  }

  private boolean isFinal(McpFailure failure, int code) {
    return switch (failure.code()) {
      case UPSTREAM_ERROR -> FINAL.contains(code) || ++errors >= MOST_ERRORS;
      case AUTH_REQUIRED, FORBIDDEN, PROTOCOL_ERROR, LIMIT_EXCEEDED -> true;
      default -> false;
    };
  }

  // ---- what it sees

  private void observe(TaskState now) {
    status = now.status();
    switch (status) {
      case TaskState.WORKING -> {
        tasks.inputs().due(taskId, null, this::hurry);
        again(now.pollMillis());
      }
      case TaskState.INPUT_REQUIRED -> {
        if (support.modern()) {
          answer(TaskInputs.requests(now.raw()));
        } else {
          fetch(); // that is where the server asks
        }
        again(now.pollMillis());
      }
      case TaskState.CANCELLED -> end(cancelled(now));
      case TaskState.COMPLETED, TaskState.FAILED -> {
        if (support.modern()) {
          finish(now);
        } else {
          fetch();
        }
      }
      default -> broken("the task '" + taskId + "' has the unknown status '" + status + "'");
    }
  }

  private McpFailure cancelled(TaskState now) {
    return McpFailure.maybeSent(
        FailureCode.CANCELLED,
        "the task '"
            + taskId
            + "' was cancelled"
            + (now.message().isEmpty() ? "" : ": " + now.message()));
  }

  private void finish(TaskState now) {
    boolean done = status.equals(TaskState.COMPLETED);
    RawJson ending = now.raw().member(done ? "result" : "error");
    if (ending == null || !ending.isObject()) {
      broken("the task '" + taskId + "' is " + status + " without saying how");
    } else if (done) {
      end(ending);
    } else {
      end(McpFailure.upstream(JsonRpcError.of(ending)));
    }
  }

  private void answer(@Nullable JsonObject requests) {
    Session in = session;
    if (requests == null || in == null) {
      broken("the task '" + taskId + "' asks for input without saying what");
      return;
    }
    JsonObject answers;
    try {
      answers = tasks.inputs().due(taskId, requests, () -> tasks.answered(taskId));
    } catch (McpFailure unanswerable) {
      giveUp(unanswerable);
      return;
    }
    if (tasks.inputs().isAsking(taskId)) {
      extendBy(in.clock().millis(), Inputs.PATIENCE_MILLIS);
    }
    if (!answers.isEmpty()) {
      in.request(
              Methods.TASKS_UPDATE,
              Tasks.named(taskId).with("inputResponses", RawJson.of(answers)),
              patience(in))
          .onFailure(lost -> tasks.inputs().notSent(taskId, answers));
    }
  }

  /** 2025-11-25: the result is fetched; the server answers when the task is over. */
  private void fetch() {
    Session in = session;
    if (in == null || fetching) {
      return;
    }
    fetching = true;
    InternalCall call = new InternalCall(Methods.TASKS_RESULT, hardDeadline());
    fetch = in.send(call, Tasks.named(taskId));
    call.future()
        .onComplete(
            answer -> {
              if (session != in || over || in.isOver()) {
                return;
              }
              fetching = false;
              if (answer.succeeded()) {
                end(answer.result());
              } else if (Failures.upstreamError(answer.cause()) != null) {
                end(McpFailure.of(answer.cause()));
              } else {
                unanswered(McpFailure.of(answer.cause()));
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

  /** Ends although the task goes on: it is cancelled where it was only there for this call. */
  private void giveUp(McpFailure failure) {
    Session in = session;
    if (leave()) {
      if (mine && in != null) {
        tasks.cancel(in, support, taskId);
      }
      origin.fail(failure);
    }
  }

  private void broken(String what) {
    giveUp(McpFailure.maybeSent(FailureCode.PROTOCOL_ERROR, what));
  }

  private boolean leave() {
    Session in = session;
    boolean first = !over && in != null && in.release(hold, this);
    stop();
    return first;
  }

  private void stop() {
    over = true;
    cancelTimer();
    tasks.left(this);
    if (fetching && session != null && !session.isOver()) {
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
  void fail(McpFailure failure) {
    Session in = session;
    if (taskId.isEmpty()) {
      origin.fail(failure);
    } else if (in != null && in.isOver() && !over) {
      suspend();
    } else if (in == null) {
      stop();
      if (mine) {
        tasks.unwanted(taskId);
      }
      origin.fail(away(failure));
    } else {
      stop();
      origin.fail(
          mine || failure.code() != FailureCode.CALL_TIMEOUT
              ? failure
              : McpFailure.maybeSent(
                  FailureCode.CALL_TIMEOUT,
                  "the task '" + taskId + "' is not over yet; ask again, or cancel it"));
    }
  }

  private void suspend() {
    cancelTimer();
    session = null;
    polling = false;
    fetching = false;
    tasks.park(this, this::resume);
  }

  private void resume(Live live) {
    TaskSupport now = live.taskSupport();
    if (!now.offered() || now.modern() != support.modern()) {
      stop();
      origin.fail(
          McpFailure.maybeSent(
              FailureCode.OUTCOME_UNKNOWN,
              "the server came back without tasks, so '" + taskId + "' is lost"));
      return;
    }
    resumed = true;
    attach(live.session());
    poll();
  }

  /** Ended between two sessions: the call was sent, whatever is said of waiting ones. */
  private McpFailure away(McpFailure failure) {
    return new McpFailure(
        failure.code(),
        McpFailure.Sent.MAYBE,
        failure.code() == FailureCode.CANCELLED
            ? "cancelled by the caller"
            : "the connection was lost while the task '" + taskId + "' ran at the server",
        failure.retryAfterMillis(),
        failure.data().copy().put("taskId", taskId));
  }
}
