package dev.mcpbus.bridge;

import dev.mcpbus.internals.InboundConnection;
import io.vertx.core.Vertx;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Says since when a request that is read now may have been waiting for this process: in the buffer
 * of its socket, or for its connection to be accepted. It waits there while the event loop works or
 * the process is suspended.
 *
 * <p>A tick that is due runs after the tasks that wait, and at most once between two looks of the
 * event loop at its sockets. So the loop has looked at them since the tick before the last, and
 * what is read now was not there at that look. In the same way a connection that the loop gets now
 * was accepted after the tick before the last. An event loop that is on time has its last ticks
 * within twice their period, which is therefore not counted. A pipelined request counts from the
 * end of the response before it. Confined to one event loop.
 */
final class ArrivalClock {

  static final long TICK_MILLIS = 50;

  private static final long ON_TIME = 2 * TimeUnit.MILLISECONDS.toNanos(TICK_MILLIS);

  private final LongSupplier nanos;
  private long last;
  private long beforeLast;

  /**
   * @param nanos {@link System#nanoTime}
   */
  ArrivalClock(LongSupplier nanos) {
    this.nanos = nanos;
    this.last = nanos.getAsLong();
    this.beforeLast = last;
  }

  /** Begins to tick on the caller's context, and ends with it. */
  void start(Vertx vertx) {
    vertx.setPeriodic(TICK_MILLIS, tick -> tick());
  }

  void tick() {
    beforeLast = last;
    last = nanos.getAsLong();
  }

  /** To be called when the event loop gets a connection. */
  void opened(InboundConnection connection) {
    connection.watched(nanos.getAsLong(), beforeLast);
  }

  /**
   * The earliest time at which what is read now may have arrived.
   *
   * @param connection null for one that has been open for long
   */
  long arrived(@Nullable InboundConnection connection) {
    long earliest =
        connection == null || connection.watchedSince() - beforeLast <= 0
            ? beforeLast + ON_TIME
            // It waits twice: for its event loop, and for the first look at its socket.
            : connection.acceptedAfter() + 2 * ON_TIME;
    long now = nanos.getAsLong();
    return earliest - now < 0 ? earliest : now;
  }

  /** How long ago that was, milliseconds. */
  long passed(long arrived) {
    return TimeUnit.NANOSECONDS.toMillis(nanos.getAsLong() - arrived);
  }
}
