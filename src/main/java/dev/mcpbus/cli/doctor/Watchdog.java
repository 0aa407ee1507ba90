package dev.mcpbus.cli.doctor;

import java.io.Closeable;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/**
 * Closes a stream or a socket after a time, so that a peer that sends byte by byte holds nothing
 * up: a time-out for each read does not bound the whole. Any thread may use it.
 */
final class Watchdog implements AutoCloseable {

  private final Closeable watched;
  private volatile boolean over;

  private Watchdog(Closeable watched) {
    this.watched = watched;
  }

  static Watchdog over(Closeable watched, long millis) {
    Watchdog dog = new Watchdog(watched);
    Executor later = CompletableFuture.delayedExecutor(millis, TimeUnit.MILLISECONDS);
    later.execute(dog::bite);
    return dog;
  }

  private void bite() {
    if (!over) {
      try {
        watched.close();
      } catch (IOException e) {
        // The reader fails in any case.
      }
    }
  }

  @Override
  public void close() {
    over = true;
  }
}
