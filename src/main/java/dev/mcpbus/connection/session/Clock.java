package dev.mcpbus.connection.session;

import dev.mcpbus.internals.ArrivalClock;
import java.util.concurrent.TimeUnit;

/** Elapsed time in milliseconds that never goes back; not the time of day. Any thread. */
@FunctionalInterface
public interface Clock {

  Clock SYSTEM =
      new Clock() {
        @Override
        public long millis() {
          return TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
        }

        @Override
        public long waited() {
          return ArrivalClock.current().waited();
        }
      };

  long millis();

  /** How long the message that is handled now may have waited for this event loop. */
  default long waited() {
    return 0;
  }
}
