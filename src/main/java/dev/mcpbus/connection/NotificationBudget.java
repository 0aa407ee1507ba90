package dev.mcpbus.connection;

/**
 * How much one session may say unasked: a bucket of {@value #BURST} notifications that fills up by
 * {@value #PER_SECOND} a second. What goes beyond is dropped, because whoever listens on the bus
 * cannot slow the server down; a server that goes on and on is a flood. Owner: the connection's
 * context.
 */
final class NotificationBudget {

  static final int PER_SECOND = 1_000;
  static final int BURST = 5_000;

  /** So many dropped before the bucket was full again, and the session is to end. */
  static final int FLOOD = 50_000;

  private double left = BURST;
  private long last;
  private long total;
  private long sinceFull;

  NotificationBudget(long now) {
    this.last = now;
  }

  /** False where the notification must be dropped. */
  boolean take(long now) {
    left = Math.min(BURST, left + (now - last) * PER_SECOND / 1_000.0);
    last = now;
    if (left >= BURST) {
      sinceFull = 0;
    }
    if (left >= 1) {
      left--;
      return true;
    }
    total++;
    sinceFull++;
    return false;
  }

  boolean isFlood() {
    return sinceFull >= FLOOD;
  }

  /** How many were dropped in all. */
  long dropped() {
    return total;
  }
}
