package dev.mcpbus.connection;

import dev.mcpbus.connection.options.ConnectionOptions;
import dev.mcpbus.connection.session.Clock;
import dev.mcpbus.connection.session.Session;
import io.vertx.core.Vertx;

/**
 * Runs an action when a ready connection has had no call for the configured time ({@code
 * idleStop}). It has one timer, which it arms again for the time left. Owner: the connection's
 * context.
 */
final class IdleTimer {

  private final Vertx vertx;
  private final Clock clock;
  private long limit;
  private final Runnable idle;
  private long lastCall;
  private long timer = -1;

  IdleTimer(Vertx vertx, Clock clock, ConnectionOptions options, Runnable idle) {
    this.vertx = vertx;
    this.clock = clock;
    this.limit = options.idleStop().toMillis();
    this.idle = idle;
  }

  /** The session stops after {@code millis} without a call from now on; 0 for never. */
  void limit(long millis) {
    limit = millis;
  }

  /** Notes the time of a call. */
  void touch() {
    lastCall = clock.millis();
  }

  void start(Session session) {
    stop();
    touch();
    if (limit > 0) {
      arm(session, limit);
    }
  }

  void stop() {
    if (timer >= 0) {
      vertx.cancelTimer(timer);
    }
    timer = -1;
  }

  private void arm(Session session, long millis) {
    timer = vertx.setTimer(millis, ignored -> check(session));
  }

  private void check(Session session) {
    long left = session.pendingCalls() > 0 ? limit : limit - (clock.millis() - lastCall);
    if (left > 0) {
      arm(session, left);
    } else {
      timer = -1;
      idle.run();
    }
  }
}
