package dev.mcpbus.internals;

import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.ScheduledFuture;
import io.vertx.core.Vertx;
import io.vertx.core.internal.VertxInternal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * The event loops of a Vert.x, one after the other. Contexts would not do: Vert.x gives a new
 * context the next loop in turn, so contexts of ours would change which loops later ones share. Any
 * thread may call.
 */
public final class EventLoops {

  private EventLoops() {}

  /**
   * Runs a task of its own on each loop, again and again.
   *
   * @param tasks makes the task of one loop
   * @return ends all of them
   */
  public static Runnable repeat(Vertx vertx, Duration pause, Supplier<Runnable> tasks) {
    List<ScheduledFuture<?>> running = new ArrayList<>();
    for (EventExecutor loop : ((VertxInternal) vertx).nettyEventLoopGroup()) {
      long nanos = pause.toNanos();
      running.add(loop.scheduleWithFixedDelay(tasks.get(), nanos, nanos, TimeUnit.NANOSECONDS));
    }
    return () -> running.forEach(each -> each.cancel(false));
  }
}
