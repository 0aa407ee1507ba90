package dev.mcpbus.connection.session;

import java.util.concurrent.TimeUnit;

/** Elapsed time in milliseconds, never going back; unrelated to the time of day. */
@FunctionalInterface
public interface Clock {

  Clock SYSTEM = () -> TimeUnit.NANOSECONDS.toMillis(System.nanoTime());

  long millis();
}
