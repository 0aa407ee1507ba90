package dev.mcpbus.internals;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.FastThreadLocal;
import io.netty.util.concurrent.ScheduledFuture;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.shareddata.Shareable;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Says since when what an event loop does now may have been waiting for it: a request in the buffer
 * of its socket, a connection to be accepted, a message in the queue of tasks. They wait there
 * while the event loop works or the process is suspended. One for each event loop.
 *
 * <p>A tick that is due runs after the tasks that wait, and at most once between two looks of the
 * event loop at its sockets. So the loop has looked at them since the tick before the last, and
 * what is read now was not there at that look, and a task that runs now was not there before. In
 * the same way a connection that the loop gets now was accepted after the tick before the last. An
 * event loop that is on time has its last ticks within twice their period, which is therefore not
 * counted. A pipelined request counts from the end of the response before it. Confined to one event
 * loop, except where a method says otherwise.
 */
public final class ArrivalClock implements Shareable {

  private static final String KEY = "dev.mcpbus.acceptor";

  public static final long TICK_MILLIS = 50;

  private static final long ON_TIME = 2 * TimeUnit.MILLISECONDS.toNanos(TICK_MILLIS);

  private static final FastThreadLocal<ArrivalClock> OF_LOOP = new FastThreadLocal<>();

  /** After a pause for so long, an event loop may still be accepting what came during it. */
  private static final long CATCHES_UP = TimeUnit.SECONDS.toNanos(1);

  /** Shorter pauses behind it prolong that, on a machine that is always late not for ever. */
  private static final long MOST = 5 * CATCHES_UP;

  private record LoopPause(long ended, long until, long length) {}

  private final LongSupplier nanos;
  private volatile long last;
  private volatile LoopPause longest;
  private long beforeLast;

  /**
   * @param nanos {@link System#nanoTime}
   */
  public ArrivalClock(LongSupplier nanos) {
    this.nanos = nanos;
    this.last = nanos.getAsLong();
    this.longest = new LoopPause(last, last, 0);
    this.beforeLast = last;
  }

  /** The clock of the event loop that accepts the connections of all servers. */
  public static ArrivalClock ofAcceptor(Vertx vertx) {
    return vertx
        .sharedData()
        .<String, ArrivalClock>getLocalMap(KEY)
        .computeIfAbsent(
            KEY,
            key -> {
              ArrivalClock created = new ArrivalClock(System::nanoTime);
              created.tickOn(((VertxInternal) vertx).acceptorEventLoopGroup().next());
              return created;
            });
  }

  /**
   * The clock of the caller's event loop, which ticks as long as that runs. A thread that is none
   * has a clock that stands still: nothing waits for it.
   */
  public static ArrivalClock current() {
    ArrivalClock present = OF_LOOP.getIfExists();
    if (present != null) {
      return present;
    }
    ArrivalClock created = new ArrivalClock(System::nanoTime);
    Context context = Vertx.currentContext();
    if (context instanceof ContextInternal own && own.nettyEventLoop().inEventLoop()) {
      created.tickOn(own.nettyEventLoop());
      OF_LOOP.set(created);
    }
    return created;
  }

  private void tickOn(EventLoop loop) {
    ScheduledFuture<?> unused =
        loop.scheduleAtFixedRate(this::tick, TICK_MILLIS, TICK_MILLIS, TimeUnit.MILLISECONDS);
  }

  public void tick() {
    long now = nanos.getAsLong();
    if (now - last > ON_TIME) {
      long still = stoodStill(now);
      longest = new LoopPause(still > now - last ? longest.ended : now, now, still);
    }
    beforeLast = last;
    last = now;
  }

  /**
   * For how long the event loop has stood still, now or a moment ago, nanoseconds. Any thread may
   * call.
   */
  private long stoodStill(long now) {
    long still = now - last;
    LoopPause before = longest;
    boolean catchesUp = now - before.until < CATCHES_UP && now - before.ended < MOST;
    return Math.max(still > ON_TIME ? still : 0, catchesUp ? before.length : 0);
  }

  /**
   * To be called when the event loop gets a connection.
   *
   * @param acceptor the clock of the event loop that has accepted it. That one takes few
   *     connections at a time out of the system's queue, so after a pause some come late.
   */
  public void opened(InboundConnection connection, ArrivalClock acceptor) {
    long now = nanos.getAsLong();
    long accepted = now - acceptor.stoodStill(now);
    connection.watched(now, accepted - beforeLast < 0 ? accepted : beforeLast);
  }

  /**
   * The earliest time at which what is read now may have arrived.
   *
   * @param connection null for one that has been open for long
   */
  public long arrived(@Nullable InboundConnection connection) {
    long earliest =
        connection == null || connection.watchedSince() - beforeLast <= 0
            ? beforeLast + ON_TIME
            // It waits twice: for its event loop, and for the first look at its socket.
            : connection.acceptedAfter() + 2 * ON_TIME;
    long now = nanos.getAsLong();
    return earliest - now < 0 ? earliest : now;
  }

  /** How long ago that was, milliseconds. */
  public long waited(long arrived) {
    return TimeUnit.NANOSECONDS.toMillis(nanos.getAsLong() - arrived);
  }

  /** How long a task that runs now may have waited for the event loop, milliseconds. */
  public long waited() {
    return Math.max(0, TimeUnit.NANOSECONDS.toMillis(nanos.getAsLong() - beforeLast - ON_TIME));
  }
}
