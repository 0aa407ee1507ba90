package dev.mcpbus.observability.metrics;

import static java.util.concurrent.TimeUnit.NANOSECONDS;

import io.micrometer.core.instrument.Timer;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;

/**
 * Measures how late a timer runs on its event loop: the time for which something else kept the loop
 * busy. One for each loop; it wakes the loop twice a second.
 */
final class LoopDelayProbe extends VerticleBase {

  private static final long TICK_MILLIS = 500;

  private final Timer timer;
  private long due;

  LoopDelayProbe(Timer timer) {
    this.timer = timer;
  }

  @Override
  public Future<?> start() {
    due = System.nanoTime() + TICK_MILLIS * 1_000_000;
    vertx.setPeriodic(TICK_MILLIS, tick -> ran());
    return Future.succeededFuture();
  }

  private void ran() {
    long now = System.nanoTime();
    timer.record(Math.max(0, now - due), NANOSECONDS);
    due = now + TICK_MILLIS * 1_000_000;
  }
}
