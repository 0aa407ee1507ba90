package dev.mcpbus.transport;

import java.util.function.LongSupplier;

/**
 * Bounds the lines of a stream that are no messages: a bucket of lines and one of bytes, which fill
 * up with time and with each message, so that a log line for each request never empties them.
 * Owner: its {@link LineFramer}.
 */
final class NoiseBudget {

  static final int LINES_PER_SECOND = 100;
  static final int LINES_PER_MESSAGE = 10;
  static final int BURST_BYTES = 8 << 20;
  static final int BYTES_PER_SECOND = 256 << 10;

  private final int burst;
  private final LongSupplier nanos;
  private double lines;
  private double bytes = BURST_BYTES;
  private long last;
  private long messages;

  /**
   * @param burst how many lines may come at once
   * @param nanos a monotonic clock
   */
  NoiseBudget(int burst, LongSupplier nanos) {
    this.burst = burst;
    this.nanos = nanos;
    this.lines = burst;
    this.last = nanos.getAsLong();
  }

  /** A message has come. */
  void message() {
    messages++;
  }

  /** Takes one line from the buckets; false where they have no room for it. */
  boolean take(int length) {
    long now = nanos.getAsLong();
    double seconds = (now - last) / 1e9;
    last = now;
    lines =
        Math.min(burst, lines + seconds * LINES_PER_SECOND + (double) messages * LINES_PER_MESSAGE);
    bytes = Math.min(BURST_BYTES, bytes + seconds * BYTES_PER_SECOND);
    messages = 0;
    lines--;
    bytes -= length;
    return lines >= 0 && bytes >= 0;
  }
}
