package dev.mcpbus.connection.session;

/**
 * Bounds the notifications of one session: a bucket of {@value #BURST} that fills up by {@value
 * #PER_SECOND} a second. {@link NotificationRouter} drops and counts the rest, because listeners on
 * the bus cannot slow the server down. Answers are never dropped. Owner: the connection's context.
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

  /** Takes one from the bucket; false where the notification must be dropped. */
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

  /** The number of notifications that found the bucket empty. */
  long dropped() {
    return total;
  }
}
