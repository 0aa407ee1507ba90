package dev.mcpbus.supervisor;

import dev.mcpbus.protocol.PublicApi;
import java.time.Duration;

/**
 * How many restarts within which time are allowed; one more is a crash loop, and the supervisor
 * gives up (OTP {@code intensity} and {@code period}).
 *
 * @param restarts allowed within {@code period}; zero gives up at the first failure
 * @param period the sliding window
 */
@PublicApi
public record RestartIntensity(int restarts, Duration period) {

  public static final RestartIntensity DEFAULT = new RestartIntensity(5, Duration.ofSeconds(60));

  public RestartIntensity {
    if (restarts < 0 || period.isNegative() || period.isZero()) {
      throw new IllegalArgumentException("restart intensity needs restarts >= 0 and a period > 0");
    }
  }
}
