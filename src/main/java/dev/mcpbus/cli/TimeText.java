package dev.mcpbus.cli;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import org.jspecify.annotations.Nullable;

/** Times as people read them. Stateless. */
final class TimeText {

  private static final DateTimeFormatter CLOCK = DateTimeFormatter.ofPattern("HH:mm:ss");
  private static final DateTimeFormatter DATE = DateTimeFormatter.ofPattern("MM-dd HH:mm:ss");

  private TimeText() {}

  /** The instant in an ISO text, null where it is none. */
  static @Nullable Instant instant(@Nullable Object text) {
    try {
      return text instanceof String iso ? Instant.parse(iso) : null;
    } catch (DateTimeException e) {
      return null;
    }
  }

  /** {@code 12 s}, {@code 3 min}, {@code 5 h}, {@code 2 d}: one unit, rounded down. */
  static String span(Duration span) {
    long seconds = Math.max(0, span.toSeconds());
    if (seconds < 120) {
      return seconds + " s";
    }
    if (seconds < 120 * 60) {
      return seconds / 60 + " min";
    }
    return seconds < 48 * 3600 ? seconds / 3600 + " h" : seconds / 86_400 + " d";
  }

  /** How long ago an ISO time was; empty where there is none. */
  static String since(@Nullable Object time, Instant now) {
    Instant then = instant(time);
    return then == null ? "" : span(Duration.between(then, now));
  }

  /** The time of day of an ISO time in this zone, with the date where it is another day. */
  static String clock(@Nullable Object time, Instant now) {
    Instant then = instant(time);
    if (then == null) {
      return "";
    }
    boolean near = Duration.between(then, now).abs().toHours() < 12;
    return (near ? CLOCK : DATE).format(then.atZone(ZoneId.systemDefault()));
  }
}
