package dev.mcpbus.bridge;

import java.util.function.LongSupplier;

/**
 * Measures pauses of the process or of its event loop, by a clock that it reads at each tick. A
 * request that is read soon after a pause may have waited in the network buffers as long as the
 * pause. Confined to one event loop.
 */
final class PauseDetector {

  static final long TICK_MILLIS = 250;

  /** Shorter pauses are normal on a busy machine. */
  private static final long SHORTEST_MILLIS = 1_000;

  /** How long after a pause the requests that waited are still being read. */
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

  /** How long a request that is read now may have waited, milliseconds; 0 without a pause. */
  long waited() {
    // The request may be read before the tick that is due.
    tick();
    return clock.getAsLong() - end <= AFTER_MILLIS ? length : 0;
  }
}
