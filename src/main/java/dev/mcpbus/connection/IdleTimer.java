package dev.mcpbus.connection;

import dev.mcpbus.connection.options.ConnectionOptions;
import dev.mcpbus.connection.session.Clock;
import dev.mcpbus.connection.session.Session;
import io.vertx.core.Vertx;
import java.util.function.LongSupplier;

/**
 * Runs an action when a ready connection has had no call for the configured time ({@code
 * idleStop}). It has one timer, which it arms again for the time left. Owner: the connection's
 * context.
 */
final class IdleTimer {

  private final Vertx vertx;
  private final Clock clock;
  private final long limit;
  private final Runnable idle;
  private LongSupplier rest = () -> 0;
  private long lastCall;
  private long timer = -1;

  IdleTimer(Vertx vertx, Clock clock, ConnectionOptions options, Runnable idle) {
    this.vertx = vertx;
    this.clock = clock;
    this.limit = options.idleStop().toMillis();
    this.idle = idle;
  }

  /**
   * @param millis the time that counts in place of the configured one, unless it is 0
   */
  void restsAfter(LongSupplier millis) {
    rest = millis;
  }

  private long limit() {
    long now = rest.getAsLong();
    return now > 0 ? now : limit;
  }

  /** Notes the time of a call. */
  void touch() {
    lastCall = clock.millis();
  }

  void start(Session session) {
    stop();
    touch();
    long now = limit();
    if (now > 0) {
      arm(session, now);
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
    long now = limit();
    long left = session.pendingCalls() > 0 ? now : now - (clock.millis() - lastCall);
    if (now == 0) {
      timer = -1; // its rest is over
    } else if (left > 0) {
      arm(session, left);
    } else {
      timer = -1;
      idle.run();
    }
  }
}
