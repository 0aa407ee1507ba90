package dev.mcpbus.bus;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Whether this node should get requests. The service says so at least once a second; health reads
 * it, and asks nobody. Thread-safe.
 */
public final class Readiness {

  /** How often the service says it. */
  public static final long REFRESH_MILLIS = 1_000;

  /** A service that has said nothing for as long is stuck. */
  private static final long STALE_NANOS = TimeUnit.SECONDS.toNanos(5);

  private record Told(List<String> problems, long nanos) {}

  private final LongSupplier nanos;
  private volatile @Nullable Told told;

  /** Not started yet. */
  public Readiness() {
    this(System::nanoTime);
  }

  public Readiness(LongSupplier nanos) {
    this.nanos = nanos;
  }

  /**
   * The service runs.
   *
   * @param problems why this node should get no requests, sentences; empty where all is well
   */
  public void tell(List<String> problems) {
    told = new Told(List.copyOf(problems), nanos.getAsLong());
  }

  /** The service has not started, or has stopped. */
  public void withdraw() {
    told = null;
  }

  /** Null where the service is not there to say it, or is stuck. */
  public @Nullable List<String> problems() {
    Told latest = told;
    return latest == null || nanos.getAsLong() - latest.nanos > STALE_NANOS
        ? null
        : latest.problems;
  }
}
