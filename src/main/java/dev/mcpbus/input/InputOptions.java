package dev.mcpbus.input;

import dev.mcpbus.bus.CallDeadline;
import dev.mcpbus.protocol.PublicApi;
import java.time.Duration;

/**
 * Bounds of questions and offers. Immutable.
 *
 * @param patience how long a question waits for an answer; default 300 s
 * @param maxParked the number of questions that wait for {@code mcp.input.respond}, default 256
 * @param maxOffers the number of callers' offers, default 10,000
 */
@PublicApi
public record InputOptions(Duration patience, int maxParked, int maxOffers) {

  /** One principal gets a quarter of a bound, but at least this many places. */
  private static final int MIN_SHARE = 16;

  public static final InputOptions DEFAULT =
      new InputOptions(Duration.ofMillis(CallDeadline.QUESTION_MILLIS), 256, 10_000);

  static int share(int max) {
    return Math.min(max, Math.max(MIN_SHARE, max / 4));
  }
}
