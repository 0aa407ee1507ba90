package dev.mcpbus.internals;

import io.vertx.core.Closeable;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.VertxInternal;
import org.jspecify.annotations.Nullable;

/**
 * A context as its owner uses it. Vert.x offers promises that complete on a context, contexts of
 * one's own, and timers of a context to its own classes alone; with {@code Promise.promise()} a
 * future would complete on whichever thread completes it. Any thread may call.
 */
public final class OwnContext {

  private final ContextInternal context;

  private OwnContext(ContextInternal context) {
    this.context = context;
  }

  /** That context. */
  public static OwnContext of(Context context) {
    return new OwnContext((ContextInternal) context);
  }

  /** That context, or the one that it is a copy of: Vert.x makes copies for requests. */
  public static OwnContext unwrapped(Context context) {
    return new OwnContext(((ContextInternal) context).unwrap());
  }

  /** The caller's; a new one where the caller has none. */
  public static OwnContext current(Vertx vertx) {
    return of(vertx.getOrCreateContext());
  }

  /** A new one on an event loop, which no verticle's end closes. */
  public static OwnContext create(Vertx vertx) {
    return new OwnContext(((VertxInternal) vertx).createEventLoopContext());
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

  /** Later, on this context. */
  public void run(Runnable task) {
    context.runOnContext(now -> task.run());
  }

  /** At once, on its event loop, as a task of this context. */
  public <T> void dispatch(T argument, Handler<T> task) {
    context.dispatch(argument, task);
  }

  /** Whether the calling thread is its event loop. */
  public boolean inThread() {
    return context.inThread();
  }

  /** Whether the caller runs on it, or on a copy of it. */
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

  /** {@code hook} runs when the context ends, such as with its verticle. */
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

  ContextInternal internal() {
    return context;
  }
}
