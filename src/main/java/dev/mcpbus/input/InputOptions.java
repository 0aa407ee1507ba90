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

  public static final InputOptions DEFAULT = new InputOptions(Duration.ofMinutes(5), 256, 10_000);
}
