package dev.mcpbus.supervisor;

import io.vertx.core.Vertx;

/**
 * Runs tasks later. All waiting of a supervisor goes through this interface, so that tests control
 * the time.
 */
@FunctionalInterface
interface Scheduler {

  /**
   * @param delayMillis zero or less for as soon as possible
   * @param task runs at most once, on any thread
   */
  Cancellation schedule(long delayMillis, Runnable task);

  /** Cancels a scheduled task; has no effect once the task runs. */
  @FunctionalInterface
  interface Cancellation {
    void cancel();
  }

  /** Timers of Vert.x. */
  static Scheduler of(Vertx vertx) {
    return (delay, task) -> {
      long timer = vertx.setTimer(Math.max(1, delay), fired -> task.run());
      return () -> vertx.cancelTimer(timer);
    };
  }
}
