package dev.mcpbus.connection.session;

/**
 * How much one session may say unasked: a bucket of {@value #BURST} notifications that fills up by
 * {@value #PER_SECOND} a second. What goes beyond is dropped and counted, because whoever listens
 * on the bus cannot slow the server down. Answers are never dropped. Owner: the connection's
 * context.
 */
final class NotificationBudget {

  static final int PER_SECOND = 1_000;
  static final int BURST = 5_000;

  private double left = BURST;
  private long last;
  private long total;

  NotificationBudget(long now) {
    this.last = now;
  }

  /** False where the notification must be dropped. */
  boolean take(long now) {
    left = Math.min(BURST, left + (now - last) * PER_SECOND / 1_000.0);
    last = now;
    if (left >= 1) {
      left--;
      return true;
    }
    total++;
    return false;
  }

  /** How many were dropped in all. */
  long dropped() {
    return total;
  }
}
