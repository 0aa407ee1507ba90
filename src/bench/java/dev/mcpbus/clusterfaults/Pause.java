package dev.mcpbus.clusterfaults;

/** Time that passes. */
final class Pause {

  private Pause() {}

  static void millis(long millis) {
    if (millis > 0) {
      try {
        Thread.sleep(millis);
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  /** Until a moment of {@link System#nanoTime}. */
  static void until(long nanos) {
    millis((nanos - System.nanoTime()) / 1_000_000);
  }
}
