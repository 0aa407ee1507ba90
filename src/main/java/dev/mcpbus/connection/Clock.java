package dev.mcpbus.connection;

import java.util.concurrent.TimeUnit;

/** Elapsed time in milliseconds, never going back; unrelated to the time of day. */
@FunctionalInterface
interface Clock {

  Clock SYSTEM = () -> TimeUnit.NANOSECONDS.toMillis(System.nanoTime());

  long millis();
}
