package dev.mcpbus.connection.tools;

import dev.mcpbus.connection.session.Clock;
import dev.mcpbus.connection.session.Timers;
import io.vertx.core.Future;
import java.util.function.Supplier;

/**
 * Makes few runs of many wishes: the first runs at once, all that come while it runs and within
 * {@link #GAP_MILLIS} of its start become one more. Whoever asks is followed by a run that begins
 * after the asking. Owner: the connection's context.
 */
final class Coalescer {

  /** A server that goes on and on is listed no more often than this. */
  static final long GAP_MILLIS = 250;

  private final Timers timers;
  private final Clock clock;
  private final Supplier<Future<?>> action;
  private boolean wanted;
  private boolean running;
  private boolean started;
  private long lastStart;
  private long timer = -1;
  private long life;

  /**
   * @param action one run; its future ends when the run has
   */
  Coalescer(Timers timers, Clock clock, Supplier<Future<?>> action) {
    this.timers = timers;
    this.clock = clock;
    this.action = action;
  }

  void ask() {
    wanted = true;
    if (!running && timer < 0) {
      next();
    }
  }

  /** Forgets every wish; a run under way ends unheard. */
  void stop() {
    life++;
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
    long mine = life;
    action
        .get()
        .onComplete(
            ended -> {
              if (life == mine) {
                running = false;
                if (wanted) {
                  next();
                }
              }
            });
  }
}
