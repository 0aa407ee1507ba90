package dev.mcpbus.cluster.signing;

import java.time.Duration;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Who has sent what, so that nothing that is repeated by others passes again. Of each sender is
 * remembered which of its numbers have arrived, and by how much its monotonic clock differs from
 * ours: that tells how old a message is though nobody's time of day is right. The time of day
 * counts where there is nothing else to go by, for the first message of a sender, and lets a
 * message pass whose sender's monotonic clock stood still, as in a machine that was suspended. Only
 * what is proven may come here. Safe on every thread.
 */
final class ReplayGuard {

  /** A message may be so old. */
  static final Duration OLDEST = Duration.ofMinutes(2);

  /** By how much times of day may differ where two processes hear each other first. */
  static final Duration FIRST = Duration.ofHours(1);

  /** How far messages of one sender may overtake each other. */
  private static final int WINDOW = 1 << 14;

  /** Those that were silent longest make room. */
  private static final int MOST = 4_096;

  private static final class Known {
    private final ReplayWindow window = new ReplayWindow(WINDOW);

    /** The least difference of the clocks that was seen. */
    private long difference;

    Known(long difference) {
      this.difference = difference;
    }
  }

  private final InstantSource time;
  private final LongSupplier clock;

  /** In the order in which they were heard last; guarded by this. */
  private final Map<String, Known> known = new LinkedHashMap<>(16, 0.75f, true);

  /**
   * @param clock monotonic milliseconds
   */
  ReplayGuard(InstantSource time, LongSupplier clock) {
    this.time = time;
    this.clock = clock;
  }

  /**
   * Why a message does not pass; null where it does.
   *
   * @param number of the sender's message; each passes once
   * @param once false for what is published: several receivers of one process hear the same message
   * @param theirTime of day when it was sent, milliseconds
   * @param theirClock monotonic, likewise
   */
  synchronized @Nullable String refusal(
      String sender, long number, boolean once, long theirTime, long theirClock) {
    long age = time.millis() - theirTime;
    long difference = clock.getAsLong() - theirClock;
    Known one = known.get(sender);
    if (one == null) {
      if (Math.abs(age) > FIRST.toMillis()) {
        return "it was sent "
            + Math.abs(age) / 1_000
            + " s "
            + (age > 0 ? "ago" : "in the future")
            + " by the clocks of both machines, which may differ by "
            + FIRST.toSeconds()
            + " s; set the clocks (NTP)";
      }
      one = new Known(difference);
      known.put(sender, one);
      if (known.size() > MOST) {
        known.remove(known.keySet().iterator().next());
      }
    }
    one.difference = Math.min(one.difference, difference);
    if (difference - one.difference > OLDEST.toMillis() && Math.abs(age) > OLDEST.toMillis()) {
      return "it was sent more than " + OLDEST.toSeconds() + " s ago";
    }
    return once && !one.window.pass(number) ? "it has arrived before" : null;
  }
}
