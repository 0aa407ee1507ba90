package dev.mcpbus.cluster.signing;

import java.util.HashMap;
import java.util.Map;
import java.util.function.LongSupplier;
import org.slf4j.Logger;

/**
 * Logs refused messages once a minute for each reason, with the number of the others: a sender of
 * thousands must not fill the log. Safe on every thread.
 */
final class RefusedMessageLog {

  private static final long INTERVAL_MILLIS = 60_000;

  /** Bounds the map: reasons can contain numbers. */
  private static final int MAX_REASONS = 64;

  private static final int MAX_CHARACTERS = 80;

  private static final class LoggedReason {
    private long at;
    private long since;

    LoggedReason(long at) {
      this.at = at;
    }
  }

  private final Logger log;
  private final LongSupplier clock;

  /** By reason. Guarded by this. */
  private final Map<String, LoggedReason> reasons = new HashMap<>();

  /**
   * @param clock monotonic milliseconds
   */
  RefusedMessageLog(Logger log, LongSupplier clock) {
    this.log = log;
    this.clock = clock;
  }

  /**
   * @param address the address of the message, which the sender chose
   * @param why the reason for the log
   */
  synchronized void refused(String address, String why) {
    long now = clock.getAsLong();
    LoggedReason logged = reasons.get(why);
    if (logged != null && now - logged.at < INTERVAL_MILLIS) {
      logged.since++;
      return;
    }
    if (reasons.size() >= MAX_REASONS) {
      reasons.clear();
    }
    log.warn(
        "a message of another process for '{}' was refused: {}; {} more like it in the last minute",
        printable(address),
        why,
        logged == null ? 0 : logged.since);
    reasons.put(why, new LoggedReason(now));
  }

  private static String printable(String address) {
    String start =
        address.length() > MAX_CHARACTERS ? address.substring(0, MAX_CHARACTERS) : address;
    return start.replaceAll("[^\\x21-\\x7e]", "?");
  }
}
