package dev.mcpbus.input;

import java.time.Duration;

/**
 * How long and how many questions wait.
 *
 * @param patience for an answer; default 300 s
 * @param maxParked questions that wait for {@code mcp.input.respond} at most, default 256
 * @param maxOffers offers of callers at most, default 10,000
 */
public record InputOptions(Duration patience, int maxParked, int maxOffers) {

  /** One principal takes a quarter at most of what is for all, but not fewer than so many. */
  private static final int LEAST_SHARE = 16;

  public static final InputOptions DEFAULT = new InputOptions(Duration.ofMinutes(5), 256, 10_000);

  static int share(int max) {
    return Math.min(max, Math.max(LEAST_SHARE, max / 4));
  }
}
