package dev.mcpbus.cluster.ownership;

import java.util.EnumMap;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Says in the log what happens to the claims of this node: one line for one connection, and one
 * line for a thousand. Of each kind the first line comes at the next {@link #flush}, and further
 * ones at most every 10 s. The line for each connection is at DEBUG. Confined to the context of its
 * {@link OwnershipReconciler}.
 */
final class OwnershipLog {

  /** What can happen to a claim; {@code {}} stands for the connections. */
  enum ClaimEvent {
    CLAIMED(Level.INFO, "this node owns {} now"),
    NOT_CLAIMED(Level.WARN, "this node could not claim {}"),
    NOT_STARTED(Level.WARN, "this node owns {} and cannot start it"),
    HANDED_OVER(Level.INFO, "this node hands {} over when the calls in flight have finished"),
    LOST(Level.WARN, "another node owns {} now; this node stops at once what it runs of it"),
    NOT_RELEASED(Level.WARN, "this node could not release its claim of {}");

    private final Level level;
    private final String text;

    ClaimEvent(Level level, String text) {
      this.level = level;
      this.text = text;
    }
  }

  /** What of one kind has not been written yet. */
  private static final class Unwritten {
    private int count;
    private String first = "";
    private @Nullable Throwable cause;
  }

  private static final Logger LOG = LoggerFactory.getLogger(OwnershipReconciler.class);
  private static final long INTERVAL_MILLIS = 10_000;

  private final LongSupplier clock;
  private final Map<ClaimEvent, Unwritten> unwritten = new EnumMap<>(ClaimEvent.class);
  private final Map<ClaimEvent, Long> writtenAt = new EnumMap<>(ClaimEvent.class);

  /**
   * @param clock monotonic milliseconds
   */
  OwnershipLog(LongSupplier clock) {
    this.clock = clock;
  }

  void add(ClaimEvent kind, String id) {
    add(kind, id, null);
  }

  /**
   * @param cause of the first one of its line is written
   */
  void add(ClaimEvent kind, String id, @Nullable Throwable cause) {
    LOG.atDebug().setCause(cause).log(kind.text, id);
    Unwritten of = unwritten.computeIfAbsent(kind, none -> new Unwritten());
    if (of.count++ == 0) {
      of.first = id;
      of.cause = cause;
    }
  }

  /**
   * Writes what is due.
   *
   * @param all nothing more comes: what is not due is written as well
   */
  void flush(boolean all) {
    long now = clock.getAsLong();
    unwritten
        .entrySet()
        .removeIf(
            one -> {
              Long last = writtenAt.get(one.getKey());
              if (!all && last != null && now - last < INTERVAL_MILLIS) {
                return false;
              }
              write(one.getKey(), one.getValue());
              writtenAt.put(one.getKey(), now);
              return true;
            });
  }

  private static void write(ClaimEvent kind, Unwritten what) {
    String which =
        what.count == 1
            ? "'" + what.first + "'"
            : what.count + " connections ('" + what.first + "' is the first)";
    Throwable cause = what.cause;
    String why = cause == null ? "" : ": " + cause;
    LOG.atLevel(kind.level).log(kind.text + "{}", which, why);
  }
}
