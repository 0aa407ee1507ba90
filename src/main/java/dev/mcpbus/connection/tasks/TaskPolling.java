package dev.mcpbus.connection.tasks;

import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.connection.session.ConnectionFailures;
import dev.mcpbus.connection.session.InternalRequest;
import dev.mcpbus.connection.session.Session;
import dev.mcpbus.protocol.JsonRpcError;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.RawJson;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import java.util.Set;

/**
 * Asks one session's server how a task is: one question at a time, no more often than the server
 * wants. What may pass is asked again. Owner: the connection's context.
 */
public final class TaskPolling {

  /** Who hears of it; not called any more after {@link #stop}, nor once the session is over. */
  interface Listener {

    /** The server's answer; {@link #again} asks once more. */
    void seen(TaskState now);

    /** The server does not tell, and asking again will not help. */
    void lost(McpFailure failure);
  }

  /** Where the server does not say. */
  private static final long POLL_MILLIS = 1_000;

  /** Bounds of what a server may say. */
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

  private final Session session;
  private final String taskId;
  private final long deadline;
  private final Listener listener;
  private long timer = -1;
  private boolean asking;
  private boolean stopped;
  private int errors;

  /**
   * @param deadline no question waits longer than this, on the connection's clock
   */
  public TaskPolling(Session session, String taskId, long deadline, Listener listener) {
    this.session = session;
    this.taskId = taskId;
    this.deadline = deadline;
    this.listener = listener;
  }

  /** Asks after a while: {@code wish} milliseconds within bounds, -1 where there is none. */
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
                  ask();
                });
  }

  public static long bounded(long wish) {
    return wish < 0 ? POLL_MILLIS : Math.min(MOST_MILLIS, Math.max(LEAST_MILLIS, wish));
  }

  /** Asks now, unless an answer is on its way. */
  void ask() {
    cancelTimer();
    if (asking || stopped) {
      return;
    }
    asking = true;
    request(Methods.TASKS_GET, ServerTasks.named(taskId))
        .onComplete(
            answer -> {
              asking = false;
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
                listener.seen(now);
              }
            });
  }

  /** A question of this task did not reach the server, or its answer did not reach us. */
  void unanswered(McpFailure failure) {
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

  /** About the task; waits as long as any request, and not past the deadline. */
  Future<RawJson> request(String method, RawJson params) {
    long patience = session.clock().millis() + session.options().requestTimeout().toMillis();
    InternalRequest call = InternalRequest.extra(method, Math.min(deadline, patience));
    session.send(call, params);
    return call.future();
  }

  private void cancelTimer() {
    if (timer >= 0) {
      session.vertx().cancelTimer(timer);
    }
    timer = -1;
  }

  void stop() {
    stopped = true;
    cancelTimer();
  }

  /** True where the server does not know the task. */
  static boolean isUnknownTask(McpFailure failure) {
    JsonObject error = ConnectionFailures.upstreamError(failure);
    return error != null && error.getInteger("code", 0) == JsonRpcError.INVALID_PARAMS;
  }
}
