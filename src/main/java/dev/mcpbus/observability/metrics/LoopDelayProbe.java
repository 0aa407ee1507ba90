package dev.mcpbus.observability.metrics;

import dev.mcpbus.internals.EventLoops;
import io.vertx.core.Vertx;
import java.time.Duration;

/**
 * Measures how late a task runs on its event loop: the time for which something else kept the loop
 * busy. One for each loop, which it wakes twice a second; the loop is its only thread.
 */
final class LoopDelayProbe implements Runnable {

  private static final Duration TICK = Duration.ofMillis(500);

  private final DurationHistogram timer;
  private long due = System.nanoTime() + TICK.toNanos();

  private LoopDelayProbe(DurationHistogram timer) {
    this.timer = timer;
  }

  /**
   * Measures every loop of {@code vertx}.
   *
   * @return ends it
   */
  static Runnable start(Vertx vertx, DurationHistogram timer) {
    return EventLoops.repeat(vertx, TICK, () -> new LoopDelayProbe(timer));
  }

  @Override
  public void run() {
    timer.record(Math.max(0, System.nanoTime() - due));
    due = System.nanoTime() + TICK.toNanos();
  }
}
