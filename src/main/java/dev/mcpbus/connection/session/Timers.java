package dev.mcpbus.connection.session;

import io.vertx.core.Vertx;

/**
 * Runs a task later, on the caller's context. Tests advance it by hand, together with the clock.
 */
public interface Timers {

  /** Runs {@code task} once, {@code millis} from now; returns the id for {@link #cancel}. */
  long set(long millis, Runnable task);

  void cancel(long timer);

  static Timers of(Vertx vertx) {
    return new Timers() {
      @Override
      public long set(long millis, Runnable task) {
        return vertx.setTimer(Math.max(1, millis), fired -> task.run());
      }

      @Override
      public void cancel(long timer) {
        vertx.cancelTimer(timer);
      }
    };
  }
}
