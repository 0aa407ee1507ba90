package dev.mcpbus.bus;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Whether this node should receive requests. The {@code ServersVerticle} reports it once a second;
 * the health routes of the bridge read the last report. Any thread may call.
 */
public final class Readiness {

  /** Interval of the reports, milliseconds. */
  public static final long REFRESH_MILLIS = 1_000;

  /** After this time without a report the service counts as stuck. */
  private static final long STALE_NANOS = TimeUnit.SECONDS.toNanos(5);

  /** For so long after its start a node may be slower than others, because it is cold. */
  private static final long NEW_NANOS = TimeUnit.SECONDS.toNanos(60);

  private static final String LEAVING =
      "this node is ending; it serves requests until its door closes, send new ones to another";

  private record Report(List<String> problems, List<String> notes, int nodes, long nanos) {}

  private final LongSupplier nanos;
  private volatile @Nullable Report last;
  private volatile boolean leaving;
  private volatile boolean starting;
  private volatile long startedAt;

  /** Without a report yet. */
  public Readiness() {
    this(System::nanoTime);
  }

  public Readiness(LongSupplier nanos) {
    this.nanos = nanos;
  }

  /**
   * Reports that the service runs.
   *
   * @param problems sentences, why this node should receive no requests; empty if it should
   * @param notes sentences, what people should know although it should
   * @param nodes how many nodes of the cluster serve; 0 without a cluster or quorum
   */
  public void tell(List<String> problems, List<String> notes, int nodes) {
    last = new Report(List.copyOf(problems), List.copyOf(notes), nodes, nanos.getAsLong());
  }

  /**
   * The doors are open and the service is not complete: no report counts until {@link #started}.
   */
  public void starting() {
    starting = true;
  }

  /** The start is complete. */
  public void started() {
    startedAt = nanos.getAsLong();
    starting = false;
  }

  /** Whether this node has started a moment ago, and other nodes can take what it cannot. */
  public boolean isNew() {
    return nodes() > 1 && nanos.getAsLong() - startedAt < NEW_NANOS;
  }

  /** Whether requests other than for health must be refused, because the start is not complete. */
  public boolean isStarting() {
    return starting;
  }

  /**
   * This node ends soon: it is not ready from now on, so that balancers send no new clients. It
   * still serves what comes, until its doors close.
   */
  public void leave() {
    leaving = true;
  }

  /** Whether {@link #leave} was called. */
  public boolean isLeaving() {
    return leaving;
  }

  /** The notes of the last report. */
  public List<String> notes() {
    Report latest = last;
    return latest == null ? List.of() : latest.notes;
  }

  /** How many nodes of the cluster serve, by the last report. */
  public int nodes() {
    Report latest = last;
    return latest == null ? 0 : latest.nodes;
  }

  /** Removes the last report: the service has stopped. */
  public void withdraw() {
    last = null;
  }

  /**
   * The problems of the last report; null if the service has not started, has stopped or is stuck.
   */
  public @Nullable List<String> problems() {
    Report latest = last;
    return starting || latest == null || nanos.getAsLong() - latest.nanos > STALE_NANOS
        ? null
        : leaving ? List.of(LEAVING) : latest.problems;
  }
}
