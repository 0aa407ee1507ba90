package dev.mcpbus.connection;

import dev.mcpbus.bus.Timers;
import dev.mcpbus.connection.options.ConnectionOptions;
import dev.mcpbus.connection.session.Clock;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * The time of one handshake. A command that installs its program first, such as {@code npx}, has
 * {@code installTimeout} for that; the {@code handshakeTimeout} begins when its program speaks, and
 * anew where it installs more. Owner: the connection's context.
 */
final class HandshakeTimer {

  /** How often it looks whether the program speaks. */
  private static final long LOOK_MILLIS = 1_000;

  private final Timers timers;
  private final Clock clock;
  private final ConnectionOptions options;
  private final boolean mayInstall;
  private final BooleanSupplier installing;
  private final Consumer<Boolean> expired;
  private final long began;
  private long since;
  private long timer;

  /**
   * Starts the time.
   *
   * @param installs whether the command installs its program first
   * @param installing whether it still does so, as far as can be seen
   * @param expired runs once when the time is over; true if the program has not spoken yet
   */
  HandshakeTimer(
      Timers timers,
      Clock clock,
      ConnectionOptions options,
      boolean installs,
      BooleanSupplier installing,
      Consumer<Boolean> expired) {
    this.timers = timers;
    this.clock = clock;
    this.options = options;
    this.mayInstall = installs;
    this.installing = installing;
    this.expired = expired;
    this.began = clock.millis();
    this.since = began;
    look(installs);
  }

  private void look(boolean installs) {
    long now = clock.millis();
    if (installs) {
      since = now;
    }
    long left =
        installs
            ? began + options.installTimeout().toMillis() - now
            : since + options.handshakeTimeout().toMillis() - now;
    if (left <= 0) {
      expired.accept(installs);
      return;
    }
    long wait = mayInstall ? Math.min(left, LOOK_MILLIS) : left;
    timer = timers.set(wait, () -> look(mayInstall && installing.getAsBoolean()));
  }

  void cancel() {
    timers.cancel(timer);
  }
}
