package dev.mcpbus.connection.tasks;

import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.connection.session.ConnectionFailures;
import dev.mcpbus.connection.session.InternalRequest;
import dev.mcpbus.connection.session.Session;
import dev.mcpbus.protocol.JsonRpcError;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.protocol.TasksExtension;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import java.util.Set;

/**
 * Follows one task on one session: requests its state, one request at a time and no more often than
 * the server wants, reads what the status means in the era of the server, and repeats a request
 * whose failure may pass. {@link TaskWatch} makes one for each session. Owner: the connection's
 * context.
 *
 * <ul>
 *   <li>2025-11-25 (Tasks): {@code tasks/get} gives the status alone. {@code tasks/result} gives
 *       the result when the task is over; while it waits, the server sends its questions.
 *   <li>2026-07-28 (Tasks extension): {@code tasks/get} gives the status with the questions, the
 *       result or the error.
 * </ul>
 */
final class TaskPolling {

  /** Takes what the server says; not called after {@link #stop}, nor once the session is over. */
  interface TaskListener {

    /** Each state of the task, before the polling acts on it. */
    void seen(TaskState now);

    /** The task is over and has a result. */
    void ended(RawJson result);

    /** The task is over and has no result. */
    void ended(McpFailure failure);

    /** The server does not give the state, and another request would not help. */
    void lost(McpFailure failure);
  }

  /** The pause between two requests where the server names none. */
  private static final long POLL_MILLIS = 1_000;

  /** Bounds of the pause that a server may name. */
  private static final long LEAST_MILLIS = 50;

  private static final long MOST_MILLIS = 60_000;

  /** A task is lost after so many error responses in a row: servers choose their error codes. */
  private static final int MOST_ERRORS = 5;

  private static final Set<Integer> FINAL =
      Set.of(
          JsonRpcError.INVALID_PARAMS,
          JsonRpcError.METHOD_NOT_FOUND,
          JsonRpcError.INVALID_REQUEST,
          JsonRpcError.MISSING_CLIENT_CAPABILITY);

  private final Session session;
  private final boolean extension;
  private final String taskId;
  private final RawJson resultParams;
  private final long deadline;
  private final TaskListener listener;
  private long timer = -1;
  private boolean polling;
  private boolean stopped;
  private int errors;

  /** Our id of {@code tasks/result} while {@link #fetching}. */
  private long fetch = -1;

  private boolean fetching;

  /**
   * @param extension true for the tasks extension, false for the tasks of 2025-11-25
   * @param resultParams of {@code tasks/result}
   * @param deadline no request waits longer than this, on the connection's clock
   */
  TaskPolling(
      Session session,
      boolean extension,
      String taskId,
      RawJson resultParams,
      long deadline,
      TaskListener listener) {
    this.session = session;
    this.extension = extension;
    this.taskId = taskId;
    this.resultParams = resultParams;
    this.deadline = deadline;
    this.listener = listener;
  }

  /** Requests the state after {@code wish} milliseconds within bounds; -1 for the default. */
  void again(long wish) {
    if (timer >= 0 || stopped) {
      return;
    }
    timer =
        session
            .vertx()
            .setTimer(
                bounded(wish),
                now -> {
                  timer = -1;
                  poll();
                });
  }

  /** The pause before the next poll, ms; {@code wish} is the server's, negative for none. */
  static long bounded(long wish) {
    return wish < 0 ? POLL_MILLIS : Math.min(MOST_MILLIS, Math.max(LEAST_MILLIS, wish));
  }

  /** Requests the state now, unless such a request is in flight. */
  void poll() {
    cancelTimer();
    if (polling || stopped) {
      return;
    }
    polling = true;
    request(Methods.TASKS_GET, ServerTasks.params(taskId))
        .onComplete(
            answer -> {
              polling = false;
              if (stopped || session.isOver()) {
                return;
              }
              if (answer.failed()) {
                unanswered(McpFailure.of(answer.cause()));
                return;
              }
              errors = 0;
              TaskState now = TaskState.of(answer.result());
              if (now == null || !now.id().equals(taskId)) {
                listener.lost(
                    ServerTasks.broken("the answer to tasks/get is not the task '" + taskId + "'"));
              } else {
                seen(now);
              }
            });
  }

