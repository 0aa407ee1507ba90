package dev.mcpbus.connection.tools;

import dev.mcpbus.bus.Timers;
import dev.mcpbus.connection.session.Clock;
import io.vertx.core.Future;
import java.util.function.Supplier;

/**
 * Combines many requests into few runs: the first request runs at once; all that come while it
 * runs, or within {@link #GAP_MILLIS} of its start, lead to one more run. Each request is followed
 * by a run that begins after it. Owner: the connection's context.
 */
final class Coalescer {

  /** The shortest time between the starts of two runs. */
  static final long GAP_MILLIS = 250;

  private final Timers timers;
  private final Clock clock;
  private final Supplier<Future<?>> action;
  private boolean wanted;
  private boolean running;
  private boolean started;
  private long lastStart;
  private long timer = -1;
  private long generation;

  /**
   * @param action one run; its future completes when the run has ended
   */
  Coalescer(Timers timers, Clock clock, Supplier<Future<?>> action) {
    this.timers = timers;
    this.clock = clock;
    this.action = action;
  }

  void request() {
    wanted = true;
    if (!running && timer < 0) {
      next();
    }
  }

  /** Drops every request; the end of a run in progress has no effect. */
  void stop() {
    generation++;
    wanted = false;
    running = false;
    started = false;
    if (timer >= 0) {
      timers.cancel(timer);
    }
    timer = -1;
  }

  private void next() {
    long left = started ? lastStart + GAP_MILLIS - clock.millis() : 0;
    if (left > 0) {
      timer =
          timers.set(
              left,
              () -> {
                timer = -1;
                run();
              });
    } else {
      run();
    }
  }

  private void run() {
    wanted = false;
    running = true;
    started = true;
    lastStart = clock.millis();
    long mine = generation;
    action
        .get()
        .onComplete(
            ended -> {
              if (generation == mine) {
                running = false;
                if (wanted) {
                  next();
                }
              }
            });
  }
}
