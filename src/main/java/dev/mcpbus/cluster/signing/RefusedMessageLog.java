package dev.mcpbus.cluster.signing;

import java.util.HashMap;
import java.util.Map;
import java.util.function.LongSupplier;
import org.slf4j.Logger;

/**
 * Tells of refused messages once a minute for each reason and no more, with how many there were:
 * who sends thousands must not fill the log. Safe on every thread.
 */
final class RefusedMessageLog {

  private static final long INTERVAL_MILLIS = 60_000;

  /** Reasons with numbers in them could be many. */
  private static final int MOST_REASONS = 64;

  private static final int MOST_CHARACTERS = 80;

  private static final class Told {
    private long at;
    private long since;

    Told(long at) {
      this.at = at;
    }
  }

  private final Logger log;
  private final LongSupplier clock;

  /** Guarded by this. */
  private final Map<String, Told> reasons = new HashMap<>();

  /**
   * @param clock monotonic milliseconds
   */
  RefusedMessageLog(Logger log, LongSupplier clock) {
    this.log = log;
    this.clock = clock;
  }

  /**
   * @param address that the message was for, of the sender's choosing
   * @param why ends up in the log
   */
  synchronized void refused(String address, String why) {
    long now = clock.getAsLong();
    Told told = reasons.get(why);
    if (told != null && now - told.at < INTERVAL_MILLIS) {
      told.since++;
      return;
    }
    if (reasons.size() >= MOST_REASONS) {
      reasons.clear();
    }
    log.warn(
        "a message of another process for '{}' was refused: {}; {} more like it in the last minute",
        printable(address),
        why,
        told == null ? 0 : told.since);
    reasons.put(why, new Told(now));
  }

  private static String printable(String address) {
    String start =
        address.length() > MOST_CHARACTERS ? address.substring(0, MOST_CHARACTERS) : address;
    return start.replaceAll("[^\\x21-\\x7e]", "?");
  }
}
