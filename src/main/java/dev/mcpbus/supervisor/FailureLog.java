package dev.mcpbus.supervisor;

import dev.mcpbus.bus.LoggedConnection;
import dev.mcpbus.bus.ReplicaId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * Logs how children fail and recover: the first failure in full, later ones at growing intervals
 * with their number ({@link FailureSeries}), and the recovery. All children together get at most
 * {@value #MAX_LINES} lines about failures in 10 s, so that many broken ones do not hide the rest.
 * What is left out is at level DEBUG. Confined to the context of the supervisor.
 */
final class FailureLog {

  // Its lines are those of the decisions of Supervision.
  private static final Logger LOG = LoggerFactory.getLogger(Supervision.class);

  static final int MAX_LINES = 20;
  private static final long WINDOW_MILLIS = 10_000;

  private long windowStart;
  private int lines;

  /**
   * The child has failed, and its state and {@link SupervisedChild#failures} tell so.
   *
   * @param gaveUp whether no quick restart follows
   * @param what happens now, for example {@code "has ended and starts again in 100 ms"}
   */
  void failed(SupervisedChild child, boolean gaveUp, String what, String why, long now) {
    boolean shown = child.failures.isDue(gaveUp, now) && hasRoom(now);
    Level level = gaveUp ? Level.WARN : Level.INFO;
    about(child, shown ? level : Level.DEBUG)
        .log(
            "{} {} (attempt {}, epoch {}{}): {}",
            name(child),
            what,
            child.budget.attempt(),
            child.epoch,
            child.failures.count(now),
            why);
    if (shown) {
      child.failures.written(gaveUp, now);
    }
  }

  /** The child serves; logs that after a failure that is in the log. */
  void ready(SupervisedChild child, long now) {
    String after = child.failures.ready(now);
    if (!after.isEmpty()) {
      info(child).log("{} is ready again after {}", name(child), after);
    }
  }

  /** A line about the child, at level INFO, with its id as a key. */
  static LoggingEventBuilder info(SupervisedChild child) {
    return about(child, Level.INFO);
  }

  private static LoggingEventBuilder about(SupervisedChild child, Level level) {
    return LOG.atLevel(level).addKeyValue(LoggedConnection.KEY, child.label());
  }

  /** The child in a line for people. */
  static String name(SupervisedChild child) {
    return ReplicaId.parse(child.id()).filter(one -> isOf(one, child)).isPresent()
        ? child.id()
        : child.label() + " (a private connection)";
  }

  private static boolean isOf(ReplicaId id, SupervisedChild child) {
    return child.label().equals(id.server().value());
  }

  private boolean hasRoom(long now) {
    if (lines == 0 || now - windowStart >= WINDOW_MILLIS) {
      windowStart = now;
      lines = 0;
    }
    if (++lines == MAX_LINES + 1) {
      LOG.warn(
          "{} lines about failures in less than {} s: more are left out for that time; the status"
              + " of each server says why it failed",
          MAX_LINES,
          WINDOW_MILLIS / 1_000);
    }
    return lines <= MAX_LINES;
  }
}
