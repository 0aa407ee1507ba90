package dev.mcpbus.config.read;

import java.time.Duration;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Parses durations such as {@code 250ms}, {@code 30s}, {@code 5m}, {@code 1h}. */
public final class DurationText {

  static final String HELP = "Write milliseconds as a number, or a text like \"30s\" or \"250ms\"";

  /** The longest duration; the sum of any two fits in a {@code long}. */
  static final Duration MAX = Duration.ofDays(365);

  private static final Pattern FORM = Pattern.compile("(\\d{1,12})\\s*(ms|s|m|min|h|d)");

  private DurationText() {}

  /** Empty if {@code text} is not a duration, or longer than a year. */
  public static Optional<Duration> parse(String text) {
    Matcher matcher = FORM.matcher(text.strip());
    if (!matcher.matches()) {
      return Optional.empty();
    }
    long count = Long.parseLong(matcher.group(1));
    long unit =
        switch (matcher.group(2)) {
          case "ms" -> 1;
          case "s" -> 1_000;
          case "m", "min" -> 60_000;
          case "h" -> 3_600_000;
          default -> 86_400_000;
        };
    return ofMillis((double) count * unit);
  }

  /** Empty if negative, not finite, or more than a year. */
  static Optional<Duration> ofMillis(double millis) {
    if (!(millis >= 0) || millis > MAX.toMillis()) {
      return Optional.empty();
    }
    return Optional.of(Duration.ofMillis(Math.round(millis)));
  }
}
