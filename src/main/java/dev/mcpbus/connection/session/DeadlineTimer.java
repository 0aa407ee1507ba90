package dev.mcpbus.connection.session;

import io.vertx.core.Vertx;

/**
 * One timer for any number of deadlines. It is armed for the earliest; when it fires, its owner
 * ends what has expired and returns the next deadline. A call that ends in time costs one
 * comparison and no timer. Owner: one event-loop context.
 */
public final class DeadlineTimer {

  /** Ends everything that expired at {@code now}; returns the next deadline, or {@link #NONE}. */
  @FunctionalInterface
  public interface Sweep {
    long run(long now);
  }

  public static final long NONE = Long.MAX_VALUE;

  private final Vertx vertx;
  private final Clock clock;
  private final Sweep sweep;
  private long armedFor = NONE;
  private long timer = -1;

  public DeadlineTimer(Vertx vertx, Clock clock, Sweep sweep) {
    this.vertx = vertx;
    this.clock = clock;
    this.sweep = sweep;
  }

  /** Adds a deadline: the sweep runs at {@code deadline} or earlier. */
  public void include(long deadline) {
    if (deadline < armedFor) {
      arm(deadline);
    }
  }

  public void stop() {
    if (timer >= 0) {
      vertx.cancelTimer(timer);
    }
    timer = -1;
    armedFor = NONE;
  }

  private void arm(long deadline) {
    stop();
    armedFor = deadline;
    timer = vertx.setTimer(Math.max(1, deadline - clock.millis()), ignored -> fire());
  }

  private void fire() {
    timer = -1;
    armedFor = NONE;
    long next = sweep.run(clock.millis());
    if (next != NONE) {
      include(next);
    }
  }
}