  private void seen(TaskState now) {
    listener.seen(now);
    switch (now.status()) {
      case TasksExtension.WORKING -> again(now.pollMillis());
      case TasksExtension.INPUT_REQUIRED -> {
        if (!extension) {
          fetch();
        }
        again(now.pollMillis());
      }
      case TasksExtension.CANCELLED -> listener.ended(cancelled(now));
      case TasksExtension.COMPLETED, TasksExtension.FAILED -> {
        if (extension) {
          finish(now);
        } else {
          fetch();
        }
      }
      default ->
          listener.lost(
              ServerTasks.broken(
                  ServerTasks.label(taskId) + " has the unknown status '" + now.status() + "'"));
    }
  }

  private McpFailure cancelled(TaskState now) {
    String why = now.message().isEmpty() ? "" : ": " + now.message();
    return McpFailure.maybeSent(
        FailureCode.CANCELLED, ServerTasks.label(taskId) + " was cancelled" + why);
  }

  /** Tasks extension: the state that ends the task carries its result or its error. */
  private void finish(TaskState now) {
    boolean done = now.status().equals(TasksExtension.COMPLETED);
    RawJson ending = now.raw().member(done ? "result" : "error");
    if (ending == null || !ending.isObject()) {
      listener.ended(
          ServerTasks.broken(
              ServerTasks.label(taskId) + " is " + now.status() + " without saying how"));
    } else if (done) {
      listener.ended(ending);
    } else {
      listener.ended(McpFailure.upstream(ending, session.redactor()));
    }
  }

  /** 2025-11-25: requests the result, which the server sends when the task is over. */
  private void fetch() {
    if (fetching) {
      return;
    }
    fetching = true;
    InternalRequest call = InternalRequest.extra(Methods.TASKS_RESULT, deadline);
    fetch = session.send(call, resultParams);
    call.future()
        .onComplete(
            answer -> {
              if (stopped || session.isOver()) {
                return;
              }
              fetching = false;
              if (answer.succeeded()) {
                listener.ended(answer.result());
              } else if (ConnectionFailures.upstreamError(answer.cause()) != null) {
                listener.ended(McpFailure.of(answer.cause()));
              } else {
                unanswered(McpFailure.of(answer.cause()));
              }
            });
  }

  /** A request about the task did not reach the server, or its answer did not reach us. */
  private void unanswered(McpFailure failure) {
    if (isFinal(failure)) {
      listener.lost(failure);
    } else {
      again(failure.retryAfterMillis());
    }
  }

  private boolean isFinal(McpFailure failure) {
    JsonObject error = ConnectionFailures.upstreamError(failure);
    if (error != null) {
      return FINAL.contains(error.getInteger("code", 0)) || ++errors >= MOST_ERRORS;
    }
    return switch (failure.code()) {
      case AUTH_REQUIRED, FORBIDDEN, PROTOCOL_ERROR, LIMIT_EXCEEDED -> true;
      default -> false;
    };
  }

  /** A request about the task; it ends with the request time-out or the deadline, if earlier. */
  Future<RawJson> request(String method, RawJson params) {
    long timeout = session.clock().millis() + session.options().requestTimeout().toMillis();
    InternalRequest call = InternalRequest.extra(method, Math.min(deadline, timeout));
    session.send(call, params);
    return call.future();
  }

  private void cancelTimer() {
    if (timer >= 0) {
      session.vertx().cancelTimer(timer);
    }
    timer = -1;
  }

  /**
   * Ends the polling; the listener is not called any more.
   *
   * @param reason what the server gets as the reason for the cancelled {@code tasks/result}
   */
  void stop(String reason) {
    stopped = true;
    cancelTimer();
    if (fetching) {
      session.abandon(fetch, reason);
    }
  }

  /** True where the server does not know the task. */
  static boolean isUnknownTask(McpFailure failure) {
    JsonObject error = ConnectionFailures.upstreamError(failure);
    return error != null && error.getInteger("code", 0) == JsonRpcError.INVALID_PARAMS;
  }
}
