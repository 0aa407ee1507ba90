package dev.mcpbus.connection;

import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import io.vertx.core.Vertx;

/**
 * Pings a ready session. Anything heard from the server within the interval counts as alive, and so
 * does any JSON-RPC answer, an error included. Owner: the connection's context.
 */
final class HealthCheck {

  /** What the actor hears. */
  interface Listener {
    void healthy();

    /**
     * A ping was not answered.
     *
     * @param failures in a row, this one included
     */
    void unhealthy(int failures, String message);
  }

  private final Vertx vertx;
  private final ConnectionOptions options;
  private final Listener listener;
  private long timer = -1;
  private int failures;

  HealthCheck(Vertx vertx, ConnectionOptions options, Listener listener) {
    this.vertx = vertx;
    this.options = options;
    this.listener = listener;
  }

  void start(Session session) {
    stop();
    long interval = options.pingInterval().toMillis();
    if (interval > 0) {
      timer = vertx.setTimer(interval, ignored -> check(session));
    }
  }

  void stop() {
    if (timer >= 0) {
      vertx.cancelTimer(timer);
    }
    timer = -1;
    failures = 0;
  }

  private void check(Session session) {
    long interval = options.pingInterval().toMillis();
    if (session.clock().millis() - session.lastHeard() < interval && failures == 0) {
      timer = vertx.setTimer(interval, ignored -> check(session));
      return;
    }
    long mine = timer;
    session
        .request(session.era().pingMethod(), null, options.pingTimeout())
        .onComplete(
            answer -> {
              if (timer != mine) {
                return;
              }
              if (answer.succeeded() || isAnswer(answer.cause())) {
                failures = 0;
                listener.healthy();
              } else {
                failures++;
                listener.unhealthy(failures, String.valueOf(answer.cause().getMessage()));
              }
              if (timer == mine) {
                timer = vertx.setTimer(interval, ignored -> check(session));
              }
            });
  }

  private static boolean isAnswer(Throwable failure) {
    return failure instanceof McpFailure mcp && mcp.code() == FailureCode.UPSTREAM_ERROR;
  }
}
