package dev.mcpbus.supervisor;

import java.time.Duration;

/**
 * The failures of one child from the first one until it has been ready for a minute, and which of
 * them deserve a line in the log: the first, the one by which the child is given up, and then one
 * at growing intervals. Times are monotonic, in milliseconds. Confined to the context of the
 * supervisor.
 */
final class FailureSeries {

  private static final long NONE = -1;

  /** A child that fails sooner than this after it became ready continues its series. */
  private static final long QUIET_MILLIS = 60_000;

  private static final long FIRST_INTERVAL_MILLIS = 10_000;
  private static final long MAX_INTERVAL_MILLIS = 3_600_000;

  private int failures;
  private long since = NONE;

  /** The failures since the child was ready, and the first of them. */
  private int attempts;

  private long downSince = NONE;
  private long readyAt = NONE;

  private boolean writtenSinceReady;
  private boolean gaveUpWritten;
  private long nextLine = NONE;
  private long interval = FIRST_INTERVAL_MILLIS;

  /** The child has failed. */
  void failed(long now) {
    if (readyAt != NONE && now - readyAt >= QUIET_MILLIS) {
      failures = 0;
      gaveUpWritten = false;
      interval = FIRST_INTERVAL_MILLIS;
    }
    readyAt = NONE;
    since = failures == 0 ? now : since;
    downSince = attempts == 0 ? now : downSince;
    failures++;
    attempts++;
  }

  /** Whether the last failure deserves a line. */
  boolean isDue(boolean gaveUp, long now) {
    return failures == 1 || (gaveUp && !gaveUpWritten) || now >= nextLine;
  }

  /** A line about the last failure is in the log. */
  void written(boolean gaveUp, long now) {
    writtenSinceReady = true;
    gaveUpWritten |= gaveUp;
    nextLine = now + interval;
    interval = Math.min(2 * interval, MAX_INTERVAL_MILLIS);
  }

  /** {@code ", 12 failures in 42 s"}; empty for the first failure. */
  String count(long now) {
    return failures <= 1 ? "" : ", " + failures + " failures in " + text(now - since);
  }

  /** The child is ready: {@code "3 attempts, 42 s"}; empty where no line said that it failed. */
  String ready(long now) {
    String text =
        writtenSinceReady
            ? attempts + (attempts == 1 ? " attempt, " : " attempts, ") + text(now - downSince)
            : "";
    attempts = 0;
    writtenSinceReady = false;
    readyAt = now;
    return text;
  }

  private static String text(long millis) {
    Duration time = Duration.ofMillis(millis);
    if (time.toSeconds() < 1) {
      return millis + " ms";
    }
    if (time.toMinutes() < 2) {
      return time.toSeconds() + " s";
    }
    return time.toHours() < 2 ? time.toMinutes() + " min" : time.toHours() + " h";
  }
}
