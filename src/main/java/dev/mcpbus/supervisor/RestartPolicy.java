package dev.mcpbus.supervisor;

import java.time.Duration;

/**
 * How one child is restarted.
 *
 * @param type when, default {@link RestartType#PERMANENT}
 * @param intensity how often at most
 * @param backoff how long to wait before each
 * @param quietPeriod after this long without a failure all counters start anew; default 60 s
 * @param reprobe after giving up, one attempt this often, for ever; zero for none; default 60 s
 * @param strategy what decides beyond all this, default {@link ConnectionStrategy#CONFIGURED}
 */
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

  /** With nothing that decides beyond it. */
  public RestartPolicy(
      RestartType type,
      RestartIntensity intensity,
      Backoff backoff,
      Duration quietPeriod,
      Duration reprobe) {
    this(type, intensity, backoff, quietPeriod, reprobe, ConnectionStrategy.CONFIGURED);
  }

  public RestartPolicy withIntensity(RestartIntensity other) {
    return new RestartPolicy(type, other, backoff, quietPeriod, reprobe, strategy);
  }

  public RestartPolicy withBackoff(Backoff other) {
    return new RestartPolicy(type, intensity, other, quietPeriod, reprobe, strategy);
  }

  public RestartPolicy withStrategy(ConnectionStrategy other) {
    return new RestartPolicy(type, intensity, backoff, quietPeriod, reprobe, other);
  }
}
