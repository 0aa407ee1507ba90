package dev.mcpbus.supervisor;

import io.vertx.core.Vertx;

/** Runs tasks later. The one way in which a supervisor waits, so that tests need not. */
@FunctionalInterface
interface Scheduler {

  /**
   * @param delayMillis zero or less for as soon as possible
   * @param task runs at most once, on any thread
   */
  Cancellation schedule(long delayMillis, Runnable task);

  /** Takes a task back; no effect once it runs. */
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
