package dev.mcpbus.cluster.signing;

import dev.mcpbus.internals.NumberWindow;
import java.time.Duration;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Refuses signed messages that arrive twice or late. It keeps for each sender which of its numbers
 * have arrived, and the smallest difference between the sender's monotonic clock and this node's,
 * which gives the age of a message although the times of day differ. The time of day decides for
 * the first message of a sender only, and lets a message pass whose sender's monotonic clock stood
 * still, as in a suspended machine. Takes only messages whose proof is valid. Safe on every thread.
 */
final class ReplayGuard {

  /** The highest age of a message. */
  static final Duration MAX_AGE = Duration.ofMinutes(2);

  /** How much the times of day of two machines may differ at the first message of a sender. */
  static final Duration MAX_CLOCK_DIFFERENCE = Duration.ofHours(1);

  /** How far messages of one sender may overtake each other. */
  private static final int WINDOW = 1 << 14;

  /** How many senders are kept; those that were silent longest make room. */
  private static final int MAX_SENDERS = 4_096;

  private static final class Sender {
    private final NumberWindow window = new NumberWindow(WINDOW);

    /** The smallest difference of the clocks so far. */
    private long difference;

    Sender(long difference) {
      this.difference = difference;
    }
  }

  private final InstantSource time;
  private final LongSupplier clock;

  /** In the order of their last message; guarded by this. */
  private final Map<String, Sender> senders = new LinkedHashMap<>(16, 0.75f, true);

  /**
   * @param time the time of day
   * @param clock monotonic milliseconds
   */
  ReplayGuard(InstantSource time, LongSupplier clock) {
    this.time = time;
    this.clock = clock;
  }

  /**
   * Checks one message.
   *
   * @param number the sender's number of the message; each passes once
   * @param once false for a published message, which several receivers of one process get
   * @param theirTime the sender's time of day when it was sent, milliseconds
   * @param theirClock the sender's monotonic clock then, milliseconds
   * @return why the message does not pass; null where it does
   */
  synchronized @Nullable String refusal(
      String sender, long number, boolean once, long theirTime, long theirClock) {
    long age = time.millis() - theirTime;
    long difference = clock.getAsLong() - theirClock;
    Sender one = senders.get(sender);
    if (one == null) {
      if (Math.abs(age) > MAX_CLOCK_DIFFERENCE.toMillis()) {
        return "it was sent "
            + Math.abs(age) / 1_000
            + " s "
            + (age > 0 ? "ago" : "in the future")
            + " by the clocks of both machines, which may differ by "
            + MAX_CLOCK_DIFFERENCE.toSeconds()
            + " s; set the clocks (NTP)";
      }
      one = new Sender(difference);
      senders.put(sender, one);
      if (senders.size() > MAX_SENDERS) {
        senders.remove(senders.keySet().iterator().next());
      }
    }
    one.difference = Math.min(one.difference, difference);
    if (difference - one.difference > MAX_AGE.toMillis() && Math.abs(age) > MAX_AGE.toMillis()) {
      return "it was sent more than " + MAX_AGE.toSeconds() + " s ago";
    }
    return once && !one.window.add(number) ? "it has arrived before" : null;
  }
}
