package dev.mcpbus.supervisor;

import dev.mcpbus.internals.RecordCopy;
import dev.mcpbus.protocol.PublicApi;
import java.time.Duration;

/**
 * When, how often and how quickly the supervisor restarts one child.
 *
 * @param type after which ends, default {@link RestartType#PERMANENT}
 * @param intensity how often at most
 * @param backoff the delay before each restart
 * @param quietPeriod after this long without a failure all counters start again from zero; default
 *     60 s
 * @param reprobe after giving up, the supervisor makes one attempt each time this interval has
 *     passed, without end; zero for no attempt; default 60 s
 * @param strategy decides beyond the other members, default {@link ConnectionStrategy#CONFIGURED}
 */
@PublicApi
public record RestartPolicy(
    RestartType type,
    RestartIntensity intensity,
    Backoff backoff,
    Duration quietPeriod,
    Duration reprobe,
    ConnectionStrategy strategy) {

  public static final RestartPolicy DEFAULT =
      new RestartPolicy(
          RestartType.PERMANENT,
          RestartIntensity.DEFAULT,
          Backoff.DEFAULT,
          Duration.ofSeconds(60),
          Duration.ofSeconds(60));

  /** A policy with {@link ConnectionStrategy#CONFIGURED}. */
  public RestartPolicy(
      RestartType type,
      RestartIntensity intensity,
      Backoff backoff,
      Duration quietPeriod,
      Duration reprobe) {
    this(type, intensity, backoff, quietPeriod, reprobe, ConnectionStrategy.CONFIGURED);
  }

  public RestartPolicy withIntensity(RestartIntensity other) {
    return RecordCopy.with(this, "intensity", other);
  }

  public RestartPolicy withBackoff(Backoff other) {
    return RecordCopy.with(this, "backoff", other);
  }

  public RestartPolicy withStrategy(ConnectionStrategy other) {
    return RecordCopy.with(this, "strategy", other);
  }
}
