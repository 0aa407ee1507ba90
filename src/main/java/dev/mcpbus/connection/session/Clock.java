package dev.mcpbus.connection.session;

import java.util.concurrent.TimeUnit;

/** Elapsed time in milliseconds that never goes back; not the time of day. Any thread. */
@FunctionalInterface
public interface Clock {

  Clock SYSTEM = () -> TimeUnit.NANOSECONDS.toMillis(System.nanoTime());

  long millis();
}
