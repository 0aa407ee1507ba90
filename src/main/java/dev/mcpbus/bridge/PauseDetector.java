package dev.mcpbus.bridge;

import java.util.function.LongSupplier;

/**
 * Notices that the process, or its event loop, did not run for a while. What is read soon after may
 * have waited as long in the buffers of the network. Confined to one event loop, whose ticks it
 * counts.
 */
final class PauseDetector {

  static final long TICK_MILLIS = 250;

  /** Less is the common delay of a busy machine. */
  private static final long SHORTEST_MILLIS = 1_000;

  /** How long after it what waited is still being read. */
  private static final long AFTER_MILLIS = 1_000;

  private final LongSupplier clock;
  private long last;
  private long length;
  private long end;

  /**
   * @param clock monotonic milliseconds
   */
  PauseDetector(LongSupplier clock) {
    this.clock = clock;
    this.last = clock.getAsLong();
    this.end = last - AFTER_MILLIS - 1;
  }

  void tick() {
    long now = clock.getAsLong();
    if (now - last >= SHORTEST_MILLIS) {
      length = now - last;
      end = now;
    }
    last = now;
  }

  /** How long what is read now may have waited, milliseconds; 0 where the process ran. */
  long waited() {
    // A request may be read before the tick that is due.
    tick();
    return clock.getAsLong() - end <= AFTER_MILLIS ? length : 0;
  }
}
