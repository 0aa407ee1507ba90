package dev.mcpbus.bus;

import io.vertx.core.Vertx;

/**
 * Runs tasks later, on the caller's context. All waiting of a supervisor goes through this
 * interface, and what a connection repeats, so that tests control the time.
 */
public interface Timers {

  /**
   * Runs {@code task} once, {@code millis} from now; zero or less for as soon as possible.
   *
   * @return the id for {@link #cancel}, never negative
   */
  long set(long millis, Runnable task);

  /** Cancels a task that has not run yet; ignores an id that names none. */
  void cancel(long timer);

  /** Timers of Vert.x. */
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
