package dev.mcpbus.doctor;

import java.io.Closeable;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Bounds how long a stream or a socket lives: a time-out for each read does not bound a peer that
 * sends byte by byte. Any thread may use it.
 */
final class Watchdog {

  private Watchdog() {}

  /** Closes it after that time, which does nothing if it is closed already. */
  static void closeAfter(Closeable watched, long millis) {
    CompletableFuture.delayedExecutor(millis, TimeUnit.MILLISECONDS)
        .execute(
            () -> {
              try {
                watched.close();
              } catch (IOException e) {
                // The reader fails in any case.
              }
            });
  }
}
