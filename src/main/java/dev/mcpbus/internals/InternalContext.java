package dev.mcpbus.internals;

import io.netty.util.concurrent.ScheduledFuture;
import io.vertx.core.Closeable;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.VertxInternal;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A context of Vert.x with the methods that Vert.x reserves for its own classes: promises that
 * complete on the context, contexts without a verticle, and timers of a context. With {@code
 * Promise.promise()} a future would complete on the thread that completes it. Any thread may call.
 */
public final class InternalContext {

  private final ContextInternal context;

  private InternalContext(ContextInternal context) {
    this.context = context;
  }

  /** Wraps {@code context}. */
  public static InternalContext of(Context context) {
    return new InternalContext((ContextInternal) context);
  }

  /**
   * Wraps {@code context}, or the context of which it is a copy: Vert.x makes copies for requests.
   */
  public static InternalContext unwrapped(Context context) {
    return new InternalContext(((ContextInternal) context).unwrap());
  }

  /** The caller's context; a new one where the caller has none. */
  public static InternalContext current(Vertx vertx) {
    return of(vertx.getOrCreateContext());
  }

  /** A new event-loop context, which no verticle closes when it ends. */
  public static InternalContext create(Vertx vertx) {
    return new InternalContext(((VertxInternal) vertx).createEventLoopContext());
  }

  /** A promise whose future completes on the caller's context. */
  public static <T extends @Nullable Object> Promise<T> promise(Vertx vertx) {
    return ((ContextInternal) vertx.getOrCreateContext()).promise();
  }

  /** A promise whose future completes on this context. */
  public <T extends @Nullable Object> Promise<T> promise() {
    return context.promise();
  }

  public <T extends @Nullable Object> Future<T> succeededFuture(T result) {
    return context.succeededFuture(result);
  }

  public Future<Void> succeededFuture() {
    return context.succeededFuture();
  }

  public <T extends @Nullable Object> Future<T> failedFuture(Throwable failure) {
    return context.failedFuture(failure);
  }

  /** Runs {@code task} later on this context. */
  public void run(Runnable task) {
    context.runOnContext(now -> task.run());
  }

  /**
   * Runs {@code task} on this context after its event loop has looked at its sockets once more. For
   * work that always has more to do: a task that each time calls {@link #run} for its next part
   * keeps the event loop from all sockets for up to a second, because the loop first runs what
   * waits, in rounds of 64 tasks.
   */
  public void runAfterSockets(Runnable task) {
    if (context.isEventLoopContext()) {
      // The context reports what the task throws.
      ScheduledFuture<?> unused =
          context
              .nettyEventLoop()
              .schedule(() -> context.dispatch(task, Runnable::run), 0, TimeUnit.NANOSECONDS);
    } else {
      run(task);
    }
  }

  /**
   * Runs {@code task} later on this context.
   *
   * @return the result, on the caller's context
   */
  public <T extends @Nullable Object> Future<T> call(Supplier<Future<T>> task) {
    Promise<T> result = promise(context.owner());
    context.runOnContext(now -> task.get().onComplete(result));
    return result.future();
  }

  /** Runs {@code task} at once as a task of this context; to be called on its event loop. */
  public <T> void dispatch(T argument, Handler<T> task) {
    context.dispatch(argument, task);
  }

  /** Whether the calling thread is its event loop. */
  public boolean inThread() {
    return context.inThread();
  }

  /** Whether the caller runs on this context, or on a copy of it. */
  public boolean isCurrent() {
    ContextInternal current = (ContextInternal) Vertx.currentContext();
    return current != null && current.unwrap() == context.unwrap();
  }

  /** A timer that fires on this context and ends with it. */
  public long setTimer(long millis, Handler<Long> task) {
    return context.setTimer(millis, task);
  }

  public boolean cancelTimer(long timer) {
    return context.owner().cancelTimer(timer);
  }

  /** Runs {@code hook} when the context ends, for example with its verticle. */
  public void addCloseHook(Closeable hook) {
    context.addCloseHook(hook);
  }

  public void removeCloseHook(Closeable hook) {
    context.removeCloseHook(hook);
  }

  public Vertx vertx() {
    return context.owner();
  }

  public Context context() {
    return context;
  }
}
